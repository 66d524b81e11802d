"""Presses of "I am lost": anonymous, and counted once per member and step."""

from typing import Final

MOST_STEPS: Final = 300
"""Maximum number of steps with presses. A further step replaces the step with the fewest presses."""


MOST_PRESSES: Final = 20_000
"""Maximum number of presses in a room: 50 per member of a class of 400. The limit is fixed, so a visitor who joins repeatedly
under new names does not raise it."""


class Lost:
    """The members that pressed "I am lost", by step."""

    def __init__(self, most_members: int) -> None:
        self._most_members = most_members
        self._count = 0
        self._pressed: dict[str, set[str]] = {}
        self._unsaved: list[tuple[str, str]] = []

    def press(self, at: str, member: str, *, is_saved: bool = False) -> bool:
        """Record a press; return whether the press is new and counts."""
        if self._count >= MOST_PRESSES or len(self._pressed.get(at, ())) >= self._most_members:
            return False
        if at not in self._pressed and len(self._pressed) >= MOST_STEPS:
            del self._pressed[min(self._pressed, key=lambda each: len(self._pressed[each]))]
        members = self._pressed.setdefault(at, set())
        if member in members:
            return False
        members.add(member)
        self._count += 1
        if not is_saved:
            self._unsaved.append((at, member))
        return True

    def not_saved(self, presses: list[tuple[str, str]]) -> None:
        """Mark presses as unsaved again after a failed write."""
        self._unsaved = presses + self._unsaved

    def take_unsaved(self) -> list[tuple[str, str]]:
        """Return the presses since the last call."""
        taken, self._unsaved = self._unsaved, []
        return taken

    def counts(self) -> list[tuple[str, int]]:
        """The number of presses by step, in the order of the first press."""
        return [(at, len(members)) for at, members in self._pressed.items()]
