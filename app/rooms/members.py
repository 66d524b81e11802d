"""Limits the number of members of a room. A member with an open connection always keeps its place."""

from typing import Final

AWAY_SECONDS: Final = 3.0
"""How long a member counts as following after the last stream or poll ended."""

SENDING_SECONDS: Final = 60.0
"""How long a member may vote after the connection broke."""


class _Member:
    """One member: the number of open streams and polls, and the time at which the last stream or poll ended."""

    def __init__(self, now: float) -> None:
        self.open = 0
        self.away_since = now
        self.has_followed = False

    def follows(self, now: float, away: float) -> bool:
        """Whether the member follows the room now, or did so shortly before."""
        return self.open > 0 or (self.has_followed and now - self.away_since < away)


class Members:
    """The members of one room. A full room first drops members that never followed, then the members with the longest absence."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._members: dict[str, _Member] = {}

    def admit(self, name: str, now: float) -> bool:
        """Reserve a place for a member; return whether a place was free."""
        if name in self._members:
            return True
        if len(self._members) >= self.most and not self._make_room():
            return False
        self._members[name] = _Member(now)
        return True

    def come(self, name: str) -> None:
        """Count a stream or poll that a member opens."""
        member = self._members[name]
        member.open += 1
        member.has_followed = True

    def go(self, name: str, now: float) -> None:
        """Count the end of a member's stream or poll."""
        member = self._members[name]  # the name exists, because a member with an open connection is never dropped
        member.open -= 1
        member.away_since = now

    def following(self, now: float) -> int:
        """The number of followers."""
        return sum(member.follows(now, AWAY_SECONDS) for member in self._members.values())

    def may_send(self, name: str, now: float) -> bool:
        """Whether the member follows, or followed until the connection broke. A valid token alone does not give this right."""
        member = self._members.get(name)
        return member is not None and member.follows(now, SENDING_SECONDS)

    def __contains__(self, name: str) -> bool:
        """Whether the member has a place in the room."""
        return name in self._members

    def _make_room(self) -> bool:
        away = [(member.has_followed, member.away_since, name) for name, member in self._members.items() if not member.open]
        if not away:
            return False
        del self._members[min(away)[2]]
        return True
