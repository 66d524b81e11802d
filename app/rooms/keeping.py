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

    async def save(self, rooms: Collection[Room]) -> None:
        """Write what these rooms show and ask, with the presses that are new. Raises StoreError.

        Then, and when it is cancelled, they are still unsaved.
        """
        if not rooms:
            return
        presses = {room.row.id: room.lost.take_unsaved() for room in rooms}
        for room in rooms:
            room.row = msgspec.structs.replace(room.row, state=_ENCODER.encode(room.kept()).decode())
            room.is_unsaved = False
        pressed = [KeptPress(room=room_id, at=at, member=name) for room_id, row in presses.items() for at, name in row]
        try:
            await self._rows.save([room.row for room in rooms], pressed)
        except BaseException:
            for room in rooms:
                room.is_unsaved = True
                room.lost.not_saved(presses[room.row.id])
            raise

    async def load(self) -> list[Room]:
        """Every room that is kept, with its votes and presses; one that no longer reads is ended. Raises StoreError."""
        rooms: dict[str, Room] = {}
        for row in await self._rows.all():
            try:
                rooms[row.id] = Room(row, _STATE.decode(row.state), self._most_members)
            except msgspec.DecodeError as error:
                structlog.get_logger().warning("room no longer reads", error=str(error))
                await self._rows.end([row.id])
        polls = {room.row.id: room.poll for room in rooms.values() if room.poll is not None}
        for vote in await self._rows.votes([(room_id, poll.kept.id) for room_id, poll in polls.items()]):
            polls[vote.room].count(vote.member, _ANSWER.decode(vote.answer))
        for press in await self._rows.presses(list(rooms)):
            rooms[press.room].lost.press(press.at, press.member, is_saved=True)
        return list(rooms.values())


_ENCODER = msgspec.json.Encoder()
_STATE = msgspec.json.Decoder(KeptState)
_ANSWER = msgspec.json.Decoder(Answer)
