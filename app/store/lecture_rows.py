"""Published lectures about steps of links.

Lectures have their own ids. With a lecture's token, a client may edit and delete the lecture.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Final, Literal

import msgspec
from sqlalchemy import ColumnElement, and_, delete, exists, func, insert, select, update

from app.store.database import Database
from app.store.errors import NotText
from app.store.links import held_size, token_hash, write_size
from app.store.quotas import Maker, Quotas
from app.store.stored_recording import is_text
from app.store.tables import lecture_reports, lectures, size, snippets

ROW_BYTES: Final = 256
"""The number of bytes that a row counts in addition to its text."""
MOST_EXPIRED: Final = 50
"""Maximum number of lectures that expire in one transaction."""


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A teacher's lecture; `parts` is JSON in the format of `app.lectures`."""

    title: str
    author: str
    parts: str

    @property
    def size(self) -> int:
        """Bytes of the row that stores the lecture."""
        return len((self.title + self.author + self.parts).encode()) + ROW_BYTES


class KeptLecture(msgspec.Struct, frozen=True, kw_only=True):
    """A stored lecture."""

    id: str
    title: str
    author: str
    parts: str
    created: datetime
    changed: datetime | None
    visited: date
    held: datetime | None


class ListedLecture(msgspec.Struct, frozen=True, kw_only=True):
    """A lecture as an operator sees it in a list."""

    id: str
    bytes: int
    created: datetime
    visited: date
    held: datetime | None
    reports: int
    title: str


