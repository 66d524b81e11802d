"""An LRU cache of responses."""

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """At most `most` responses, by key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[str, T] = OrderedDict()

    def get(self, key: str) -> T | None:
        """The response; it becomes the most recently used."""
        if key not in self._answers:
            return None
        self._answers.move_to_end(key)
        return self._answers[key]

    def keep(self, key: str, answer: T) -> None:
        """Add a response."""
        self._answers[key] = answer
        while len(self._answers) > self._most:
            self._answers.popitem(last=False)
