"""Combines the watches into the recording of one run of one snippet."""

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import CodeType

import numpy as np
import torch

import app
from app.trace.clipping import clip
from app.trace.ends import Ended, Interfered, OutOfMemory
from app.trace.records import FORMAT, MOST_TEXT, Header, Request, Span
from app.tracer import adapter
from app.tracer.autograd.backward import BackwardWatch
from app.tracer.autograd.hooks import MethodWatch
from app.tracer.gpu.cuda_patches import CudaPatches
from app.tracer.gpu.stand_in import StandIn
from app.tracer.guard import Guard
from app.tracer.journal import Journal
from app.tracer.observer import LimitReached, Observer
from app.tracer.statements import program
from app.tracer.statements.following import Following
from app.tracer.statements.lines import LineWatch
from app.tracer.statements.output import OutputWatch
from app.tracer.statements.results import ResultWatch
from app.tracer.statements.source import Source
from app.tracer.statements.sources import Sources
from app.tracer.substitutes import Substitutes
from app.tracer.trace_writer import Tables


def header(asked: Request, *, in_process: bool = False) -> Header:
    return Header(
        format=FORMAT,
        stepgrad=app.__version__,
        python=".".join(map(str, sys.version_info[:3])),
        torch=str(torch.__version__),
        device="cuda:0" if torch.cuda.is_initialized() else "cpu",  # type: ignore[no-untyped-call]
        seed=asked.seed,
        limits=asked.limits,
        packages={"numpy": np.__version__},
        stand_in=asked.stand_in,
        keep_saved=asked.keep_saved,
        in_process=in_process,
    )


class Watches:
    """All watches of one run, installed and removed together.

    `emit` is called with each payload. `stop` is called after the last payload if the recording cannot continue. If `stop`
    returns, the program continues without being recorded.
    """

    def __init__(
        self,
        source: Source,
        asked: Request,
        emit: Callable[[bytes], None],
        stop: Callable[[], None],
        *,
        passes_on_output: bool = False,
        following: Following | None = None,
    ) -> None:
        self._stop = stop
        self._keeps_saved = asked.keep_saved
        self.ended: Ended | None = None
        """How the recording ended, if it ended before the run."""
        self.tables = Tables(header(asked, in_process=passes_on_output), emit)
        self.observer = Observer(self.tables, asked.limits)
        guard = Guard(self._cannot_go_on)
        self.sources = Sources(source, self.tables, following)
        self.lines = LineWatch(self.observer, self.sources, guard)
        rearm = self.lines.rearm
        self._journal = Journal(self.observer, self.sources, guard, rearm)
        self._stand_in = StandIn(self._journal, self.observer, guard) if asked.stand_in else None
        self._backward = BackwardWatch(self.observer, guard, keeps_saved=asked.keep_saved)
        self._methods = MethodWatch(self.observer, guard)
        self._output = OutputWatch(self.observer, guard, self.sources, rearm, passes_on=passes_on_output)
        self.lines.take_output = self._output.take_waiting

    @contextmanager
    def output(self) -> Iterator[None]:
        """A context in which output is recorded."""
        self._output.install()
        try:
            yield
        finally:
            self._output.remove()

    @contextmanager
    def torch(self) -> Iterator[None]:
        """A context in which the operations of torch on this thread are observed. When the context ends, torch is restored."""
        with ExitStack() as installed:
            installed.callback(self.observer.threads.install())
            installed.callback(self._backward.install())
            installed.callback(adapter.patch_swap(self.observer.unreferenced))
            if self._stand_in is not None:
                installed.enter_context(CudaPatches(self._stand_in))
            installed.callback(self._methods.remove)
            self._methods.install()
            if self._keeps_saved:
                installed.enter_context(adapter.preserved_saves())
            installed.enter_context(adapter.seen_operators((self._stand_in or self._journal).operator))
            yield

    def forget(self) -> None:
        """Drop all weak references to observed objects at once, because `swap_tensors` refuses tensors with weak references."""
        self.lines.guard.stopped = True
        self.observer.memory.forget()
        observer, memory, graph = self.observer, self.observer.memory, self.observer.graph
        for part in (memory.storages, memory.counters, memory, graph.saves, graph, observer.modules, observer):
            for held in vars(part).values():
                if isinstance(held, (dict, list)):
                    held.clear()  # callbacks of weak references refer to these containers
            vars(part).clear()

    def _cannot_go_on(self, failure: BaseException) -> None:
        """End the trace here, because a limit was reached or the recorder failed. The trace up to this point is valid."""
        self.lines.stop()
        adapter.forget_handler()
        self._methods.remove()
        if isinstance(failure, LimitReached):
            self.ended = failure.ended
        elif isinstance(failure, MemoryError):
            self.ended = OutOfMemory(limit_bytes=self.observer.limits.memory_bytes)  # no memory is left
        else:
            place = traceback.extract_tb(failure.__traceback__)[-1]
            where = f"{place.filename.rsplit('/', 1)[-1]}:{place.lineno}"
            reason = f"The recorder failed at {where}: {type(failure).__name__}: {program.text_of(failure)}"
            self.ended = Interfered(reason=clip(reason, MOST_TEXT))
        self.tables.end(self.ended)
        self._stop()


class Recording(Watches):
    """Runs a snippet under all watches. `stop` must not return, because a run must end when it can no longer be recorded."""

    def __init__(self, request: Request, emit: Callable[[bytes], None], stop: Callable[[], None]) -> None:
        self._request = request
        self._source = Source(request.source, program.FILENAME)
        super().__init__(self._source, request, emit, stop)
        self._results = ResultWatch(self.observer, self.lines.guard)
        self._substitutes = Substitutes(self.observer, self.lines.guard)

    def run(self) -> None:
        """Run the snippet to its end and emit the whole trace. The last chunk has `ended`."""
        with self.output():
            code, failure = self._compile()
            if code is not None:
                module = program.main_module(self._source)
                failure = self._watched(code, module.__dict__)
        self.tables.flush(program.ended_by(failure, self.sources.known, self._request.limits.memory_bytes))

    def _compile(self) -> tuple[CodeType | None, BaseException | None]:
        try:
            return self._source.compile(self._results), None
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            failure = program.refusal_to_compile(error, self._request.limits.memory_bytes)
            self.lines.record_exception(type(failure), failure, _place(failure))
            return None, failure

    def _watched(self, code: CodeType, variables: dict[str, object]) -> BaseException | None:
        try:
            with self.torch(), self._substitutes:
                self.lines.start()
                levels = adapter.stack.levels
                missing = adapter.missing_levels(levels.value)
                levels.value += missing
                try:
                    exec(code, variables)
                finally:
                    levels.value -= missing
                    self.lines.stop()
        except BaseException as failure:
            return failure
        finally:
            self.lines.close()
        return None


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
