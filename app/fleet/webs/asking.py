"""What a web asks Redis that it can do without: nobody waits long for an answer, and where there was none, it is left alone."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar, cast

import structlog
from redis.asyncio import Redis

from app.fleet.connection import TROUBLE, sentence_of

T = TypeVar("T")

REST_SECONDS: Final = 1.0
"""For so long it is not asked again after it did not answer."""


class Away(Exception):
    """Redis does not answer, or not in time."""


class Asking:
    """Asks one Redis about one thing."""

    def __init__(self, redis: Redis, about: str, within_seconds: float) -> None:
        self.redis = redis
        self._about = about
        self._within_seconds = within_seconds
        self._rests_until = 0.0
        self._is_away = False

    async def run(self, script: str, keys: list[str], arguments: list[str | bytes | int | float]) -> Any:
        """What a script answers. Raises Away."""
        return await self.ask(lambda: cast("Any", self.redis.eval(script, len(keys), *keys, *arguments)))

    async def ask(self, send: Callable[[], Awaitable[T]]) -> T:
        """What Redis answers. Raises Away."""
        if time.monotonic() < self._rests_until:
            raise Away
        try:
            async with asyncio.timeout(self._within_seconds):
                answer = await send()
        except TROUBLE as error:
            self._rests_until = time.monotonic() + REST_SECONDS
            if not self._is_away:
                structlog.get_logger().warning("does without redis", about=self._about, error=sentence_of(error))
            self._is_away = True
            raise Away from error
        self._is_away = False
        return answer
