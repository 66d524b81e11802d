"""The signing keys of a server. The first start creates the first key. All webs on one store share the keys."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

import msgspec
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.background import in_background
from app.store.database import Database
from app.store.errors import StoreError
from app.store.links import held_size
from app.store.tables import signing_keys

KEY_BYTES: Final = 32

VALID: Final = 2
"""Number of valid keys: the newest key and the previous key."""

READ_SECONDS: Final = 60.0
"""Interval at which a web loads the keys."""

SIGNS_AFTER: Final = timedelta(seconds=2 * READ_SECONDS)
"""Age from which a new key signs, because other webs may not know a newer key."""


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """One key, in its stored form."""

    number: int
    key: str
    """The key in hexadecimal."""
    made: datetime


class SigningKeys:
    """The keys of one store. Each method is one transaction and may raise StoreUnavailable."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self.lasting = b""
        """The first key of this store, which never changes.

        Hashes that must stay the same, such as the hashes of quotas, use this key.
        """
        self.valid: tuple[bytes, ...] = ()
        """The valid keys that this web has loaded. The first key signs."""

    async def begin(self, first: bytes) -> None:
        """Load the keys. If the store has no keys, add `first`. If several servers start together, only one server adds a key."""
        async with self._database.writing() as connection:
            await held_size(connection)
            kept = await _kept(connection)
            if not kept:
                kept = [await _add(connection, 1, first, self._clock())]
        self._take(kept)

    async def make(self) -> None:
        """Create a key, which signs after `SIGNS_AFTER`. The previous key stays valid; older keys become invalid."""
        async with self._database.writing() as connection:
            await held_size(connection)
            kept = await _kept(connection)
            number = kept[-1].number + 1 if kept else 1
            kept.append(await _add(connection, number, secrets.token_bytes(KEY_BYTES), self._clock()))
            over = [key.number for key in kept[1:-VALID]]
            await connection.execute(delete(signing_keys).where(signing_keys.c.number.in_(over)))
        self._take(kept)

    async def read(self) -> None:
        """Load the keys from the store again."""
        async with self._database.reading() as connection:
            kept = await _kept(connection)
        self._take(kept)

    @asynccontextmanager
    async def watching(self, report: Callable[[StoreError], None]) -> AsyncIterator[None]:
        """Load the keys at intervals while the block runs, and report failures."""

        async def watch() -> None:
            while True:
                await asyncio.sleep(READ_SECONDS)
                try:
                    await self.read()
                except StoreError as error:
                    report(error)

        async with in_background(watch()):
            yield

    def _take(self, kept: Sequence[SigningKey]) -> None:
        if not kept:
            return
        self.lasting = bytes.fromhex(kept[0].key)
        newest = kept[: -VALID - 1 : -1]
        is_known = newest[0].made <= self._clock() - SIGNS_AFTER
        self.valid = tuple(bytes.fromhex(key.key) for key in (newest if is_known else newest[::-1]))


async def _kept(connection: AsyncConnection) -> list[SigningKey]:
    """All keys, oldest first."""
    found = await connection.execute(select(signing_keys).order_by(signing_keys.c.number))
    return [SigningKey(**row._mapping) for row in found.all()]


async def _add(connection: AsyncConnection, number: int, key: bytes, made: datetime) -> SigningKey:
    added = SigningKey(number=number, key=key.hex(), made=made)
    await connection.execute(insert(signing_keys).values(**msgspec.structs.asdict(added)))
    return added
