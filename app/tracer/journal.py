"""The journal of operators: every ATen operator that reaches a backend, also inside backward and optimizers."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from app.trace.records import Span
from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer
from app.tracer.source import Source


class Journal:
    """Tells the observer of each operator before and after it runs."""

    def __init__(self, observer: Observer, source: Source, guard: Guard, rearm: Callable[[], None]) -> None:
        self.guard = guard
        self._observer = observer
        self._source = source
        self._rearm = rearm

    @guarded
    def before(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._rearm()
        written = adapter.written_arguments(func, args, kwargs)
        frame: FrameType | None = sys._getframe(3)  # past this, `guarded` and the adapter's fallback
        by_engine = frame is None or adapter.is_engine(frame)
        self._observer.begin_operator(adapter.operator(func).name, written, self._running_expression(frame), by_engine)

    @guarded
    def after(self, output: Any) -> None:
        self._observer.end_operator(output)

    def _running_expression(self, frame: FrameType | None) -> Span | None:
        filename = self._source.filename
        while frame is not None:
            if frame.f_code.co_filename == filename:
                return self._source.expression(frame.f_code, frame.f_lasti)
            frame = frame.f_back
        return None
