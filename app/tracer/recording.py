"""Puts the watches together: one recording of one run of one snippet."""

import sys
import traceback
from collections.abc import Callable
from types import CodeType

import torch

import app
from app.trace.ends import Ended, Interfered
from app.trace.records import FORMAT, Header, Limits, Request, Span
from app.tracer import adapter, program
from app.tracer.backward import BackwardWatch
from app.tracer.guard import Guard
from app.tracer.journal import Journal
from app.tracer.lines import LineWatch
from app.tracer.observer import LimitReached, Observer
from app.tracer.output import OutputWatch
from app.tracer.source import Source
from app.tracer.tables import Tables


def header(seed: int, limits: Limits) -> Header:
    return Header(
        format=FORMAT,
        stepgrad=app.__version__,
        python=".".join(map(str, sys.version_info[:3])),
        torch=str(torch.__version__),
        device="cpu",
        seed=seed,
        limits=limits,
    )


class Recording:
    """Runs a snippet under all watches. `emit` gets the chunks; `stop`, which must not return, ends what cannot go on."""

    def __init__(self, request: Request, emit: Callable[[bytes], None], stop: Callable[[], None]) -> None:
        self._stop = stop
        self._limits = request.limits
        self._source = Source(request.source, program.FILENAME)
        self._tables = Tables(header(request.seed, request.limits), emit)
        self._observer = Observer(self._tables, request.limits)
        guard = Guard(self._cannot_go_on)
        self._lines = LineWatch(self._observer, self._source, guard)
        self._output = OutputWatch(self._observer, guard, program.FILENAME, self._lines.rearm)
        self._journal = Journal(self._observer, self._source, guard, self._lines.rearm)
        self._backward = BackwardWatch(self._observer, guard, self._journal.pause)

    def run(self) -> None:
        """Run the snippet to its end and emit the whole trace, the last chunk with its `ended`."""
        self._output.install()
        code, failure = self._compile()
        if code is not None:
            module = program.main_module(self._source)
            failure = self._watched(code, module.__dict__)
        self._output.remove()
        self._tables.flush(program.ended_by(failure, self._source, self._limits.memory_bytes))

    def _compile(self) -> tuple[CodeType | None, BaseException | None]:
        try:
            return self._source.compile(), None
        except (SyntaxError, ValueError, RecursionError, MemoryError) as failure:
            self._lines.record_exception(type(failure), failure, _place(failure))
            return None, failure

    def _watched(self, code: CodeType, variables: dict[str, object]) -> BaseException | None:
        self._backward.install()
        unpatch = adapter.patch_swap(self._observer.unreferenced)
        try:
            with self._journal:
                self._lines.start()
                try:
                    exec(code, variables)
                finally:
                    self._lines.stop()
        except BaseException as failure:
            return failure
        finally:
            self._lines.close()
            unpatch()
            self._backward.remove()
        return None

    def _cannot_go_on(self, failure: BaseException) -> None:
        """A watch cannot go on: a limit was reached, or the recorder itself failed. The trace so far is whole; it ends here."""
        self._lines.stop()
        if isinstance(failure, LimitReached):
            ended: Ended = failure.ended
        else:
            place = traceback.extract_tb(failure.__traceback__)[-1]
            where = f"{place.filename.rsplit('/', 1)[-1]}:{place.lineno}"
            ended = Interfered(reason=f"The recorder failed at {where}: {type(failure).__name__}: {failure}")
        self._tables.flush(ended)
        self._stop()


def _place(failure: BaseException) -> Span | None:
    if not isinstance(failure, SyntaxError) or not failure.lineno:
        return None
    line, column = failure.lineno, max(0, (failure.offset or 1) - 1)
    end_line = failure.end_lineno or line
    end_column = (failure.end_offset or 0) - 1 if failure.end_offset else column + 1
    return Span(
        line=line,
        column=column,
        end_line=max(line, end_line),
        end_column=max(0, end_column),
    )
