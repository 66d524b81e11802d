"""The error messages for refused runs, shared by all classes that admit runs.

Each error has the number of seconds until a retry.
"""

import math
from dataclasses import dataclass


class Refused(Exception):
    """An admission refused a run. The text is one sentence for the visitor.

    `reason` is a code for programs; `retry_after` is the number of seconds after which a slot is likely to be free.
    """

    def __init__(self, reason: str, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after


@dataclass(frozen=True, kw_only=True)
class Refusing:
    """Makes the refusals of an admission, with the time to a retry from the state of the queue."""

    waiting: int
    slots: int
    usual_seconds: float
    """Moving average of the time for which a slot is held."""

    def visitor(self) -> Refused:
        """The visitor has the maximum number of runs."""
        return self._refused("visitor", "You already have an active run and a queued run.")

    def address(self, number: int) -> Refused:
        """The address has the maximum number of runs."""
        return self._refused("address", f"Your network address already has {number} active and queued runs.")

    def full(self) -> Refused:
        """The queue is full."""
        return self._refused("queue", f"The queue is full: {self.waiting} runs are waiting.")

    def displaced(self) -> Refused:
        """A run of another address displaced this run from the queue."""
        return self._refused("queue", "The queue is full, and most of its runs are from your network address.")

    def waited(self, queue_seconds: float) -> Refused:
        """The run exceeded the maximum time in the queue."""
        return self._refused("wait", f"No slot became free within {queue_seconds:g} seconds.")

    def nothing_to_spare(self) -> Refused:
        """The queue of background runs is full."""
        return self._refused("spare", "No slot is free for a background run.")

    def nothing_was_to_spare(self) -> Refused:
        """The background run exceeded the maximum time in the queue."""
        return self._refused("spare", "No slot became free for a background run.")

    def _refused(self, reason: str, message: str) -> Refused:
        seconds = (self.waiting + 1) / max(1, self.slots) * self.usual_seconds
        return Refused(reason, message, min(60, math.ceil(seconds) + 1))
