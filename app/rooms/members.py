"""Who belongs to a room: a bounded number, where whoever follows keeps their place."""

from typing import Final

AWAY_SECONDS: Final = 3.0
"""Who polls is away between two polls, and still counts as following."""

SENDING_SECONDS: Final = 60.0
"""And who sends something may have been away as long: their connection broke, and comes again."""


class _Member:
    """One member: how many streams and polls they have open, and since when they have none."""

    def __init__(self, now: float) -> None:
        self.open = 0
        self.away_since = now
        self.has_followed = False

    def follows(self, now: float, away: float) -> bool:
        """Whether they follow, or did a short while ago."""
        return self.open > 0 or (self.has_followed and now - self.away_since < away)


class Members:
    """The members of one room. When all places are taken, those give way who never followed, then who has been away longest."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._members: dict[str, _Member] = {}

    def admit(self, name: str, now: float) -> bool:
        """Give somebody a place, unless they have one; whether there is one."""
        if name in self._members:
            return True
        if len(self._members) >= self.most and not self._make_room():
            return False
        self._members[name] = _Member(now)
        return True

    def come(self, name: str) -> None:
        """An admitted member begins to follow, once more perhaps."""
        member = self._members[name]
        member.open += 1
        member.has_followed = True

    def go(self, name: str, now: float) -> None:
        """And ends one of it."""
        member = self._members[name]  # whoever follows does not give way
        member.open -= 1
        member.away_since = now

    def following(self, now: float) -> int:
        """How many follow now."""
        return sum(member.follows(now, AWAY_SECONDS) for member in self._members.values())

    def may_send(self, name: str, now: float) -> bool:
        """Whether somebody follows, or did until their connection broke: a token alone is not a person."""
        member = self._members.get(name)
        return member is not None and member.follows(now, SENDING_SECONDS)

    def __contains__(self, name: str) -> bool:
        """Whether somebody has a place."""
        return name in self._members

    def _make_room(self) -> bool:
        away = [(member.has_followed, member.away_since, name) for name, member in self._members.items() if not member.open]
        if not away:
            return False
        del self._members[min(away)[2]]
        return True
