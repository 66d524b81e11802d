"""The reply to one run as its worker writes it: words in their order, sent together as soon as the last ones arrived."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from redis.asyncio import Redis

from app.fleet import names
from app.fleet.connection import ANSWER_SECONDS, TROUBLE

MOST_WORDS: Final = 40_000
"""Of one reply: a run of the largest recording has fewer. Older ones would go, and the web would see that they are missing."""

SENT_AT_ONCE: Final = 1 << 20
"""Bytes."""


class Reply:
    """What is said of one run. Use `say` as long as it is `sending`."""

    def __init__(self, redis: Redis, key: str) -> None:
        self._redis = redis
        self._key = key
        self._unsent: list[tuple[bytes, bytes]] = []
        self._news = asyncio.Event()
        self._is_over = False
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when nobody hears it any more."""

    def say(self, kind: bytes, payload: bytes) -> None:
        """One more word. Returns at once."""
        self._unsent.append((kind, payload))
        self._news.set()

    @asynccontextmanager
    async def sending(self) -> "AsyncIterator[Reply]":
        """Send what is said meanwhile, and at the end all of it."""
        task = asyncio.create_task(self._send_all())
        try:
            yield self
            self._is_over = True
            self._news.set()
            await task
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _send_all(self) -> None:
        try:
            while self._unsent or not self._is_over:
                if self._unsent:
                    await self._send(self._next())
                else:
                    self._news.clear()
                    await self._news.wait()
        except TROUBLE:
            self.lost.set_result(None)

    def _next(self) -> list[tuple[bytes, bytes]]:
        size = count = 0
        while count < len(self._unsent) and size < SENT_AT_ONCE:
            size += len(self._unsent[count][1])
            count += 1
        some, self._unsent = self._unsent[:count], self._unsent[count:]
        return some

    async def _send(self, words: list[tuple[bytes, bytes]]) -> None:
        async with asyncio.timeout(ANSWER_SECONDS), self._redis.pipeline(transaction=False) as pipe:
            for kind, payload in words:
                pipe.xadd(self._key, {kind: payload}, maxlen=MOST_WORDS, approximate=True)
            pipe.pexpire(self._key, names.REPLY_MILLISECONDS)
            await pipe.execute()
