"""The static files of every build that webs serve, in Redis: while two releases serve, a page of one gets its files from both.

What a web reads here becomes script of a page, so each file is signed with a key that webs have and Redis does not.
"""

import asyncio
import hashlib
import hmac
import re
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, cast

from redis.asyncio import Redis

from app.beside import beside
from app.fleet import names
from app.fleet.webs.asking import Asking, Away

LIFE_MILLISECONDS: Final = 24 * 3600 * 1000
"""After the last web of its build is gone: so long a page that is open may load more of itself."""

LOOK_SECONDS: Final = 60.0
"""How often a web looks whether its own are there, for a Redis that was started anew."""

WITHIN_SECONDS: Final = 1.0
MOST_BYTES: Final = 16 << 20
"""Of one file."""
SIGNATURE_BYTES: Final = 32

BUILD: Final = re.compile(r"[0-9a-f]{12}")
LONGEST_PATH: Final = 200


class SharedFiles:
    """The files of this build and of others. `key` is the same in each web."""

    def __init__(self, redis: Redis, key: bytes) -> None:
        self._asking = Asking(redis, "static files", WITHIN_SECONDS)
        self._key = hmac.digest(key, b"static files", hashlib.sha256)

    async def get(self, build: str, path: str) -> bytes | None:
        """A file of a build that some web serves, or served in the last day."""
        if not BUILD.fullmatch(build) or len(path) > LONGEST_PATH:
            return None
        try:
            kept = await self._asking.ask(lambda: cast("Any", self._asking.redis.hget(names.files(build), path)))
        except Away:
            return None
        if kept is None:
            return None
        signature, packed = kept[:SIGNATURE_BYTES], kept[SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(build, path, packed)):
            return None
        return await asyncio.to_thread(zlib.decompressobj().decompress, packed, MOST_BYTES)

    @asynccontextmanager
    async def offering(self, build: str, files: Mapping[str, bytes]) -> AsyncIterator[None]:
        """Let the other webs serve these as long as the block lasts, and for a day."""
        packed = await asyncio.to_thread(lambda: {path: zlib.compress(content, 9) for path, content in files.items()})
        await self._offer(build, packed)
        async with beside(self._keep_offering(build, packed)):
            yield

    async def _keep_offering(self, build: str, packed: Mapping[str, bytes]) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self._offer(build, packed)

    async def _offer(self, build: str, packed: Mapping[str, bytes]) -> None:
        redis, key = cast("Any", self._asking.redis), names.files(build)
        try:
            if await self._asking.ask(lambda: redis.hlen(key)) < len(packed):
                for path, content in packed.items():
                    signed = self._signature(build, path, content) + content
                    await self._asking.ask(lambda: redis.hset(key, path, signed))  # noqa: B023 - it is sent at once
            await self._asking.ask(lambda: redis.pexpire(key, LIFE_MILLISECONDS))
        except Away:
            return

    def _signature(self, build: str, path: str, packed: bytes) -> bytes:
        return hmac.digest(self._key, f"{build}\0{path}\0".encode(errors="replace") + packed, hashlib.sha256)
