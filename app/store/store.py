"""The store: snippets under random ids, recordings under the hash of their bytes."""

import asyncio
import hashlib
import secrets
import string
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import msgspec
from sqlalchemy import delete, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.database import Database
from app.store.errors import LinkGone, NotText, StoreDamaged, StoreError
from app.store.keys import SigningKeys
from app.store.lecture_rows import Lectures
from app.store.links import Links, delete_unshown, held_size, token_hash, write_size
from app.store.quotas import Maker, Quotas
from app.store.recent_recordings import RecentRows
from app.store.reports import About, Reports
from app.store.room_rows import RoomRows
from app.store.stored_recording import Heading, Recording, Snippet, is_text
from app.store.tables import explanations, lecture_reports, lectures, recordings, reports, size, snippets

ALPHABET = string.ascii_letters + string.digits
ID_LENGTH = 11
DAMAGED = 0
"""The format number of a damaged recording. The formats of traces begin at 1."""
ROW_BYTES = 256
"""Bytes of a row in addition to its text: keys, indexes, page overhead."""
NO_HEADING = Heading()


def random_id() -> str:
    """Eleven characters that need no escape in a URL. The 65 random bits prevent guesses, and collisions are rare."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def now() -> datetime:
    """The current time in UTC, without a time zone, as in the tables."""
    return datetime.now(UTC).replace(tzinfo=None)


class Store:
    """Snippets and recordings in one database. Every method is one transaction; each may raise StoreUnavailable."""

    def __init__(
        self,
        database: Database,
        max_bytes: int,
        quotas: Quotas | None = None,
        clock: Callable[[], datetime] = now,
        new_id: Callable[[], str] = random_id,
        keys: SigningKeys | None = None,
    ) -> None:
        self._database = database
        self._max_bytes = max_bytes
        self._quotas = quotas
        self._clock = clock
        self.keys = keys or SigningKeys(database, clock)
        self.links = Links(database, clock)
        self.rooms = RoomRows(database)
        self.recent = RecentRows(database, clock) if database.is_shared else None
        """Recent recordings of all webs; None in a database that only one web may use."""
        self.lectures = Lectures(database, max_bytes, quotas, clock, new_id)
        self.reports = Reports(database, quotas, clock, About(snippets, reports, reports.c.snippet))
        self.lecture_reports = Reports(database, quotas, clock, About(lectures, lecture_reports, lecture_reports.c.lecture))
        self._new_id = new_id

    @classmethod
    async def open(
        cls,
        url: str,
        max_bytes: int,
        quotas: Quotas | None = None,
        clock: Callable[[], datetime] = now,
        *,
        first_key: bytes | None = None,
    ) -> "Store":
        """Open the store at `url`, and migrate its tables. Without `quotas`, only the size of the store is limited.

        A server passes a `first_key` for a store without keys. With `first_key`, quotas use the first key of the store as hash
        key.
        """
        database = Database(url)
        keys = SigningKeys(database, clock)
        try:
            await database.migrate()
            if first_key is not None:
                await keys.begin(first_key)
                quotas = quotas and msgspec.structs.replace(quotas, key=keys.lasting)
        except BaseException:
            await database.close()
            raise
        return cls(database, max_bytes, quotas, clock, keys=keys)

    async def close(self) -> None:
        """Close every connection."""
        await self._database.close()

    async def check_quotas(self, maker: Maker) -> None:
        """Raise QuotaSpent if `maker` may store no more links today.

        Call this method before a run for a link, to avoid a useless run.
        """
        if self._quotas is not None:
            async with self._database.reading() as connection:
                await self._quotas.check(connection, maker, ROW_BYTES, self._clock())

    async def keep(
        self,
        source: str,
        seed: int,
        recording: Recording,
        *,
        stand_in: bool = False,
        heading: Heading = NO_HEADING,
        maker: Maker | None = None,
    ) -> str:
        """Store a snippet with its recording, and return its new id. Raises NotText, StoreFull and QuotaSpent."""
        written = source + heading.title + heading.author
        if not is_text(written):
            raise NotText("The snippet contains a NUL character or a lone surrogate, which cannot be stored.")
        packed = await asyncio.to_thread(zlib.compress, recording.trace)
        snippet_id = self._new_id()
        row_bytes = len(written.encode()) + ROW_BYTES
        when = self._clock()
        row = {
            "id": snippet_id,
            "source": source,
            "seed": seed,
            "stand_in": stand_in,
            "recording": recording.hash,
            "bytes": row_bytes,
            "created": when,
            "visited": when.date(),
            "deletion": None if maker is None else token_hash(maker.token),
            "chosen": True,
            **msgspec.to_builtins(heading),
        }
        async with self._database.adding(row_bytes + len(packed)) as connection:
            kept_bytes = await self._held_size(connection)
            new_bytes = await _new_bytes(connection, recording, packed)
            await self._count(connection, kept_bytes, kept_bytes + row_bytes + new_bytes)
            if self._quotas is not None and maker is not None:
                await self._quotas.count(connection, maker, row_bytes + new_bytes, when)
            await self._add(connection, recording, packed, new_bytes)
            await connection.execute(insert(snippets).values(row))
        return snippet_id

    async def keep_again(self, snippet_id: str, recording: Recording) -> datetime:
        """Replace the recording of a snippet by a new recording, and return the time. Raises StoreFull."""
        when = self._clock()
        packed = await asyncio.to_thread(zlib.compress, recording.trace)
        async with self._database.adding(len(packed)) as connection:
            kept_bytes = await self._held_size(connection)
            shown = select(snippets.c.recording).where(snippets.c.id == snippet_id)
            earlier = (await connection.execute(shown)).scalar_one_or_none()
            if earlier is None:
                return when  # the snippet was deleted during the new run
            new_bytes = await _new_bytes(connection, recording, packed)
            await self._add(connection, recording, packed, new_bytes)
            changed = update(snippets).where(snippets.c.id == snippet_id)
            await connection.execute(changed.values(recording=recording.hash, recorded_again=when, chosen=True))
            if earlier == recording.hash:  # the old recording was damaged, and the new recording has the same bytes
                mended = update(recordings).where(recordings.c.hash == earlier)
                await connection.execute(mended.values(trace=packed, format=recording.format))
            freed_bytes = await delete_unshown(connection, {earlier})
            await self._count(connection, kept_bytes, kept_bytes + new_bytes - freed_bytes)
        return when

    async def snippet(self, snippet_id: str) -> Snippet | None:
        """The snippet with this id, or None."""
        if not is_text(snippet_id):
            return None
        columns = (*(column for column in snippets.c if column.name not in ("bytes", "deletion")), recordings.c.format)
        query = select(*columns).join(recordings).where(snippets.c.id == snippet_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        return Snippet(**row._mapping) if row is not None else None

    async def recording(self, recording_hash: str) -> Recording:
        """The recording with this hash.

        Raises LinkGone if the recording does not exist, and StoreDamaged if its bytes are damaged.
        """
        query = select(recordings.c.request, recordings.c.format, recordings.c.trace)
        async with self._database.reading() as connection:
            row = (await connection.execute(query.where(recordings.c.hash == recording_hash))).one_or_none()
        if row is None:
            raise LinkGone("The recording of this link was deleted.")
        try:
            trace = await asyncio.to_thread(_unpacked, recording_hash, row.trace)
        except StoreDamaged:
            await self._mark_damaged(recording_hash)
            raise
        return Recording(hash=recording_hash, request=row.request, format=row.format, trace=trace)

    async def latest(self, request: str) -> Recording | None:
        """The latest recording for the request with this key, or None."""
        query = select(recordings.c.hash).where(recordings.c.request == request)
        latest = query.order_by(recordings.c.created.desc(), recordings.c.hash).limit(1)
        async with self._database.reading() as connection:
            found = (await connection.execute(latest)).scalar_one_or_none()
        try:
            return await self.recording(found) if found is not None else None
        except LinkGone:
            return None

    async def is_shown(self, recording_hash: str) -> bool:
        """Whether a link that is not held shows the recording with this hash.

        If so, clients may fetch the recording by the hash.
        """
        if not is_text(recording_hash):
            return False
        query = select(exists().where(snippets.c.recording == recording_hash, snippets.c.held.is_(None)))
        async with self._database.reading() as connection:
            return bool((await connection.execute(query)).scalar_one())

    async def explanation(self, recording_hash: str, explainer: str) -> bytes | None:
        """The stored explanation of a recording by the version `explainer`, if any. Raises StoreDamaged."""
        query = select(explanations.c.explanation).where(explanations.c.recording == recording_hash)
        async with self._database.reading() as connection:
            packed = (await connection.execute(query.where(explanations.c.explainer == explainer))).scalar_one_or_none()
        return None if packed is None else await asyncio.to_thread(_inflated, f"The explanation of {recording_hash}", packed)

    async def keep_explanation(self, recording_hash: str, explainer: str, explanation: bytes) -> None:
        """Store an explanation by `explainer` in place of an explanation by another version.

        Do nothing if the recording was deleted. Raises StoreFull.
        """
        packed = await asyncio.to_thread(zlib.compress, explanation)
        row_bytes = len(packed) + ROW_BYTES
        earlier = explanations.c.recording == recording_hash
        async with self._database.adding(row_bytes) as connection:
            kept_bytes = await self._held_size(connection)
            known = select(recordings.c.hash).where(recordings.c.hash == recording_hash)
            if (await connection.execute(known)).one_or_none() is None:
                return
            earlier_bytes = (await connection.execute(select(explanations.c.bytes).where(earlier))).scalar_one_or_none() or 0
            await self._count(connection, kept_bytes, kept_bytes + row_bytes - earlier_bytes)
            await connection.execute(delete(explanations).where(earlier))
            row = {"recording": recording_hash, "explainer": explainer, "bytes": row_bytes, "explanation": packed}
            await connection.execute(insert(explanations).values(row))

    async def size(self) -> int:
        """The size of the store in bytes, as the sum of all rows."""
        async with self._database.reading() as connection:
            return int((await connection.execute(select(size.c.bytes))).scalar_one())

    async def _add(self, connection: AsyncConnection, recording: Recording, packed: bytes, new_bytes: int) -> None:
        if new_bytes > 0:
            row = {
                "hash": recording.hash,
                "request": recording.request,
                "format": recording.format,
                "bytes": new_bytes,
                "created": self._clock(),
                "trace": packed,
            }
            await connection.execute(insert(recordings).values(row))

    async def _mark_damaged(self, recording_hash: str) -> None:
        """Give the recording an unreadable format, so that the next visit records the snippet again.

        A visit checks the format even if it does not read the recording's bytes.
        """
        with suppress(StoreError):
            async with self._database.adding(0) as connection:  # because SQLite rewrites the whole row with its trace
                await connection.execute(update(recordings).where(recordings.c.hash == recording_hash).values(format=DAMAGED))

    async def _held_size(self, connection: AsyncConnection) -> int:
        # This call locks the row first, to serialize two requests for the same recording.
        return await held_size(connection)

    async def _count(self, connection: AsyncConnection, before: int, total: int) -> None:
        await write_size(connection, before, total, self._max_bytes)


async def _new_bytes(connection: AsyncConnection, recording: Recording, packed: bytes) -> int:
    """The bytes that `recording` would add to the store; 0 if the store already has the recording."""
    known = select(recordings.c.hash).where(recordings.c.hash == recording.hash)
    return 0 if (await connection.execute(known)).one_or_none() is not None else len(packed) + ROW_BYTES


def _unpacked(recording_hash: str, packed: bytes) -> bytes:
    trace = _inflated(f"Recording {recording_hash}", packed)
    if hashlib.sha256(trace).hexdigest() != recording_hash:
        raise StoreDamaged(f"Recording {recording_hash} does not match its hash.")
    return trace


def _inflated(what: str, packed: bytes) -> bytes:
    try:
        return zlib.decompress(packed)
    except zlib.error as error:
        raise StoreDamaged(f"{what} cannot be decompressed.") from error
