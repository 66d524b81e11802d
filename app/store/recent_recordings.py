"""Recent recordings, for all webs on one PostgreSQL, so that Share stores the run that the visitor saw at any web."""

import asyncio
import time
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.database import Database
from app.store.tables import recent_recordings as table

KEPT: Final = timedelta(minutes=30)
"""How long a visitor can share a recording after its run."""

FETCHED: Final = timedelta(minutes=10)
"""How long clients can fetch a recording by its hash without a link to the recording."""

LARGE_BYTES: Final = 256 << 10
"""Size in bytes above which a thread compresses a recording."""

MOST_ROWS: Final = 20_000
"""Maximum number of recordings in the table. The oldest rows are deleted."""

SWEEP_SECONDS: Final = 2.0
"""Interval at which a web deletes old and excess rows of the table."""

SWEEPING: Final = 0x5E96_4300
"""The advisory lock of the web that deletes these rows."""


class RecentRows:
    """The table of recent recordings, which all webs share. Each method is one transaction and may raise StoreError."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock
        self._swept_at = 0.0

    async def add(self, recording_hash: str, trace: bytes, seconds: float, most_bytes: int) -> None:
        """Store a recording for a limited time.

        The oldest recordings are deleted if all recordings together exceed `most_bytes`, compressed.
        """
        packed = await asyncio.to_thread(zlib.compress, trace, 1) if len(trace) > LARGE_BYTES else zlib.compress(trace, 1)
        kept = packed if len(packed) <= most_bytes else None
        row = {"made": self._clock(), "seconds": seconds, "trace": kept, "is_forgotten": False}
        adding = insert(table).values(hash=recording_hash, **row).on_conflict_do_update(index_elements=["hash"], set_=row)
        async with self._database.adding(len(packed)) as connection:
            await connection.execute(adding)
        if time.monotonic() - self._swept_at >= SWEEP_SECONDS:
            self._swept_at = time.monotonic()
            await self._sweep(most_bytes)

    async def get(self, recording_hash: str) -> tuple[bytes, float] | None:
        """The recording with this hash, and the duration of its run in seconds; None if no such recording is stored."""
        its = select(table.c.trace, table.c.seconds).where(table.c.hash == recording_hash)
        async with self._database.reading() as connection:
            row = (await connection.execute(its)).one_or_none()
        return None if row is None or row.trace is None else (await asyncio.to_thread(zlib.decompress, row.trace), row.seconds)

    async def may_be_fetched(self, recording_hash: str) -> bool:
        """Whether clients may fetch the recording by its hash: its run was within `FETCHED`, and no link to it was deleted
        after the run."""
        its = select(table.c.is_forgotten).where(table.c.hash == recording_hash, table.c.made > self._clock() - FETCHED)
        async with self._database.reading() as connection:
            return (await connection.execute(its)).scalar_one_or_none() is False

    async def _sweep(self, most_bytes: int) -> None:
        """Delete rows that are old or exceed the limits, unless another web is deleting rows.

        The transaction takes the advisory lock before it locks rows.
        """
        async with self._database.freeing() as connection:
            taken = await connection.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": SWEEPING})
            if taken.scalar_one():
                await self._delete_old(connection, most_bytes)

    async def _delete_old(self, connection: AsyncConnection, most_bytes: int) -> None:
        await connection.execute(delete(table).where(table.c.made < self._clock() - KEPT))
        too_many = select(table.c.hash).order_by(table.c.made.desc()).offset(MOST_ROWS)
        await connection.execute(delete(table).where(table.c.hash.in_(too_many)))
        sizes = func.sum(func.length(table.c.trace)).over(order_by=(table.c.made.desc(), table.c.hash))
        newest = select(table.c.hash, sizes.label("bytes")).where(table.c.trace.is_not(None)).subquery()
        beyond = select(newest.c.hash).where(newest.c.bytes > most_bytes)
        # The traces are dropped, but not the rows, because a row still allows clients to fetch the recording by its hash.
        await connection.execute(update(table).where(table.c.hash.in_(beyond)).values(trace=None))

    async def forget(self, recording_hash: str) -> None:
        """Forbid access to the recording by its hash until a run produces the same recording again."""
        async with self._database.freeing() as connection:
            its = table.c.hash == recording_hash
            await connection.execute(update(table).where(its).values(is_forgotten=True, trace=None))
