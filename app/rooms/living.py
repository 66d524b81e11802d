"""The rooms that live in this web: they come when they are asked for, are saved, and go where they are needed next."""

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime
from typing import Final

import structlog

from app.rooms import errors
from app.rooms.codes import normal
from app.rooms.errors import RoomRefused
from app.rooms.keeping import Keeping
from app.rooms.leases import Leases, There
from app.rooms.room import Room
from app.rooms.variants import Variants
from app.rooms.votes import VoteWriter
from app.store.errors import StoreError
from app.store.rooms import KeptVote, RoomRows

HAND_OVER_SECONDS: Final = 3.0
"""So long a web that stops waits for its rooms to be written before others may have them."""

LOOK_SECONDS: Final = 60.0
"""How often it is looked whether old rooms are kept that live nowhere."""


class Living:
    """Rooms by their codes. `gone` is called for each that lives here no more."""

    def __init__(self, rows: RoomRows, leases: Leases, most_members: int, gone: Callable[[Room], None]) -> None:
        self._rows = rows
        self._kept = Keeping(rows, most_members)
        self._leases = leases
        self._gone = gone
        self._taking: dict[str, asyncio.Task[There | None]] = {}
        """What is on its way here, by code: those who ask for it meanwhile wait together."""
        self._closing: set[asyncio.Task[None]] = set()
        self._looked_at = 0.0
        self._is_leaving = False
        self.rooms: dict[str, Room] = {}
        self.votes = VoteWriter(rows)
        leases.serve(self)

    # --- to come -------------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Where there is no other web, take all rooms over. Raises StoreError."""
        if self._leases.are_all_here:
            for room in await self._kept.take():
                await self.move_in(room)

    async def reach(self, typed: str) -> There | None:
        """Have the room with this code here, if no other web has it: that one, then. There may be none. Raises RoomRefused and
        StoreError."""
        code = normal(typed)
        if code is None or code in self.rooms:
            return None
        if self._is_leaving:
            raise errors.moved()
        if code not in self._taking:
            self._taking[code] = asyncio.create_task(self._fetch(code))
            self._taking[code].add_done_callback(lambda done: self._fetched(code, done))
        return await asyncio.shield(self._taking[code])

    async def is_open(self, code: str) -> bool:
        """Whether there is a room with this code, here or elsewhere. Raises StoreError."""
        return code in self.rooms or await self._rows.is_open(code)

    async def claim(self, code: str) -> bool:
        """Have the lease of a room that is about to be opened, unless there is one with this code. Raises RoomRefused."""
        return code not in self.rooms and await self._leases.claim(code, is_new=True) is None

    async def give_up(self, code: str) -> None:
        """Let others have a room that was to be opened, and is not."""
        await self._leases.give_up([code])

    async def _fetch(self, code: str) -> There | None:
        there = await self._leases.holder(code)
        if there is not None or not await self._rows.is_open(code):
            return there
        there = await self._leases.claim(code)
        if there is not None:
            return there
        try:
            taken = await self._kept.take(code)
            for room in taken:
                await self._unpack(room)
        except BaseException:
            await self._leases.give_up([code])
            raise
        for room in taken:
            await self.move_in(room)
        if not taken:
            await self._leases.give_up([code])
            return None
        return None if code in self.rooms else There(web="", address=None)

    def _fetched(self, code: str, done: asyncio.Task[There | None]) -> None:
        del self._taking[code]
        if not done.cancelled():
            done.exception()  # whoever waited for it may be gone

    async def move_in(self, room: Room) -> None:
        """A room lives here from now on, unless it took too long to get here: then whoever asks looks again."""
        if self._leases.is_held(room.row.code):
            room.open()
            self.rooms[room.row.code] = room
        else:
            await self._leases.give_up([room.row.code])

    # --- to change -----------------------------------------------------------------------------------------------------

    def check_lives(self, room: Room) -> None:
        """Raise RoomRefused unless this room lives here and will for a while: it may have gone while a request was under way."""
        if room.is_ended:
            raise errors.unknown_room()
        if self._is_leaving or self.rooms.get(room.row.code) is not room:
            raise errors.moved()

    def check(self, room: Room) -> None:
        """Raise RoomRefused unless this room may be changed here now."""
        self.check_lives(room)
        if not self._leases.is_held(room.row.code):
            raise errors.read_only()

    async def save(self, room: Room, *, but_votes_of: int | None = None) -> None:
        """Write a room now. Raises StoreError, and RoomRefused where another process has it."""
        moved = await self._kept.save([room], but_votes_of=but_votes_of)
        if moved:
            self._drop(moved)
            raise errors.moved()

    async def save_unsaved(self) -> None:
        """Write every room that has something new, also where it is not certain any more that it is ours: the store knows."""
        try:
            self._drop(await self._kept.save([room for room in self.rooms.values() if room.is_unsaved]))
        except StoreError as error:  # the next time
            structlog.get_logger().warning("rooms not saved", error=error.for_operators())

    async def vote(self, room: Room, vote: KeptVote, gone: str | None, count: Callable[[], None]) -> None:
        """Keep a vote, as the writer does. Raises StoreError, and RoomRefused where another process has the room."""
        try:
            await self.votes.write(vote, room.row.fence, gone, count)
        except RoomRefused:
            self._drop([room])
            raise

    async def end(self, room: Room) -> None:
        """Delete what is kept of a room. Raises StoreError, and RoomRefused where another process has it."""
        if await self._rows.end(room.row):
            self._drop([room])
            raise errors.moved()
        self._leave(room)
        await self._leases.give_up([room.row.code])

    # --- to go ---------------------------------------------------------------------------------------------------------

    def lost(self, codes: Collection[str]) -> None:
        """Other webs have these: whoever follows them here comes back by another way."""
        self._drop([self.rooms[code] for code in codes if code in self.rooms])

    async def still_ours(self, codes: Collection[str]) -> Collection[str]:
        """Those that nobody took over while the lease had run out; the others are dropped. Raises StoreError."""
        here = [self.rooms[code] for code in codes if code in self.rooms]
        taken = await self._rows.not_ours([room.row for room in here])
        self._drop([room for room in here if room.row.id in taken])
        return [room.row.code for room in here if room.row.id not in taken]

    async def hand_over(self) -> None:
        """This web stops: write what is new, let others have the rooms, and send everybody there."""
        self._is_leaving = not self._leases.are_all_here
        with suppress(TimeoutError):
            async with asyncio.timeout(HAND_OVER_SECONDS):
                await self.votes.flush()
                await self.save_unsaved()
                for room in tuple(self.rooms.values()):
                    await self._pack(room)
        await self._leases.give_up(list(self.rooms))
        for room in self.rooms.values():
            room.end_streams()

    async def close(self) -> None:
        """Write what is new, and tell nothing more."""
        await self.votes.flush()
        await self.save_unsaved()
        await self._leases.give_up(list(self.rooms))
        for room in self.rooms.values():
            await room.close()
        if self._closing:
            await asyncio.wait(self._closing)

    async def fetch_old(self, before: datetime) -> None:
        """Have those here that were opened so long ago and live nowhere, from time to time. Raises StoreError."""
        if time.monotonic() - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = time.monotonic()
        for code in await self._rows.opened_before(before):
            with suppress(RoomRefused):
                await self.reach(code)

    def _drop(self, rooms: Collection[Room]) -> None:
        for room in rooms:
            self._leave(room)
            room.end_streams()
            closing = asyncio.create_task(self._close(room))
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def _pack(self, room: Room) -> None:
        """Leave what the store does not have."""
        parcel = None if room.variants is None else room.variants.packed()
        if parcel is not None:
            await self._leases.leave(room.row.code, parcel)

    async def _unpack(self, room: Room) -> None:
        parcel = await self._leases.left(room.row.code)
        try:
            room.variants = None if parcel is None else Variants.unpacked(parcel)
        except ValueError:  # of another version
            structlog.get_logger().warning("variants no longer read")

    async def _close(self, room: Room) -> None:
        await room.close()
        code = room.row.code
        if code not in self.rooms and code not in self._taking:
            await self._leases.give_up([code])

    def _leave(self, room: Room) -> None:
        if self.rooms.get(room.row.code) is room:
            del self.rooms[room.row.code]
            self._gone(room)
