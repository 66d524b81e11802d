"""Keeps the recorder's own failures out of the snippet: a watch that cannot go on ends the recording, it never raises."""

import functools
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

HEADROOM = 200
"""Python frames the recorder may use on top of a snippet that has used up its own."""


class Guard:
    """What every watch reports to: whatever ends one, a limit that was reached or a defect of ours, ends the recording."""

    def __init__(self, stop: Callable[[BaseException], None]) -> None:
        self._stop = stop
        self.stopped = False
        """Recording is over, though the watches may still be in place: they do nothing more."""
        self.deep = False
        """The snippet recurses: the recorder must not be the one to run out of stack."""
        self._raised_from: int | None = None

    def stop(self, failure: BaseException) -> None:
        """End the recording, once."""
        if not self.stopped:
            self.stopped = True
            self._stop(failure)

    def raise_limit(self) -> int:
        """A higher recursion limit for the recorder's own frames; returns the snippet's, for `lower_limit`."""
        limit = sys.getrecursionlimit()
        if self._raised_from is not None and limit == self._raised_from + HEADROOM:
            limit = self._raised_from
        self._raised_from = limit
        sys.setrecursionlimit(limit + HEADROOM)
        return limit

    def lower_limit(self, limit: int) -> None:
        # Python refuses while the stack is still higher than the limit: then the next, less deep event lowers it.
        with suppress(RecursionError):
            sys.setrecursionlimit(limit)
            self._raised_from = None


class Guarded(Protocol):
    guard: Guard


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """For a method that torch or Python calls back in the middle of the snippet."""

    @functools.wraps(method)
    def call(self: Guarded, *args: Any) -> Any:
        guard = self.guard
        if guard.stopped:
            return None
        # A RecursionError from here is the snippet's: it has used its stack up to where not even this fits.
        limit = guard.raise_limit() if guard.deep else None
        try:
            return method(self, *args)
        except Exception as failure:  # the edge of the recorder: whatever it is must not reach the snippet
            guard.stop(failure)
            return None
        finally:
            if limit is not None:
                guard.lower_limit(limit)

    return call
