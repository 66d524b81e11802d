"""A question to the room: its votes, the hands that the teacher counted, and the view of each role."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from app.questions.answers import is_legal
from app.questions.asked import Answer
from app.questions.posed import Posed
from app.rooms.errors import illegal_answer, unknown_question
from app.rooms.members import Members

Shown = Literal["live", "hidden"]

MOST_TALLIED: Final = 40
"""Maximum number of different answers in a tally, and of answers with counted hands."""

MOST_HANDS: Final = 1000
"""Maximum number of hands for one answer."""

MOST_LEGAL_BYTES: Final = 16 << 10
"""Maximum size of the legal answers of a question, which are sent to every phone."""


class KeptPoll(msgspec.Struct, frozen=True, kw_only=True):
    """A stored poll without its votes."""

    id: int
    at: str
    posed: Posed
    shown: Shown
    is_open: bool = True
    is_revealed: bool = False
    hands: tuple[tuple[Answer, int], ...] = ()


class Poll:
    """One question to the room with its votes, until the teacher deletes or replaces it. `kept` and the votes are stored
    separately."""

    def __init__(self, kept: KeptPoll) -> None:
        self.kept = kept
        self._places: dict[str, None] = {}
        """Voting members, earliest first. Some votes may not be stored yet."""
        self._votes: dict[str, Answer] = {}
        self._counted: Counter[Answer] = Counter()

    def check(self, answer: Answer) -> None:
        """Raise RoomRefused if the answer is not legal."""
        posed = self.kept.posed
        if not is_legal(posed.asked.legal, answer) or (answer.kind == "name" and answer.name not in posed.names):
            raise illegal_answer()

    def take_place(self, member: str, present: Members) -> str | None:
        """Reserve a voting place for a member of the room.

        If all places are taken, return the member to forget: the earliest voter that has left the room. Such a voter exists,
        because `member` has a place in the room and has not voted.
        """
        gone = None
        if member not in self._places and len(self._places) >= present.most:
            gone = next(each for each in self._places if each not in present)
            del self._places[gone]
        self._places[member] = None
        return gone

    def count(self, member: str, answer: Answer) -> None:
        """Count a member's answer in place of the member's earlier answer."""
        self.forget(member)
        self._places[member] = None
        self._votes[member] = answer
        self._counted[answer] += 1

    def forget(self, member: str) -> None:
        """Remove a member's answer and voting place."""
        self._places.pop(member, None)
        earlier = self._votes.pop(member, None)
        if earlier is not None:
            self._counted[earlier] -= 1
            if not self._counted[earlier]:
                del self._counted[earlier]

    def change(
        self, *, shown: Shown | None, is_closed: bool, is_revealed: bool, hands: Sequence[tuple[Answer, int]] | None
    ) -> None:
        """Apply the teacher's changes to the poll. A reveal closes the poll permanently. Raises RoomRefused."""
        for answer, _ in hands or ():
            self.check(answer)
        kept = self.kept
        self.kept = msgspec.structs.replace(
            kept,
            shown=shown or kept.shown,
            is_open=kept.is_open and not is_closed and not is_revealed,
            is_revealed=kept.is_revealed or is_revealed,
            hands=kept.hands if hands is None else tuple((answer, count) for answer, count in hands if count),
        )

    def poll_for(self, *, is_teacher: bool) -> dict[str, Any]:
        """The value of the key `poll` in the state of the room, for one role."""
        kept, asked = self.kept, self.kept.posed.asked
        return {
            "id": kept.id,
            "at": kept.at,
            "question": asked.question,
            "legal": asked.legal,
            "names": kept.posed.names if asked.legal.form == "name" else None,
            "shown": kept.shown,
            "open": kept.is_open,
            "right": asked.right if is_teacher or kept.is_revealed else None,
        }

    def votes_for(self, *, is_teacher: bool) -> dict[str, Any]:
        """The value of the key `votes` in the state of the room, for one role."""
        votes: dict[str, Any] = {"poll": self.kept.id, "count": len(self._votes), "tally": None, "others": None}
        if is_teacher or self.kept.shown == "live" or self.kept.is_revealed:
            counted = self._counted.copy()
            for answer, count in self.kept.hands:
                counted[answer] += count
            tally = counted.most_common(MOST_TALLIED)
            votes |= {"tally": tally, "others": counted.total() - sum(count for _, count in tally)}
        return votes | ({"hands": self.kept.hands} if is_teacher else {})


def checked(posed: Posed | None) -> Posed:
    """Return the question of a poll. Raises RoomRefused if a room cannot show it."""
    if posed is None:
        raise unknown_question()
    if len(msgspec.json.encode([posed.asked.legal, posed.asked.right, posed.names])) > MOST_LEGAL_BYTES:
        raise unknown_question("This question has too many possible answers for a room.")
    return posed
