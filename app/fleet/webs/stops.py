"""Stopping a run that another web has under way: that web is asked by way of Redis, and says whether there was such a run."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import structlog
from redis.asyncio import Redis

from app.beside import beside
from app.fleet import names
from app.fleet.connection import TROUBLE, sentence_of

ANSWER_SECONDS: Final = 0.8
"""How long to wait for the other web."""

LISTEN_SECONDS: Final = 1.0
AGAIN_SECONDS: Final = 0.5
"""Between two attempts to listen where Redis does not answer."""

LIFE_MILLISECONDS: Final = 5_000
"""How long a question, or an answer, lives that nobody takes."""

ASK: Final = f"""
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], {LIFE_MILLISECONDS})
return 1
"""
"""1 where the other web lives and was asked. KEYS: that web, its questions. ARGV: run, visitor, name of the answer."""


class Stops:
    """Asks the other webs, and answers them. A visitor's name is told as a hash alone."""

    def __init__(self, redis: Redis, web_id: str) -> None:
        self._redis = redis
        self.prefix = web_id
        """What the ids of this web's runs begin with: so each web knows whom to ask."""

    async def ask(self, run_id: str, visitor: str) -> bool | None:
        """End a run of another web now; whether there is such a run. None where that web, or Redis, does not say."""
        web = run_id[: len(self.prefix)]
        if web == self.prefix or len(run_id) <= len(self.prefix) or not run_id.isascii() or not run_id.isalnum():
            return False
        name = secrets.token_hex(16)
        question = f"{run_id} {_hashed(visitor)} {name}"
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                asked = await cast("Any", self._redis.eval(ASK, 2, names.web(web), names.stops(web), question))
                answer = await cast("Any", self._redis.blpop([names.stopped(name)], ANSWER_SECONDS)) if asked else (b"", b"no")
        except TROUBLE as error:
            structlog.get_logger().warning("stop not asked", run=run_id, error=sentence_of(error))
            return None
        return None if answer is None else bool(answer[1] == b"yes")

    @asynccontextmanager
    async def answering(self, stop: Callable[[str, Callable[[str], bool]], bool]) -> AsyncIterator[None]:
        """Answer the others as long as the block lasts. `stop` ends a run where its visitor is the one, and says whether it did."""
        async with beside(self._answer(stop)):
            yield

    async def _answer(self, stop: Callable[[str, Callable[[str], bool]], bool]) -> None:
        while True:
            try:
                question = await cast("Any", self._redis.blpop([names.stops(self.prefix)], LISTEN_SECONDS))
                if question is not None:
                    await self._answer_one(question[1].decode("ascii", "replace"), stop)
            except TROUBLE:  # whoever asks hears that there is no answer
                await asyncio.sleep(AGAIN_SECONDS)

    async def _answer_one(self, question: str, stop: Callable[[str, Callable[[str], bool]], bool]) -> None:
        run_id, _, rest = question.partition(" ")
        hashed, _, name = rest.partition(" ")
        is_stopped = stop(run_id, lambda visitor: _hashed(visitor) == hashed)
        async with asyncio.timeout(LISTEN_SECONDS), self._redis.pipeline(transaction=False) as pipe:
            pipe.rpush(names.stopped(name), "yes" if is_stopped else "no")
            pipe.pexpire(names.stopped(name), LIFE_MILLISECONDS)
            await pipe.execute()


def _hashed(visitor: str) -> str:
    return hashlib.sha256(visitor.encode()).hexdigest()
