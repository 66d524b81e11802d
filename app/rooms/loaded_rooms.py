"""Keeps the rooms of this web in memory. A web loads a room on request, saves changes, and drops a room when another web takes
the room."""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

import structlog

from app.rooms import errors
from app.rooms.codes import normal
from app.rooms.errors import RoomRefused
from app.rooms.keeping import Keeping
from app.rooms.room import Room
from app.rooms.votes import VoteWriter
from app.store.errors import StoreError
from app.store.room_rows import KeptVote, RoomRows

HAND_OVER_SECONDS: Final = 3.0
"""Timeout for saving rooms at a stop, before their streams end."""

SOON_SECONDS: Final = 1.0
"""Timeout of a step's write to the store. After this timeout the web acknowledges the step and writes it later."""


class LoadedRooms:
    """Rooms by code. `gone` is called for each dropped room."""

    def __init__(self, rows: RoomRows, most_members: int, gone: Callable[[Room], None]) -> None:
        self._rows = rows
        self._kept = Keeping(rows, most_members)
        self._gone = gone
        self._taking: dict[str, asyncio.Task[None]] = {}
        """Pending loads from the store, by code. Concurrent requests for a room share one load."""
        self._closing: set[asyncio.Task[None]] = set()
        self._is_leaving = False
        self._is_store_away = False
        self.rooms: dict[str, Room] = {}
        self.votes = VoteWriter(rows)

    # --- loading -------------------------------------------------------------------------------------------------------

    async def find(self, typed: str) -> Room | None:
        """The room with this code, loaded from the store if necessary. Raises RoomRefused and StoreError."""
        code = normal(typed)
        if code is None or code in self.rooms:
            return self.rooms.get(code or "")
        if self._is_leaving:
            raise errors.moved()
        if code not in self._taking:
            self._taking[code] = asyncio.create_task(self._take(code))
            self._taking[code].add_done_callback(lambda done: self._taken(code, done))
        await asyncio.shield(self._taking[code])
        return self.rooms.get(code)

    async def _take(self, code: str) -> None:
        if not await self._rows.is_open(code):  # checked first, because a wrong code must not cause a write
            return
        room = await self._kept.take(code)
        if room is not None:
            room.open()
            self.rooms[code] = room

    def _taken(self, code: str, done: asyncio.Task[None]) -> None:
        del self._taking[code]
        if not done.cancelled():
            done.exception()  # marks the exception as retrieved, because the request may be gone

    # --- saving --------------------------------------------------------------------------------------------------------

    def check(self, room: Room) -> None:
        """Raise RoomRefused unless this web still has the room. Another web may take the room during a request."""
        if room.is_ended:
            raise errors.unknown_room()
        if self._is_leaving or self.rooms.get(room.row.code) is not room:
            raise errors.moved()

    async def save(self, room: Room, *, but_votes_of: int | None = None) -> None:
        """Save a room now. Raises StoreError, and RoomRefused if another web has the room."""
        moved = await self._kept.save([room], but_votes_of=but_votes_of)
        if moved:
            self._drop(moved)
            raise errors.moved()

    async def save_soon(self, room: Room) -> None:
        """Save a room now, or later if the store does not respond in time. Raises RoomRefused if another web has the room."""
        with suppress(StoreError, TimeoutError):
            async with asyncio.timeout(SOON_SECONDS):
                await self.save(room)

    async def keep_up(self) -> None:
        """Save changes, and drop rooms that another web has taken or ended."""
        here = list(self.rooms.values())
        try:
            await self._kept.save([room for room in here if room.is_unsaved])
            for room in [room for room in here if room.are_variants_unsaved]:
                await self._kept.save_variants(room)
            lost = await self._rows.not_ours([room.row for room in here]) if here else ()
        except StoreError as error:  # retried in the next round
            if not self._is_store_away:
                structlog.get_logger().warning("rooms not saved", error=error.for_operators())
            self._is_store_away = True
        else:
            self._is_store_away = False
            self._drop([room for room in here if room.row.id in lost and self.rooms.get(room.row.code) is room])

    async def vote(self, room: Room, vote: KeptVote, gone: str | None, count: Callable[[], None]) -> None:
        """Store a vote. Raises StoreError, and RoomRefused if another web has the room."""
        try:
            await self.votes.write(vote, room.row.fence, gone, count)
        except RoomRefused:
            self._drop([room])
            raise

    async def end(self, room: Room) -> None:
        """Delete a room's data. Raises StoreError, and RoomRefused if another web has the room."""
        if await self._rows.end(room.row):
            self._drop([room])
            raise errors.moved()
        self._leave(room)

    # --- ending --------------------------------------------------------------------------------------------------------

    async def hand_over(self) -> None:
        """Prepare a stop: save changes, take no more rooms, and end all streams."""
        self._is_leaving = True
        with suppress(TimeoutError):
            async with asyncio.timeout(HAND_OVER_SECONDS):
                if self._taking:
                    await asyncio.wait(self._taking.values())
                await self.votes.flush()
                await self.keep_up()
        for room in self.rooms.values():
            room.end_streams()

    async def close(self) -> None:
        """Save changes and stop."""
        await self.votes.flush()
        await self.keep_up()
        for room in self.rooms.values():
            await room.close()
        if self._closing:
            await asyncio.wait(self._closing)

    def _drop(self, rooms: Collection[Room]) -> None:
        for room in rooms:
            self._leave(room)
            room.end_streams()
            closing = asyncio.create_task(room.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _leave(self, room: Room) -> None:
        if self.rooms.get(room.row.code) is room:
            del self.rooms[room.row.code]
            self._gone(room)
