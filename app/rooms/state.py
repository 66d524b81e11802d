"""The published state of a room: keys, each with the number of its last change."""

from typing import Any, Final, Literal

import msgspec

Audience = Literal["all", "teacher"]
"""Who receives a state: "all" means members and projector. The teacher gets the same keys, some with other values, and
additional keys."""

MOST_CACHED: Final = 16
"""Maximum number of encoded states in the cache until the next change. Nearly all followers request the same state."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A change of the published state: the new values of the changed keys."""

    n: int
    all: dict[str, msgspec.Raw] = {}
    teacher: dict[str, msgspec.Raw] = {}
    """Keys that only the teacher gets, and keys that have another value for the teacher."""


class State:
    """The published state of a room."""

    def __init__(self, n: int = 0) -> None:
        self.n = n
        self._values: dict[Audience, dict[str, tuple[int, msgspec.Raw]]] = {"all": {}, "teacher": {}}
        self._latest: dict[Audience, int] = {"all": 0, "teacher": 0}
        self._cached: dict[tuple[Audience, int], bytes] = {}

    def apply(self, change: Change) -> None:
        """Apply a change."""
        self.n = max(self.n, change.n)
        self._cached.clear()
        self._take("all", change.n, change.all)
        self._take("teacher", change.n, change.teacher)

    def has_news(self, audience: Audience, after: int) -> bool:
        """Whether a key changed for this audience after the change `after`, or `after` is in the future."""
        seen = self._latest["all"] if audience == "all" else max(self._latest.values())
        return seen > after or after > self.n

    def since(self, audience: Audience, after: int) -> bytes:
        """`n` and the keys that changed after the change `after`, as JSON in one line; all keys for 0 and for a future number."""
        after = after if after <= self.n else 0
        encoded = self._cached.get((audience, after))
        if encoded is None:
            encoded = self._encoded(audience, after)
            if len(self._cached) < MOST_CACHED:
                self._cached[audience, after] = encoded
        return encoded

    def _take(self, audience: Audience, n: int, values: dict[str, msgspec.Raw]) -> None:
        for key, value in values.items():
            self._values[audience][key] = (n, value)
            self._latest[audience] = n

    def _encoded(self, audience: Audience, after: int) -> bytes:
        seen = self._values["all"] if audience == "all" else self._values["all"] | self._values["teacher"]
        changed: dict[str, Any] = {key: value for key, (n, value) in seen.items() if n > after}
        return msgspec.json.encode({"n": self.n, **changed})
