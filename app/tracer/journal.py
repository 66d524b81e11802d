"""Observes every ATen operator that reaches a backend, including those inside backward and optimizers."""

import sys
from collections.abc import Callable
from sys import gettrace
from types import FrameType
from typing import Any

import torch

from app.trace.records import Span
from app.tracer import adapter
from app.tracer.adapter import ENGINE, MODULE_CALL, operators
from app.tracer.guard import Guard, at_ease, guarded
from app.tracer.observer import Observer
from app.tracer.statements.sources import Sources

_ON_THE_WAY = 6 if sys.version_info < (3, 12) else 5
"""The recorder's levels of the stack between the dispatcher and an operator in Python. PYTHON 3.12: C calls do not count."""


class Journal:
    """Reports each operator to the observer, before and after the operator runs."""

    def __init__(self, observer: Observer, sources: Sources, guard: Guard, rearm: Callable[[], None]) -> None:
        self.guard = guard
        self._observer = observer
        self._sources = sources
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
        """Run an operator with `run` and report it.

        The frame of the adapter's kernel is `depth` frames above this call. On a thread of torch, the kernel's frame is the
        outermost.
        """
        frame = sys._getframe(depth).f_back
        # The adapter has switched tracing off. An ATen operator runs no Python code, so tracing stays off; for other operators,
        # it is resumed.
        guard, is_traced = self.guard, gettrace() is not None
        traced, guard.traced = guard.traced, guard.traced or is_traced
        try:
            known = operators.get(id(func)) or adapter.operator(func)
            # One guard for the whole operator, because a guard takes longer than the calls in it (measured).
            eased = at_ease(guard)
            if not eased:
                self._before(known, args, kwargs, frame, is_traced)
            else:
                try:
                    self._begin(known, args, kwargs, frame, is_traced)
                except Exception as failure:
                    guard.stop(failure)
            if known.is_aten or not is_traced:
                output = run(keyset, func, args, kwargs)
            else:
                output = self._run_traced(run, keyset, func, args, kwargs)
            if self._observer.backwards_running == 0 or torch.is_grad_enabled():
                if eased and not guard.stopped:
                    try:
                        self._observer.end_operator(output)
                    except Exception as failure:
                        guard.stop(failure)
                else:
                    self._after(output)
            return output
        finally:
            guard.traced = traced

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
    def _before(self, *operator: Any) -> None:
        self._begin(*operator)

    @guarded
    def _after(self, output: Any) -> None:
        self._observer.end_operator(output)

    def _begin(
        self, known: adapter.Operator, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType | None, is_traced: bool
    ) -> None:
        """Report an operator that is about to run.

        The innermost frame of the snippet may belong to a part of an expression, such as a lambda. Calls of modules are collected
        up to the innermost frame with statements.
        """
        if not is_traced:
            self._rearm()
        observer, known_files, running = self._observer, self._sources.known, frame
        # If `frame` is torch's call of the engine, the engine runs this operator, not Python code.
        by_engine = frame is None or frame.f_code is ENGINE
        innermost = observer.modules.innermost
        span: Span | None = None
        found = False
        calls: list[FrameType] = []
        while frame is not None:
            code = frame.f_code
            if code is MODULE_CALL:
                calls.append(frame)
            elif (source := known_files.get(code.co_filename)) is not None:
                if not found:
                    found, span = True, source.expression(code, frame.f_lasti)
                if id(frame) == innermost:
                    break
            frame = frame.f_back
        written = adapter.written_arguments(known.func, args, kwargs) if known.may_write else []
        place = self._sources.place(running) if written else None
        observer.begin_operator(known, written, span, by_engine, place)
        observer.modules.work(calls, frame)
