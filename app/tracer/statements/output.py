"""Records printed text and warnings of the snippet."""

import io
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Literal

import msgspec

from app.trace.ends import OutputTooLarge
from app.trace.records import MOST_TEXT, FileId
from app.tracer import adapter
from app.tracer.guard import HEADROOM, Guard, guarded
from app.tracer.observer import LimitReached, Observer
from app.tracer.statements import program
from app.tracer.statements.sources import Sources

_Put = tuple[str, str, str | None, int | None, FileId | None]
"""The fields of an Output that is not recorded yet: stream, text, category, line, file."""


class _Stream(io.RawIOBase):
    """The raw stream of `sys.stdout` or `sys.stderr`. Written bytes become Output records."""

    def __init__(self, write: Callable[[str], None], name: str, fd: int) -> None:
        super().__init__()
        self._write = write
        self._fd = fd
        self.name = f"<{name}>"
        self.mode = "wb"

    def fileno(self) -> int:
        return self._fd

    def writable(self) -> bool:
        return True

    def write(self, written: Any) -> int:
        levels = adapter.stack.levels
        levels.value += HEADROOM  # so that this method needs no more levels of the stack than the `write` of a file
        try:
            self._write(str(written, "utf-8", "replace"))
            return memoryview(written).nbytes
        finally:
            levels.value -= HEADROOM


class _Tee:
    """Replaces a stream and passes writes on to it. Other attributes are looked up in the stream."""

    def __init__(self, stream: Any, take: Callable[[str], None]) -> None:
        self._stream = stream
        self._take = take

    def write(self, text: str) -> Any:
        answer = self._stream.write(text)
        self._take(text)
        return answer

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class OutputWatch:
    """Replaces stdout, stderr and the display of warnings during a run. With `passes_on`, the output is also written to the
    original streams."""

    def __init__(
        self, observer: Observer, guard: Guard, sources: Sources, rearm: Callable[[], None], *, passes_on: bool = False
    ) -> None:
        self._observer = observer
        self._passes_on = passes_on
        self._rearm = rearm
        self.guard = guard
        self._sources = sources
        self._size = 0
        self._waiting: deque[_Put] = deque()
        self._before: tuple[Any, Any, Any] | None = None
        self._originals: tuple[Any, Any] = (None, None)
        self._restore_write: Callable[[], None] = lambda: None
        self._stand_ins: tuple[Any, Any] = (None, None)

    def install(self) -> None:
        self._before = (sys.stdout, sys.stderr, warnings.showwarning)
        self._show = warnings.showwarning
        self._stand_ins = sys.stdout, sys.stderr = self._stand_in("stdout"), self._stand_in("stderr")
        warnings.showwarning = self._warned
        if not self._passes_on:
            self._originals = sys.__stdout__, sys.__stderr__
            sys.__stdout__, sys.__stderr__ = self._stand_ins  # type: ignore[misc]
            self._restore_write = adapter.patch_write(self._written)

    def _written(self, fd: int, written: bytes) -> None:
        self._record("stdout" if fd == 1 else "stderr", written.decode("utf-8", "replace"))

    def remove(self) -> None:
        """Restore the original streams, except streams that were replaced in the meantime."""
        if self._before is None:
            return
        for stream in self._stand_ins:
            with suppress(ValueError, AttributeError):  # the snippet has closed the stream, or the process has none
                stream.flush()
        self.take_waiting()
        if not self._passes_on:
            sys.__stdout__, sys.__stderr__ = self._originals  # type: ignore[misc]
            self._restore_write()
            adapter.flush_streams_of_c()
        stdout, stderr, showwarning = self._before
        if sys.stdout is self._stand_ins[0] or not self._passes_on:
            sys.stdout = stdout
        if sys.stderr is self._stand_ins[1] or not self._passes_on:
            sys.stderr = stderr
        if warnings.showwarning == self._warned or not self._passes_on:
            warnings.showwarning = showwarning
        self._before = None

    def _stand_in(self, stream: Literal["stdout", "stderr"]) -> Any:
        def take(text: str) -> None:
            self._record(stream, text)

        before, fd = getattr(sys, stream), 1 if stream == "stdout" else 2
        if self._passes_on:
            return None if before is None else _Tee(before, take)
        # Unbuffered, as with `python -u`, so that each write belongs to the step that wrote it.
        return io.TextIOWrapper(_Stream(take, stream, fd), encoding="utf-8", errors="backslashreplace", write_through=True)

    def _warned(
        self,
        message: Any,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: Any = None,
    ) -> None:
        source = self._sources.known.get(filename)
        place = (None, None) if source is None else (program.line_number(lineno), source.file)
        self._record("warning", str(message), category.__name__, *place)
        if self._passes_on:
            self._show(message, category, filename, lineno, file, line)

    def _record(
        self, stream: str, text: str, category: str | None = None, line: int | None = None, file: FileId | None = None
    ) -> None:
        if self.guard.stopped:
            return
        if self._observer.threads.is_another():
            self._waiting.append((stream, text, category, line, file))  # the output of other threads is recorded later
        else:
            self.take_waiting()
            self._take(stream, text, category, line, file)

    def take_waiting(self) -> None:
        """Record the output of other threads."""
        while self._waiting:
            self._take(*self._waiting.popleft())

    @guarded
    def _take(
        self, stream: str, text: str, category: str | None = None, line: int | None = None, file: FileId | None = None
    ) -> None:
        self._rearm()
        limits = self._observer.limits
        left = limits.output_bytes - self._size
        # Cut before encoding, because the text may have hundreds of MB.
        encoded = text[: max(left, 0) + 1].encode("utf-8", "backslashreplace")
        self._size += len(encoded)
        self._observer.settle()
        if left > 0:
            self._add(stream, encoded[:left].decode("utf-8", "ignore"), category, line, file)
        if self._size > limits.output_bytes:
            raise LimitReached(OutputTooLarge(limit_bytes=limits.output_bytes))

    def _add(self, stream: str, text: str, category: str | None, line: int | None, file: FileId | None) -> None:
        tables = self._observer.tables
        last = tables.outputs.new[-1] if tables.outputs.new else None
        if (
            last is not None
            and last.stream == stream != "warning"
            and last.tick == tables.tick
            and len(last.text) + len(text) < MOST_TEXT
        ):
            # `print` writes its text and its newline separately.
            tables.outputs.new[-1] = msgspec.structs.replace(last, text=last.text + text)
            return
        tick = tables.advance()
        for start in range(0, len(text), MOST_TEXT):
            part = text[start : start + MOST_TEXT]
            tables.outputs.add(tick=tick, stream=stream, text=part, category=category, line=line, file=file)
