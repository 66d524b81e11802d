"""The journal of operators: a dispatch mode that sees every ATen operator, also inside backward and optimizers."""

import sys
from collections.abc import Callable
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from app.trace.records import Span
from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer
from app.tracer.source import Source


class Journal(TorchDispatchMode):
    """Tells the observer of each operator before and after it runs; computes exactly what would be computed without it."""

    def __init__(self, observer: Observer, source: Source, guard: Guard, rearm: Callable[[], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.guard = guard
        self._observer = observer
        self._source = source
        self._rearm = rearm

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # TORCH 2.13: else the base class wraps `__torch_dispatch__` in two more frames, seen in tracebacks and paid for at every
        # operator (torch/utils/_python_dispatch.py, `__init_subclass__`).
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self._observer.resting:
            return adapter.run_operator(func, args, kwargs)
        self._before(func, args, kwargs)
        output = adapter.run_operator(func, args, kwargs)
        self._after(output)
        return output

    def pause(self) -> None:
        """See no operators until the next Python code runs on this thread: what comes is the engine's own bookkeeping."""
        push = adapter.pause_mode(self)
        if push is not None:
            self._push = push
            self._observer.wake = self._wake

    def _wake(self) -> None:
        self._observer.wake = None
        self._push()

    @guarded
    def _before(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._rearm()
        written = adapter.written_arguments(func, args, kwargs)
        self._observer.begin_operator(func, written, self._running_expression())

    @guarded
    def _after(self, output: Any) -> None:
        self._observer.end_operator(output)

    def _running_expression(self) -> Span | None:
        frame = sys._getframe(3)
        while frame is not None:
            if frame.f_code.co_filename == self._source.filename:
                return self._source.expression(frame.f_code, frame.f_lasti)
            frame = frame.f_back  # type: ignore[assignment]
        return None
