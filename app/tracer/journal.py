"""The journal of operators: every ATen operator that reaches a backend, also inside backward and optimizers."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from app.tracer import adapter
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer
from app.tracer.source import Source

_ON_THE_WAY = 6 if sys.version_info < (3, 12) else 5
"""Levels of ours between the dispatcher and an operator that is run in Python. PYTHON 3.12: calls of C count no more."""


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
        # Tracing is off here as in whatever is guarded. An operator of torch's own runs no Python; others are traced on.
        guard, trace = self.guard, sys.gettrace()
        traced = guard.traced
        if trace is not None:
            adapter.stack.pause_tracing()
            guard.traced = True
        try:
            self._before(func, args, kwargs, frame)
            if trace is None or adapter.operator(func).namespace == "aten":
                output = run(keyset, func, args, kwargs)
            else:
                output = self._run_traced(run, keyset, func, args, kwargs)
            if self._observer.backwards_running == 0 or torch.is_grad_enabled():
                self._after(output)
            return output
        finally:
            guard.traced = traced
            if trace is not None:
                adapter.stack.resume_tracing()

    def _run_traced(self, run: adapter.OperatorHandler, *call: Any) -> Any:
        traced, self.guard.traced = self.guard.traced, False
        levels = adapter.stack.levels
        levels.value += _ON_THE_WAY
        adapter.stack.resume_tracing()
        try:
            return run(*call)
        finally:
            adapter.stack.pause_tracing()
            levels.value -= _ON_THE_WAY
            self.guard.traced = traced

    @guarded
    def _before(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None) -> None:
        self._rearm()
        written = adapter.written_arguments(func, args, kwargs)
        by_engine = frame is None or adapter.is_engine(frame)
        expression, calls, caller = self._running(frame)
        span = None if expression is None else self._source.expression(expression.f_code, expression.f_lasti)
        self._observer.begin_operator(adapter.operator(func), written, span, by_engine)
        self._observer.modules.work(calls, caller)

    @guarded
    def _after(self, output: Any) -> None:
        self._observer.end_operator(output)

    def _running(self, frame: FrameType | None) -> tuple[FrameType | None, list[FrameType], FrameType | None]:
        """The snippet's frame that runs this operator, perhaps one that Python made for part of an expression; the calls of modules
        up to the innermost frame that has statements, innermost first; and that one."""
        filename, innermost = self._source.filename, self._observer.modules.innermost
        expression: FrameType | None = None
        calls: list[FrameType] = []
        while frame is not None:
            code = frame.f_code
            if code is adapter.MODULE_CALL:
                calls.append(frame)
            elif code.co_filename == filename:
                if expression is None:
                    expression = frame
                if id(frame) == innermost:
                    break
            frame = frame.f_back
        return expression, calls, frame
