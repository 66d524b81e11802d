"""Rooms on their way to the store and back."""

from collections.abc import Collection

import msgspec
import structlog

from app.questions.asked import Answer
from app.rooms.kept import KeptState
from app.rooms.room import Room
from app.store.rooms import KeptPress, RoomRows


class Keeping:
    """Writes rooms, and makes them again from what was written."""

    def __init__(self, rows: RoomRows, most_members: int) -> None:
        self._rows = rows
        self._most_members = most_members

    async def save(self, rooms: Collection[Room], *, but_votes_of: int | None = None) -> list[Room]:
        """Write what these rooms show and ask, with the presses that are new, and forget the votes of other questions than this.

        Those that another process has taken over, of which nothing was written. Raises StoreError. Then, and when it is
        cancelled, they are still unsaved.
        """
        if not rooms:
            return []
        presses = {room.row.id: room.lost.take_unsaved() for room in rooms}
        for room in rooms:
            room.row = msgspec.structs.replace(room.row, state=_ENCODER.encode(room.kept()).decode())
            room.is_unsaved = False
        pressed = [KeptPress(room=room_id, at=at, member=name) for room_id, row in presses.items() for at, name in row]
        try:
            elsewhere = await self._rows.save([room.row for room in rooms], pressed, but_votes_of=but_votes_of)
        except BaseException:
            for room in rooms:
                room.is_unsaved = True
                room.lost.not_saved(presses[room.row.id])
            raise
        return [room for room in rooms if room.row.id in elsewhere]

    async def take(self, code: str | None = None) -> list[Room]:
        """Take over the room with this code, if there is one, or every room, each with its votes and presses.

        One that no longer reads is ended. Raises StoreError.
        """
        rooms: dict[str, Room] = {}
        for row in await self._rows.take(code):
            try:
                rooms[row.id] = Room(row, _STATE.decode(row.state), self._most_members)
            except msgspec.DecodeError as error:
                structlog.get_logger().warning("room no longer reads", error=str(error))
                await self._rows.end(row)
        polls = {room.row.id: room.poll for room in rooms.values() if room.poll is not None}
        for vote in await self._rows.votes([(room_id, poll.kept.id) for room_id, poll in polls.items()]):
            polls[vote.room].count(vote.member, _ANSWER.decode(vote.answer))
        for press in await self._rows.presses(list(rooms)):
            rooms[press.room].lost.press(press.at, press.member, is_saved=True)
        return list(rooms.values())


_ENCODER = msgspec.json.Encoder()
_STATE = msgspec.json.Decoder(KeptState)
_ANSWER = msgspec.json.Decoder(Answer)
