"""The webs that share one Redis: this one announces itself there."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import structlog
from redis.asyncio import Redis

from app.beside import beside
from app.fleet import names
from app.fleet.connection import TROUBLE, sentence_of
from app.fleet.living import LIFE_MILLISECONDS

BEAT_SECONDS: Final = 0.5

BEAT: Final = f"""
if redis.call('PEXPIRE', KEYS[1], {LIFE_MILLISECONDS}) == 0 then redis.call('SET', KEYS[1], '', 'PX', {LIFE_MILLISECONDS}) end
"""
"""This web lives. A Redis that is full renews what it has. KEYS: this web."""


class ThisWeb:
    """This web, as the others on the same Redis know it."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.id = secrets.token_hex(8)
        self._heard_at = 0.0

    @property
    def is_known(self) -> bool:
        """Whether Redis still knows this web: what it holds there is its own until then."""
        return time.monotonic() - self._heard_at < LIFE_MILLISECONDS / 1000

    @asynccontextmanager
    async def announced(self) -> AsyncIterator[None]:
        """Tell Redis that this web lives, once and then again and again; take it back at the end."""
        await self._beat()
        try:
            async with beside(self._beats()):
                yield
        finally:
            try:
                await self.redis.unlink(names.web(self.id))
            except TROUBLE:
                pass  # it dies there by itself

    async def _beats(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self._beat()

    async def _beat(self) -> None:
        asked_at = time.monotonic()  # before: Redis counts from some moment after it
        try:
            await cast("Any", self.redis.eval(BEAT, 1, names.web(self.id)))
        except TROUBLE as error:
            if self._heard_at and not self.is_known:
                return
            structlog.get_logger().warning("web not announced", error=sentence_of(error))
        else:
            self._heard_at = asked_at
