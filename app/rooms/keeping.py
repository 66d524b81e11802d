"""Saving and restoring rooms."""

import asyncio
from collections.abc import Collection

import msgspec
import structlog

from app.questions.asked import Answer
from app.rooms.room import Room
from app.rooms.room_record import KeptState
from app.rooms.variants import packed, unpacked
from app.store.room_rows import KeptPress, RoomRows


class Keeping:
    """Saves rooms to the store, and restores rooms from the store."""

    def __init__(self, rows: RoomRows, most_members: int) -> None:
        self._rows = rows
        self._most_members = most_members

    async def save(self, rooms: Collection[Room], *, but_votes_of: int | None = None) -> list[Room]:
        """Save the rooms, and the presses of "I am lost" received since the last save.

        With `but_votes_of`, delete the votes of all other questions. Return the rooms that another process has taken over; the
        store writes nothing for these rooms. Raises StoreError. After an error or a cancellation the rooms are still unsaved.
        """
        if not rooms:
            return []
        presses = {room.row.id: room.lost.take_unsaved() for room in rooms}
        for room in rooms:
            room.row = msgspec.structs.replace(room.row, state=_ENCODER.encode(room.kept()).decode())
            room.is_unsaved = False
        pressed = [KeptPress(room=room_id, at=at, member=name) for room_id, row in presses.items() for at, name in row]
        try:
            taken = await self._rows.save([room.row for room in rooms], pressed, but_votes_of=but_votes_of)
        except BaseException:
            for room in rooms:
                room.is_unsaved = True
                room.lost.not_saved(presses[room.row.id])
            raise
        return [room for room in rooms if room.row.id in taken]

    async def save_variants(self, room: Room) -> None:
        """Store the variants of a room. If they exceed the size limit, delete the stored ones instead. Raises StoreError."""
        room.are_variants_unsaved = False
        try:
            kept = None if room.variants is None else room.variants.kept()
            await self._rows.keep_variants(room.row, None if kept is None else await asyncio.to_thread(packed, kept))
        except BaseException:
            room.are_variants_unsaved = True
            raise

    async def take(self, code: str) -> Room | None:
        """Take the room with this code from the store, with its votes, presses and variants; None if no such room exists.

        If the stored room is no longer readable, it is ended. Raises StoreError.
        """
        row = await self._rows.take(code)
        if row is None:
            return None
        try:
            room = Room(row, _STATE.decode(row.state), self._most_members)
        except msgspec.DecodeError as error:
            structlog.get_logger().warning("room is unreadable", error=str(error))
            await self._rows.end(row)
            return None
        if room.poll is not None:
            for vote in await self._rows.votes([(row.id, room.poll.kept.id)]):
                room.poll.count(vote.member, _ANSWER.decode(vote.answer))
        for press in await self._rows.presses([row.id]):
            room.lost.press(press.at, press.member, is_saved=True)
        parcel = await self._rows.variants(row.id)
        try:
            room.variants = None if parcel is None else unpacked(parcel)
        except ValueError:  # the state is from another version
            structlog.get_logger().warning("variants are unreadable")
        return room


_ENCODER = msgspec.json.Encoder()
_STATE = msgspec.json.Decoder(KeptState)
_ANSWER = msgspec.json.Decoder(Answer)
