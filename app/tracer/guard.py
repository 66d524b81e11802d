"""Keeps the recorder's own failures out of the snippet: a watch that cannot go on ends the recording, it never raises."""

import functools
from collections.abc import Callable
from typing import Any, Protocol

Guard = Callable[[BaseException], None]
"""Called with what stopped a watch: a limit that was reached, or a defect of the recorder."""


class Guarded(Protocol):
    guard: Guard


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """For a method that torch or Python calls back in the middle of the snippet."""

    @functools.wraps(method)
    def call(self: Guarded, *args: Any) -> Any:
        try:
            return method(self, *args)
        except Exception as failure:
            self.guard(failure)
            return None

    return call
