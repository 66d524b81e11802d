"""In which web each room lives: a lease in Redis, which its holder renews, by the time of Redis.

The store has the last word: whoever took a room over last writes it (`app/store/rooms.py`). A lease says where to find a room, and
keeps a web from acknowledging what the store would not take.
"""

import asyncio
import time
from collections.abc import Collection
from typing import Any, Final, cast

import structlog
from redis.asyncio import Redis

from app.fleet import names
from app.fleet.connection import TROUBLE, sentence_of
from app.fleet.living import LIFE_MILLISECONDS, LIVES_FUNCTION
from app.rooms import errors
from app.rooms.leases import Tenant, There

PARCEL_MILLISECONDS: Final = 60_000
"""How long what one web leaves for the next one lives."""

YOUNG_SECONDS: Final = 4
"""So long after the start of a Redis, which remembers nothing, those who held rooms may not have said so yet. (It counts in whole
seconds, which may be one too many.)"""

CLAIM: Final = f"""{LIVES_FUNCTION}
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  lives(KEYS[1])
  return {{holder, redis.call('GET', '{names.HERE}' .. holder)}}
end
if ARGV[2] ~= '' then
  if ARGV[2] == 'kept' and not holder then
    local up = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')  -- below 0 where the clock went back
    if up and tonumber(up) < {YOUNG_SECONDS} then return 'young' end
  end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', {LIFE_MILLISECONDS})
end
return ''
"""
"""The other web that has a room, and its address; else nothing, and the lease is taken where the room is 'new' or 'kept'.

KEYS: room. ARGV: web; 'new', 'kept' or nothing."""

GIVE_UP: Final = """
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
end
return 0
"""
"""Take back the leases that are still this web's. KEYS: rooms. ARGV: web."""


class RoomLeases:
    """The leases of one web. `renewed` is told by whoever renews them (`webs.py`)."""

    are_all_here = False

    def __init__(self, redis: Redis, web: str) -> None:
        self._redis = redis
        self._web = web
        self._until: dict[str, float] = {}
        """By code: until when nobody else can have the room, by this machine's clock, counted from before Redis was asked."""
        self._unsure: set[str] = set()
        """Those whose lease had run out, so that another web may have had the room meanwhile, until the store says otherwise."""
        self._tenant: Tenant | None = None
        self.turn = asyncio.Lock()
        """Of whoever renews leases or gives some up: none is renewed that was given up."""
        self._asking: asyncio.Task[None] | None = None

    def serve(self, tenant: Tenant) -> None:
        """Tell `tenant` what happens to what it holds."""
        self._tenant = tenant

    async def holder(self, code: str) -> There | None:
        """The other web that has a room. Raises RoomRefused where Redis does not say."""
        return await self._ask(code, "")

    async def claim(self, code: str, *, is_new: bool = False) -> There | None:
        """Take the lease of a room, unless another web has it: that one, then. Raises RoomRefused where it cannot be had now.

        `is_new`: there was no room with this code until now.
        """
        asked_at = time.monotonic()  # before: Redis counts from some moment after it
        there = await self._ask(code, "new" if is_new else "kept")
        if there is None:
            self._until[code] = asked_at + LIFE_MILLISECONDS / 1000
        return there

    def is_held(self, code: str) -> bool:
        """Whether nobody else can have a room at this moment."""
        return code not in self._unsure and time.monotonic() < self._until.get(code, 0.0)

    async def give_up(self, codes: Collection[str]) -> None:
        """Others may have these rooms. This web changes them no more from this moment on."""
        self._forget(codes)
        if not codes:
            return
        try:
            async with self.turn:
                await cast("Any", self._redis.eval(GIVE_UP, len(codes), *map(names.room, codes), self._web))
        except TROUBLE:
            pass  # they run out there by themselves

    async def leave(self, code: str, parcel: bytes) -> None:
        """Something for the web that has this room next, if it comes in time."""
        try:
            await self._redis.set(names.parcel(code), parcel, px=PARCEL_MILLISECONDS)
        except TROUBLE as error:
            structlog.get_logger().warning("variants not handed over", error=sentence_of(error))

    async def left(self, code: str) -> bytes | None:
        """What the web before has left for this one, once."""
        try:
            return cast("bytes | None", await self._redis.getdel(names.parcel(code)))
        except TROUBLE:
            return None

    @property
    def held(self) -> list[str]:
        """The rooms whose leases are to be renewed."""
        return list(self._until)

    def renewed(self, codes: list[str], lost: Collection[int], anew: Collection[int], asked_at: float) -> None:
        """These were renewed; of them, by their places, those that others have, and those that were free and are held again."""
        gone = [codes[place] for place in lost if codes[place] in self._until]
        self._unsure |= {codes[place] for place in anew if codes[place] in self._until}
        for code in set(codes) - set(gone):
            if code in self._until:  # else it was given up meanwhile
                self._until[code] = asked_at + LIFE_MILLISECONDS / 1000
        self._forget(gone)
        if gone and self._tenant is not None:
            self._tenant.lost(gone)
        if self._unsure and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._make_sure())

    async def close(self) -> None:
        """Ask nothing more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    async def _make_sure(self) -> None:
        asked = list(self._unsure)
        if self._tenant is None:
            return
        try:
            ours = await self._tenant.still_ours(asked)
        except Exception as error:  # a store that is away, too: at the next beat again
            structlog.get_logger().warning("rooms not looked up", error=str(error))
            return
        self._unsure -= set(ours)
        await self.give_up(set(asked) - set(ours))

    async def _ask(self, code: str, takes: str) -> There | None:
        try:
            found = await cast("Any", self._redis.eval(CLAIM, 1, names.room(code), self._web, takes))
        except TROUBLE:
            raise errors.unknown_holder() from None
        if found == b"young":
            return There(web="", address=None)
        if not found:
            return None
        web, address = found
        return There(web=web.decode(), address=None if address is None else address.decode())

    def _forget(self, codes: Collection[str]) -> None:
        for code in codes:
            self._until.pop(code, None)
            self._unsure.discard(code)
