"""Operations on links: visits, headings, deletion, holds, lists. A recording is deleted with its last link."""

import hashlib
from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Final, Literal

import msgspec
from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.database import Database
from app.store.errors import NotText, StoreFull
from app.store.stored_recording import Snippet, is_text
from app.store.tables import explanations, quotas, recordings, reports, size, snippets

BEGIN_CHARACTERS: Final = 400
"""Maximum number of characters of a snippet that a list of links shows."""


MOST_LINKS: Final = 20
MOST_BYTES: Final = 8 << 20
"""Limits of one deleting transaction, so that other writers wait only briefly (8 MB take 0.1 s on a busy machine) and the changed
pages fit into the spare file."""


class ListedLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link as an operator sees it."""

    id: str
    bytes: int
    """The number of bytes that the link counts in the store's size, including its recording."""
    links: int
    """The number of links to the same recording, including this link."""
    created: datetime
    visited: date
    held: datetime | None
    reports: int
    """The number of visitors that reported the link."""
    title: str
    """The sharer's title; empty: no title."""
    begin: str
    """The beginning of the snippet."""


class Links:
    """The links of one store. Every method is one transaction; each may raise StoreUnavailable."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    async def visit(self, snippet: Snippet) -> None:
        """Record today's visit of a link. This method writes at most once a day."""
        today = self._clock().date()
        if snippet.visited >= today:
            return
        async with self._database.writing() as connection:
            before = and_(snippets.c.id == snippet.id, snippets.c.visited < today)
            await connection.execute(update(snippets).where(before).values(visited=today))

    async def set_heading(self, snippet_id: str, token: str, *, title: str, author: str, notes: str | None = None) -> bool:
        """Set the title, author and notes of a link if `token` is the link's token; return whether the token was correct.

        Raises NotText.

        If `notes` is None, the notes do not change.
        """
        if not is_text(title + author + (notes or "")):
            raise NotText(
                "The title, the author or a note contains a NUL character or a lone surrogate, which cannot be stored."
            )
        async with self._database.adding(len((title + author + (notes or "")).encode())) as connection:
            kept_bytes = await held_size(connection)
            its = and_(snippets.c.id == snippet_id, snippets.c.deletion == token_hash(token))
            written = select(snippets.c.title, snippets.c.author, snippets.c.notes).where(its)
            before = (await connection.execute(written)).one_or_none()
            if before is None:
                return False
            now = {"title": title, "author": author, "notes": before.notes if notes is None else notes}
            more = len("".join(now.values()).encode()) - len((before.title + before.author + before.notes).encode())
            await connection.execute(update(snippets).where(its).values(**now, bytes=snippets.c.bytes + more))
            # A full store also allows this change, because these texts have size limits, and quotas limit the number of links.
            await connection.execute(update(size).values(bytes=kept_bytes + more))
            return True

    async def is_token(self, snippet_id: str, token: str) -> bool:
        """Whether the link exists and `token` is the link's token."""
        if not is_text(snippet_id):
            return False
        its = select(snippets.c.id).where(snippets.c.id == snippet_id, snippets.c.deletion == token_hash(token))
        async with self._database.reading() as connection:
            return (await connection.execute(its)).one_or_none() is not None

    async def delete_by_token(self, snippet_id: str, token: str) -> bool:
        """Delete a link if `token` is the link's token; return whether the token was correct."""
        return await self._delete(and_(snippets.c.id == snippet_id, snippets.c.deletion == token_hash(token))) > 0

    async def delete(self, ids: Collection[str]) -> int:
        """Delete the links with these ids in several transactions; return the number of deleted links."""
        rest = list(ids)
        parts = [rest[start : start + MOST_LINKS] for start in range(0, len(rest), MOST_LINKS)]
        return sum([await self._delete(snippets.c.id.in_(part)) for part in parts])

    async def delete_unvisited(self, lately: timedelta) -> int:
        """Delete links that had no visit within `lately`, the least recently visited first, up to the limits of one
        transaction; return their number. Held links stay."""
        expired = and_(snippets.c.visited < self._clock().date() - lately, snippets.c.held.is_(None))
        oldest = select(snippets.c.id, recordings.c.bytes).join_from(snippets, recordings).where(expired)
        async with self._database.freeing() as connection:
            total = await held_size(connection)
            some: list[str] = []
            left = MOST_BYTES
            for row in (await connection.execute(oldest.order_by(snippets.c.visited).limit(MOST_LINKS))).all():
                left -= row.bytes
                if some and left < 0:
                    break
                some.append(row.id)
            return await _delete(connection, and_(snippets.c.id.in_(some), expired), total)

    async def shown(self, ids: Collection[str]) -> set[str]:
        """The subset of `ids` with links that exist and are not held."""
        query = select(snippets.c.id).where(snippets.c.id.in_(ids), snippets.c.held.is_(None))
        async with self._database.reading() as connection:
            return set((await connection.execute(query)).scalars())

    async def forget_quotas(self) -> None:
        """Delete the counters of quotas for past days."""
        async with self._database.freeing() as connection:
            await connection.execute(delete(quotas).where(quotas.c.day < self._clock().date()))

    async def hold(self, ids: Collection[str]) -> int:
        """Hold the links with these ids; return the number of links that exist."""
        return sum([await self._set_held(each, self._clock()) for each in set(ids)])

    async def release(self, ids: Collection[str]) -> int:
        """Release the links with these ids; return the number of links that exist."""
        return sum([await self._set_held(each, None) for each in set(ids)])

    async def count(self) -> int:
        """The number of links."""
        async with self._database.reading() as connection:
            return int((await connection.execute(select(func.count()).select_from(snippets))).scalar_one())

    async def listed(self, by: Literal["size", "age", "visit", "reports"], most: int) -> Sequence[ListedLink]:
        """At most `most` links: the largest, oldest, least recently visited or most reported first, depending on `by`."""
        others = snippets.alias()
        counted = snippets.c.bytes + recordings.c.bytes + func.coalesce(explanations.c.bytes, 0)
        reported = select(func.count()).where(reports.c.snippet == snippets.c.id).scalar_subquery()
        order = {
            "size": counted.desc(),
            "age": snippets.c.created,
            "visit": snippets.c.visited,
            "reports": reported.desc(),
        }[by]
        query = (
            select(
                snippets.c.id,
                counted.label("bytes"),
                select(func.count()).where(others.c.recording == snippets.c.recording).scalar_subquery().label("links"),
                snippets.c.created,
                snippets.c.visited,
                snippets.c.held,
                reported.label("reports"),
                snippets.c.title,
                func.substr(snippets.c.source, 1, BEGIN_CHARACTERS).label("begin"),
            )
            .join_from(snippets, recordings)
            .outerjoin(explanations, explanations.c.recording == recordings.c.hash)
            .order_by(order, snippets.c.id)
            .limit(most)
        )
        async with self._database.reading() as connection:
            return [ListedLink(**row._mapping) for row in (await connection.execute(query)).all()]

    async def _set_held(self, snippet_id: str, held: datetime | None) -> int:
        # One link per transaction: SQLite rewrites the whole row, and the spare file has space for one snippet.
        async with self._database.freeing() as connection:
            await held_size(connection)  # locks in the same order as a deletion, to avoid deadlocks
            changed = update(snippets).where(snippets.c.id == snippet_id).values(held=held)
            return int((await connection.execute(changed)).rowcount)

    async def _delete(self, which: ColumnElement[bool]) -> int:
        async with self._database.freeing() as connection:
            return await _delete(connection, which, await held_size(connection))