class Lectures:
    """The lectures of one store. Every method is one transaction; each may raise StoreUnavailable."""

    def __init__(
        self,
        database: Database,
        max_bytes: int,
        quotas: Quotas | None,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._database = database
        self._max_bytes = max_bytes
        self._quotas = quotas
        self._clock = clock
        self._new_id = new_id

    async def keep(self, written: Written, maker: Maker) -> str:
        """Store a lecture and return its new id.

        A lecture counts as a link of its maker. Raises NotText, StoreFull and QuotaSpent.
        """
        _check(written)
        lecture_id, when = self._new_id(), self._clock()
        row = {
            "id": lecture_id,
            **msgspec.to_builtins(written),
            "bytes": written.size,
            "created": when,
            "visited": when.date(),
            "deletion": token_hash(maker.token),
        }
        async with self._database.adding(written.size) as connection:
            kept_bytes = await held_size(connection)
            await write_size(connection, kept_bytes, kept_bytes + written.size, self._max_bytes)
            if self._quotas is not None:
                await self._quotas.count(connection, maker, written.size, when)
            await connection.execute(insert(lectures).values(row))
        return lecture_id

    async def change(self, lecture_id: str, token: str, written: Written) -> bool:
        """Replace the content of a lecture if `token` is the lecture's token; return whether the token was correct.

        Raises NotText.
        """
        _check(written)
        its = and_(lectures.c.id == lecture_id, lectures.c.deletion == token_hash(token))
        columns = (lectures.c.title, lectures.c.author, lectures.c.parts)
        async with self._database.adding(written.size) as connection:
            kept_bytes = await held_size(connection)
            before = (await connection.execute(select(*columns).where(its))).one_or_none()
            if before is None:
                return False
            more = written.size - Written(**before._mapping).size
            values = {**msgspec.to_builtins(written), "changed": self._clock(), "bytes": lectures.c.bytes + more}
            await connection.execute(update(lectures).where(its).values(values))
            # A full store also allows this change, because each lecture has a size limit, and quotas limit the number of
            # lectures.
            await connection.execute(update(size).values(bytes=kept_bytes + more))
            return True

    async def has_token(self, lecture_id: str, token: str) -> bool:
        """Whether `token` is the token of this lecture."""
        its = exists().where(lectures.c.id == lecture_id, lectures.c.deletion == token_hash(token))
        async with self._database.reading() as connection:
            return bool((await connection.execute(select(its))).scalar_one())

    async def lecture(self, lecture_id: str) -> KeptLecture | None:
        """The lecture with this id; None if there is none."""
        if not is_text(lecture_id):
            return None
        columns = [lectures.c[name] for name in KeptLecture.__struct_fields__]
        async with self._database.reading() as connection:
            row = (await connection.execute(select(*columns).where(lectures.c.id == lecture_id))).one_or_none()
        return None if row is None else KeptLecture(**row._mapping)

    async def visit(self, lecture: KeptLecture, shown: Collection[str]) -> None:
        """Record today's visit of a lecture and of the links in the lecture. This method writes at most once a day."""
        today = self._clock().date()
        if lecture.visited >= today:
            return
        async with self._database.writing() as connection:
            await held_size(connection)  # locks in the same order as a deletion, to avoid deadlocks
            its = and_(lectures.c.id == lecture.id, lectures.c.visited < today)
            await connection.execute(update(lectures).where(its).values(visited=today))
            theirs = and_(snippets.c.id.in_(shown), snippets.c.visited < today)
            await connection.execute(update(snippets).where(theirs).values(visited=today))

    async def delete_by_token(self, lecture_id: str, token: str) -> bool:
        """Delete a lecture if `token` is the lecture's token; return whether the token was correct."""
        return await self._delete(and_(lectures.c.id == lecture_id, lectures.c.deletion == token_hash(token))) > 0

    async def delete(self, ids: Collection[str]) -> int:
        """Delete the lectures with these ids; return the number of deleted lectures."""
        return await self._delete(lectures.c.id.in_(ids))

    async def delete_unvisited(self, lately: timedelta) -> int:
        """Delete at most MOST_EXPIRED lectures that had no visit within `lately`, the least recently visited first; return
        their number. Held lectures stay."""
        expired = and_(lectures.c.visited < self._clock().date() - lately, lectures.c.held.is_(None))
        oldest = select(lectures.c.id).where(expired).order_by(lectures.c.visited).limit(MOST_EXPIRED)
        return await self._delete(lectures.c.id.in_(oldest))

    async def hold(self, ids: Collection[str]) -> int:
        """Hold the lectures with these ids; return the number of lectures that exist."""
        return sum([await self._set_held(each, self._clock()) for each in set(ids)])

    async def release(self, ids: Collection[str]) -> int:
        """Release the lectures with these ids; return the number of lectures that exist."""
        return sum([await self._set_held(each, None) for each in set(ids)])

    async def listed(self, by: Literal["size", "age", "visit", "reports"], most: int) -> Sequence[ListedLecture]:
        """At most `most` lectures: the largest, oldest, least recently visited or most reported first, depending on `by`."""
        reported = select(func.count()).where(lecture_reports.c.lecture == lectures.c.id).scalar_subquery()
        order = {
            "size": lectures.c.bytes.desc(),
            "age": lectures.c.created,
            "visit": lectures.c.visited,
            "reports": reported.desc(),
        }[by]
        columns = [lectures.c[name] for name in ListedLecture.__struct_fields__ if name != "reports"]
        query = select(*columns, reported.label("reports")).order_by(order, lectures.c.id).limit(most)
        async with self._database.reading() as connection:
            return [ListedLecture(**row._mapping) for row in (await connection.execute(query)).all()]

    async def _set_held(self, lecture_id: str, held: datetime | None) -> int:
        async with self._database.freeing() as connection:
            await held_size(connection)
            changed = update(lectures).where(lectures.c.id == lecture_id).values(held=held)
            return int((await connection.execute(changed)).rowcount)

    async def _delete(self, which: ColumnElement[bool]) -> int:
        async with self._database.freeing() as connection:
            kept_bytes = await held_size(connection)
            gone = (await connection.execute(delete(lectures).where(which).returning(lectures.c.bytes))).scalars().all()
            await connection.execute(update(size).values(bytes=kept_bytes - sum(gone)))
            return len(gone)


def _check(written: Written) -> None:
    if not is_text(written.title + written.author + written.parts):
        raise NotText("The lecture contains a NUL character or a lone surrogate, which cannot be stored.")
