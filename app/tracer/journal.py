"""The journal of operators: a dispatch mode that sees every ATen operator, also inside backward and optimizers."""

import sys
from collections.abc import Callable
from typing import Any

from app.trace.records import Span
from app.tracer import adapter
from app.tracer.observer import Observer
from app.tracer.source import Source


class Journal(adapter.TorchDispatchMode):
    """Tells the observer of each operator before and after it runs; computes exactly what would be computed without it."""

    def __init__(self, observer: Observer, source: Source, guard: Callable[[BaseException], None]) -> None:
        super().__init__()
        self._observer = observer
        self._source = source
        self._guard = guard

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self._observer.resting:
            return func(*args, **kwargs)
        try:
            written = adapter.written_arguments(func, args, kwargs)
            self._observer.begin_operator(func, written, self._running_expression())
            del written
        except Exception as failure:
            self._guard(failure)
        output = func(*args, **kwargs)
        try:
            self._observer.end_operator(output)
        except Exception as failure:
            self._guard(failure)
        return output

    def _running_expression(self) -> Span | None:
        frame = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self._source.filename:
                return self._source.expression(frame.f_code, frame.f_lasti)
            frame = frame.f_back  # type: ignore[assignment]
        return None


