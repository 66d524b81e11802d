"""Keeps exceptions of the recorder out of the snippet: an exception in a callback ends the recording."""

import functools
from collections.abc import Callable
from sys import gettrace
from typing import Any, Protocol

from app.tracer import adapter

HEADROOM = 200
"""Levels of the stack that the recorder may use after the snippet has used up its own levels."""


class Guard:
    """Ends the recording when a limit is reached or the recorder fails."""

    def __init__(self, stop: Callable[[BaseException], None]) -> None:
        self._stop = stop
        self.stopped = False
        """The recording has ended. Watches that are still installed do nothing."""
        self.traced = False
        """Tracing was on when Python called the recorder. It is off while the recorder runs."""

    def stop(self, failure: BaseException) -> None:
        """End the recording, if it has not ended."""
        if not self.stopped:
            self.stopped = True
            self._stop(failure)


def at_ease(guard: Guard) -> bool:
    """Whether a callback needs `guarded` only to catch its exceptions. The caller must have switched tracing off."""
    return not guard.stopped and adapter.stack.levels.value >= HEADROOM and adapter.jit_tracing() is None


class Guarded(Protocol):
    guard: Guard


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a method that torch or Python calls while the snippet runs."""

    @functools.wraps(method)
    @adapter.not_compiled
    def call(self: Guarded, *args: Any) -> Any:
        guard = self.guard
        if guard.stopped:
            return None
        # A RecursionError here belongs to the snippet, whose stack has no level left for this frame.
        stack = adapter.stack
        levels = stack.levels
        headroom = HEADROOM if levels.value < HEADROOM else 0
        if headroom:
            levels.value += headroom
        # Otherwise Python would call the recorder's trace function for the recorder's own functions, which is half the cost of
        # an operator (measured).
        trace = gettrace()
        if trace is not None:
            stack.pause_tracing()
        traced, guard.traced = guard.traced, guard.traced or trace is not None
        # Under `torch.jit.trace`, every `shape` that the recorder reads would become part of the traced program.
        traced_by_jit = adapter.jit_tracing()
        if traced_by_jit is not None:
            adapter.set_jit_tracing(None)
        try:
            return method(self, *args)
        except Exception as failure:  # no exception of the recorder may reach the snippet
            guard.stop(failure)
            return None
        finally:
            if traced_by_jit is not None:
                adapter.set_jit_tracing(traced_by_jit)
            guard.traced = traced
            if trace is not None:
                stack.resume_tracing()
            if headroom:
                levels.value -= headroom

    return call
