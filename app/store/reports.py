"""Reports about links and lectures: one per visitor and link, with an optional reason, for the operator."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import Column, Table, func, insert, select, update

from app.store.database import Database
from app.store.errors import LinkGone, NotText
from app.store.links import held_size
from app.store.quotas import Quotas
from app.store.stored_recording import is_text
from app.store.tables import size

MOST_OF_LINK: Final = 100
"""Maximum number of stored reports per link, which is enough for an operator."""
ROW_BYTES: Final = 200
"""Bytes of a row in addition to its reason."""


class Reporter(msgspec.Struct, frozen=True, kw_only=True):
    """The reporter of a link: the network address, and the visitor's name or, for a new visitor, the address again."""

    address: str
    visitor: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A report as an operator sees it."""

    day: date
    reason: str


class About(NamedTuple):
    """What is reported, links or lectures: their table, the table of their reports, and the column of a report that refers to
    the reported row.

    The table of reported rows has the columns `id` and `bytes`.
    """

    subjects: Table
    reports: Table
    subject: Column[str]


class Reports:
    """The reports about the links, or lectures, of one store. Each method is one transaction and may raise StoreUnavailable."""

    def __init__(self, database: Database, quotas: Quotas | None, clock: Callable[[], datetime], about: About) -> None:
        self._database = database
        self._quotas = quotas
        self._clock = clock
        self._about = about

    async def add(self, subject_id: str, reporter: Reporter, reason: str) -> None:
        """Store a report. A second report from the same reporter has no effect. Raises LinkGone, NotText and QuotaSpent."""
        if not is_text(reason):
            raise NotText("The reason contains a NUL character or a lone surrogate, which cannot be stored.")
        maker, when = self._maker(subject_id, reporter), self._clock()
        subjects, reports, subject = self._about
        of_link = select(func.count()).where(subject == subject_id)
        async with self._database.writing() as connection:
            kept_bytes = await held_size(connection)  # locks in the same order as a deletion, to avoid deadlocks
            if (await connection.execute(select(subjects.c.id).where(subjects.c.id == subject_id))).one_or_none() is None:
                raise LinkGone("This link was deleted.")
            if (await connection.execute(of_link.where(reports.c.maker == maker))).scalar_one() > 0:
                return
            if self._quotas is not None:
                await self._quotas.count_report(connection, reporter.address, when)
            if (await connection.execute(of_link)).scalar_one() >= MOST_OF_LINK:
                return
            row = {subject.name: subject_id, "maker": maker, "day": when.date(), "reason": reason}
            await connection.execute(insert(reports).values(row))
            more = ROW_BYTES + len(reason.encode())
            grown = update(subjects).where(subjects.c.id == subject_id).values(bytes=subjects.c.bytes + more)
            await connection.execute(grown)
            await connection.execute(update(size).values(bytes=kept_bytes + more))  # a full store also accepts reports

    async def about(self, subject_id: str) -> Sequence[Report]:
        """The reports about a link or a lecture, earliest first."""
        _, reports, subject = self._about
        query = select(reports.c.day, reports.c.reason).where(subject == subject_id)
        async with self._database.reading() as connection:
            found = await connection.execute(query.order_by(reports.c.day, reports.c.maker))
            return [Report(**row._mapping) for row in found.all()]

    def _maker(self, subject_id: str, reporter: Reporter) -> str:
        key = b"" if self._quotas is None else self._quotas.key
        return hmac.digest(key, f"report\0{subject_id}\0{reporter.visitor}".encode(), hashlib.sha256).hex()
