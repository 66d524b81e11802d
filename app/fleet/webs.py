"""The webs that share one Redis: this one announces itself there, and each learns which of the others live."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog
from redis.asyncio import Redis

from app.fleet import names
from app.fleet.connection import TROUBLE, sentence_of

BEAT_SECONDS: Final = 0.5
LIFE_MILLISECONDS: Final = 2_500
"""A web that has not been heard of for so long, by the clock of Redis, is gone; what it held is free."""


class ThisWeb:
    """One web among those that share a Redis. `address` is where the others reach it; empty: they do not."""

    def __init__(self, redis: Redis, address: str) -> None:
        self.redis = redis
        self.id = secrets.token_hex(8)
        self.address = address
        self._heard_at = 0.0

    @property
    def is_known(self) -> bool:
        """Whether Redis still knows this web: what it holds there is its own until then."""
        return time.monotonic() - self._heard_at < LIFE_MILLISECONDS / 1000

    @asynccontextmanager
    async def announced(self) -> AsyncIterator[None]:
        """Tell Redis that this web lives, once and then again and again; take it back at the end."""
        await self._beat()
        task = asyncio.create_task(self._beats())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
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
            await self.redis.set(names.web(self.id), self.address, px=LIFE_MILLISECONDS)
        except TROUBLE as error:
            if self._heard_at and not self.is_known:
                return
            structlog.get_logger().warning("web not announced", error=sentence_of(error))
        else:
            self._heard_at = asked_at
