"""Error messages for refused runs, shared by all admissions, with the time to retry."""

import math
from dataclasses import dataclass


class Refused(Exception):
    """There was no place for this run. The text is one sentence for the visitor.

    `reason` is a word for machines; `retry_after` the number of seconds after which a place is likely.
    """

    def __init__(self, reason: str, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after


@dataclass(frozen=True, kw_only=True)
class Refusing:
    """What a refusal follows from: how things stand."""

    waiting: int
    places: int
    usual_seconds: float
    """How long a place is held: a moving average."""

    def visitor(self) -> Refused:
        """One visitor has as many on their way as one may have."""
        return self._refused("visitor", "You have two runs on their way already, one after the other.")

    def address(self, number: int) -> Refused:
        """One address has so many, and may have no more."""
        return self._refused("address", f"{number} runs from your network address are on their way already.")

    def full(self) -> Refused:
        """No more may wait."""
        return self._refused("queue", f"The queue is full: {self.waiting} runs are waiting already.")

    def displaced(self) -> Refused:
        """It waited, and gave way to another address."""
        return self._refused("queue", "The queue is full, and most of those in it come from your network address.")

    def waited(self, queue_seconds: float) -> Refused:
        """It waited for as long as one may."""
        return self._refused("wait", f"No place came free within {queue_seconds:g} seconds.")

    def nothing_to_spare(self) -> Refused:
        """Too many wait for a place that no visitor waits for."""
        return self._refused("spare", "There is no place to spare.")

    def nothing_was_to_spare(self) -> Refused:
        """It waited for such a place for as long as one may."""
        return self._refused("spare", "There was no place to spare.")

    def _refused(self, reason: str, message: str) -> Refused:
        seconds = (self.waiting + 1) / max(1, self.places) * self.usual_seconds
        return Refused(reason, message, min(60, math.ceil(seconds) + 1))
