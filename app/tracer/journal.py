"""The journal of operators: every ATen operator that reaches a backend, also inside backward and optimizers."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from app.trace.records import Span
from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer
from app.tracer.source import Source


class Journal:
    """Stands between the dispatcher and the backends, and tells the observer of each operator before and after it runs."""

    def __init__(self, observer: Observer, source: Source, guard: Guard, rearm: Callable[[], None]) -> None:
        self.guard = guard
        self._observer = observer
        self._source = source
        self._rearm = rearm

    def operator(
        self,
        keyset: Any,
        func: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        run: adapter.OperatorHandler = adapter.run_operator,
        depth: int = 1,
    ) -> Any:
        """Run an operator, by `run`. The adapter's kernel is `depth` frames up; on a thread of torch's own nothing is beyond it."""
        frame = sys._getframe(depth).f_back
        self._before(func, args, kwargs, frame)
        output = run(keyset, func, args, kwargs)
        if self._observer.backwards_running == 0 or torch.is_grad_enabled():
            self._after(output)
        return output

    @guarded
    def _before(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None) -> None:
        self._rearm()
        written = adapter.written_arguments(func, args, kwargs)
        by_engine = frame is None or adapter.is_engine(frame)
        self._observer.begin_operator(adapter.operator(func).name, written, self._running_expression(frame), by_engine)

    @guarded
    def _after(self, output: Any) -> None:
        self._observer.end_operator(output)

    def _running_expression(self, frame: FrameType | None) -> Span | None:
        filename = self._source.filename
        while frame is not None:
            if frame.f_code.co_filename == filename:
                return self._source.expression(frame.f_code, frame.f_lasti)
            frame = frame.f_back
        return None