async def held_size(connection: AsyncConnection) -> int:
    """The store's size. This function locks the row until the end of the transaction, so other changes wait."""
    return int((await connection.execute(select(size.c.bytes).with_for_update())).scalar_one())


async def write_size(connection: AsyncConnection, before: int, total: int, most: int) -> None:
    """Set the store's size to `total`.

    The transaction must have locked the row. Raises StoreFull if the size grows beyond `most`.
    """
    if total > max(before, most):
        raise StoreFull(f"The store has reached its limit of {most} bytes, so no new data can be stored.")
    await connection.execute(update(size).values(bytes=total))


async def _delete(connection: AsyncConnection, which: ColumnElement[bool], kept_bytes: int) -> int:
    gone = (await connection.execute(delete(snippets).where(which).returning(snippets.c.recording, snippets.c.bytes))).all()
    freed_bytes = sum(row.bytes for row in gone) + await delete_unshown(connection, {row.recording for row in gone})
    await connection.execute(update(size).values(bytes=kept_bytes - freed_bytes))
    return len(gone)


async def delete_unshown(connection: AsyncConnection, hashes: Collection[str]) -> int:
    """Delete the recordings in `hashes` that have no link, and their explanations; return the freed bytes.

    The transaction must have locked the row of the store's size, so that no other transaction adds a link to these recordings.
    """
    is_shown = select(snippets.c.id).where(snippets.c.recording == recordings.c.hash).exists()
    unshown = select(recordings.c.hash).where(recordings.c.hash.in_(hashes), ~is_shown)
    explained = delete(explanations).where(explanations.c.recording.in_(unshown)).returning(explanations.c.bytes)
    freed: int = sum((await connection.execute(explained)).scalars())
    recorded = delete(recordings).where(recordings.c.hash.in_(unshown)).returning(recordings.c.bytes)
    freed += sum((await connection.execute(recorded)).scalars())
    return freed


def token_hash(token: str) -> str:
    """The stored hash of a link's token. SHA-256 suffices, because tokens are random."""
    return hashlib.sha256(token.encode()).hexdigest()
