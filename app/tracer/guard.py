"""Keeps failures of the recorder out of the snippet: a watch that fails ends the recording and never raises."""

import functools
from collections.abc import Callable
from sys import gettrace
from typing import Any, Protocol

from app.tracer import adapter

HEADROOM = 200
"""Levels of the stack that the recorder may use on top of a snippet that has used up its own."""


class Guard:
    """Receives the end of a watch: a limit that was reached, or a defect of the recorder, ends the recording."""

    def __init__(self, stop: Callable[[BaseException], None]) -> None:
        self._stop = stop
        self.stopped = False
        """Recording is over, though the watches may still be in place: they do nothing more."""
        self.traced = False
        """Python had tracing on when it called back; while we run it is off."""

    def stop(self, failure: BaseException) -> None:
        """End the recording, once."""
        if not self.stopped:
            self.stopped = True
            self._stop(failure)


def at_ease(guard: Guard) -> bool:
    """Whether `guarded` would find nothing to do but to catch what goes wrong, for a caller that has switched tracing off."""
    return not guard.stopped and adapter.stack.levels.value >= HEADROOM and adapter.jit_tracing() is None


class Guarded(Protocol):
    guard: Guard


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """For a method that torch or Python calls back in the middle of the snippet."""

    @functools.wraps(method)
    @adapter.not_compiled
    def call(self: Guarded, *args: Any) -> Any:
        guard = self.guard
        if guard.stopped:
            return None
        # A RecursionError from here is the snippet's: it has used its stack up to where not even this frame fits.
        stack = adapter.stack
        levels = stack.levels
        headroom = HEADROOM if levels.value < HEADROOM else 0
        if headroom:
            levels.value += headroom
        # Else every function of the recorder would be shown to its own trace function: half the cost of an operator (measured).
        trace = gettrace()
        if trace is not None:
            stack.pause_tracing()
        traced, guard.traced = guard.traced, guard.traced or trace is not None
        # Under `torch.jit.trace` every `shape` we read would become a part of the traced program.
        traced_by_jit = adapter.jit_tracing()
        if traced_by_jit is not None:
            adapter.set_jit_tracing(None)
        try:
            return method(self, *args)
        except Exception as failure:  # the boundary of the recorder: no exception may reach the snippet
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
