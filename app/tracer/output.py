"""Records what the snippet prints and warns of, at the tick it does so."""

import io
import sys
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

import msgspec

from app.trace.codec import clip
from app.trace.ends import OutputTooLarge
from app.trace.records import MOST_TEXT
from app.tracer.guard import Guard, guarded
from app.tracer.observer import LimitReached, Observer


class _Stream(io.RawIOBase):
    """The raw end under `sys.stdout` or `sys.stderr`: bytes become Output records."""

    def __init__(self, write: Callable[[str], None], name: str) -> None:
        super().__init__()
        self._write = write
        self.name = f"<{name}>"
        self.mode = "wb"

    def writable(self) -> bool:
        return True

    def write(self, written: Any) -> int:
        content = bytes(written)
        self._write(content.decode("utf-8", "replace"))
        return len(content)


class OutputWatch:
    """Stands in for stdout, stderr and the showing of warnings while a snippet runs; if asked to, it passes on what it takes."""

    def __init__(
        self, observer: Observer, guard: Guard, filename: str, rearm: Callable[[], None], *, passes_on: bool = False
    ) -> None:
        self._observer = observer
        self._passes_on = passes_on
        self._rearm = rearm
        self.guard = guard
        self._filename = filename
        self._size = 0
        self._waiting: deque[tuple[str, str, str | None, int | None]] = deque()
        self._before: tuple[Any, Any, Any] | None = None
        self._own: list[io.TextIOWrapper] = []

    def install(self) -> None:
        self._before = (sys.stdout, sys.stderr, warnings.showwarning)
        self._own = [self._text("stdout"), self._text("stderr")]
        sys.stdout, sys.stderr = self._own
        warnings.showwarning = self._warned

    def remove(self) -> None:
        if self._before is not None:
            for stream in self._own:
                with suppress(ValueError):  # the snippet closed it
                    stream.flush()
            self.take_waiting()
            sys.stdout, sys.stderr, warnings.showwarning = self._before
            self._before = None

    def _text(self, stream: Literal["stdout", "stderr"]) -> io.TextIOWrapper:
        before = getattr(sys, stream)

        def take(text: str) -> None:
            self._record(stream, text)
            if self._passes_on:
                before.write(text)

        raw = _Stream(take, stream)
        # Unbuffered, as under `python -u`: every write belongs to the step that made it.
        return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)

    def _warned(
        self,
        message: Any,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: Any = None,
    ) -> None:
        own = filename == self._filename
        self._record("warning", str(message), category.__name__, lineno if own else None)
        if self._passes_on and self._before is not None:
            self._before[2](message, category, filename, lineno, file, line)

    def _record(self, stream: str, text: str, category: str | None = None, line: int | None = None) -> None:
        if self._observer.threads.is_another():
            self._waiting.append((stream, text, category, line))  # the recorder works on one thread
        else:
            self.take_waiting()
            self._take(stream, text, category, line)

    def take_waiting(self) -> None:
        """Record what other threads have printed."""
        while self._waiting:
            self._take(*self._waiting.popleft())

    @guarded
    def _take(self, stream: str, text: str, category: str | None = None, line: int | None = None) -> None:
        self._rearm()
        limits, tables = self._observer.limits, self._observer.tables
        self._size += len(text.encode("utf-8", "surrogatepass"))
        if self._size > limits.output_bytes:
            raise LimitReached(OutputTooLarge(limit_bytes=limits.output_bytes))
        self._observer.settle()
        safe = text.encode("utf-8", "backslashreplace").decode("utf-8")
        last = tables.outputs.new[-1] if tables.outputs.new else None
        if (
            last is not None
            and last.stream == stream != "warning"
            and last.tick == tables.tick
            and len(last.text) + len(safe) < MOST_TEXT
        ):
            # `print` writes its text and its newline one after the other: one record.
            tables.outputs.new[-1] = msgspec.structs.replace(last, text=last.text + safe)
            return
        tick = tables.advance()
        tables.outputs.add(tick=tick, stream=stream, text=clip(safe, MOST_TEXT), category=category, line=line)
