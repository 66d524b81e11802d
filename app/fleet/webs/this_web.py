"""The webs that share one Redis: this one announces itself there, and each learns which of the others live."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, cast

import structlog
from redis.asyncio import Redis

from app.beside import beside
from app.fleet import names
from app.fleet.connection import TROUBLE, sentence_of
from app.fleet.living import LIFE_MILLISECONDS, LIVES_FUNCTION
from app.fleet.webs.leases import RoomLeases

BEAT_SECONDS: Final = 0.5

BEAT: Final = f"""{LIVES_FUNCTION}
local function keep(key, value)
  if redis.call('PEXPIRE', key, {LIFE_MILLISECONDS}) == 0 then redis.call('SET', key, value, 'PX', {LIFE_MILLISECONDS}) end
end
keep(KEYS[1], ARGV[2])
local lost, anew, gone = {{}}, {{}}, {{}}
for place = 2, #KEYS do
  local holder = redis.call('GET', KEYS[place])
  if holder and holder ~= ARGV[1] then
    lost[#lost + 1] = place - 2
  else
    keep(KEYS[place], ARGV[1])
    if not holder then anew[#anew + 1] = place - 2 end
  end
end
for place = 3, #ARGV do
  if not lives('{names.HERE}' .. ARGV[place]) then gone[#gone + 1] = place - 3 end
end
return {{lost, anew, gone}}
"""
"""This web lives, and holds its rooms still. Which of them others have, which were free, and which of some other webs are gone,
each by its place. A Redis that is full renews what it has. KEYS: here, rooms. ARGV: web, address, other webs."""


class ThisWeb:
    """One web among those that share a Redis. `address` is where the others reach it; empty: they do not."""

    def __init__(self, redis: Redis, address: str) -> None:
        self.redis = redis
        self.id = secrets.token_hex(8)
        self.address = address
        self.rooms = RoomLeases(redis, self.id)
        self._heard_at = 0.0
        self._watched: dict[str, set[Callable[[], object]]] = {}
        """What is done when another web is gone, by its id."""

    @property
    def is_known(self) -> bool:
        """Whether Redis still knows this web: what it holds there is its own until then."""
        return time.monotonic() - self._heard_at < LIFE_MILLISECONDS / 1000

    @asynccontextmanager
    async def announced(self) -> AsyncIterator[None]:
        """Tell Redis that this web lives, once and then again and again; take it back at the end."""
        await self._beat()
        if not self.address:
            await self._warn_of_others()
        try:
            async with beside(self._beats()):
                yield
        finally:
            await self.rooms.close()
            try:
                await self.redis.unlink(names.web(self.id))
            except TROUBLE:
                pass  # it dies there by itself

    @contextmanager
    def watching(self, web: str, when_gone: Callable[[], object]) -> Iterator[None]:
        """Do something when another web is gone, as long as the block lasts."""
        watched = self._watched.setdefault(web, set())
        watched.add(when_gone)
        try:
            yield
        finally:
            watched.discard(when_gone)
            if not watched and self._watched.get(web) is watched:
                del self._watched[web]

    async def _beats(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self._beat()

    async def _beat(self) -> None:
        watched = list(self._watched)
        try:
            async with self.rooms.turn:
                held = self.rooms.held
                keys = [names.web(self.id), *map(names.room, held)]
                asked_at = time.monotonic()  # before: Redis counts from some moment after it
                lost, anew, gone = await cast("Any", self.redis.eval(BEAT, len(keys), *keys, self.id, self.address, *watched))
        except TROUBLE as error:
            if self._heard_at and not self.is_known:
                return
            structlog.get_logger().warning("web not announced", error=sentence_of(error))
        else:
            self._heard_at = asked_at
            self.rooms.renewed(held, lost, anew, asked_at)
            for place in gone:
                for when_gone in tuple(self._watched.get(watched[place], ())):
                    when_gone()

    async def _warn_of_others(self) -> None:
        try:
            others = [key async for key in self.redis.scan_iter(f"{names.HERE}*") if key.decode() != names.web(self.id)]
        except TROUBLE:
            return  # it is said already
        if others:
            remedy = "STEPGRAD_WEB_ADDRESS"
            structlog.get_logger().warning("rooms of this web cannot be reached from others", others=len(others), remedy=remedy)
