"""What visitors report about links: each once for a link, with a line of their own, for the operator."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Final

import msgspec
from sqlalchemy import func, insert, select, update

from app.store.database import Database
from app.store.errors import LinkGone, NotText
from app.store.links import held_size
from app.store.quotas import Quotas
from app.store.recording import is_text
from app.store.tables import reports, size, snippets

MOST_OF_LINK: Final = 100
"""Reports that are kept of one link: an operator who has so many needs no more."""
ROW_BYTES: Final = 200
"""What a row costs besides its reason."""


class Reporter(msgspec.Struct, frozen=True, kw_only=True):
    """Who reports a link: their network's address, and their visitor's name or, of somebody new, the address again."""

    address: str
    visitor: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A report as an operator sees it."""

    day: date
    reason: str


class Reports:
    """The reports about the links of one store. Every method is one transaction; each may raise StoreUnavailable."""

    def __init__(self, database: Database, quotas: Quotas | None, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._quotas = quotas
        self._clock = clock

    async def add(self, snippet_id: str, reporter: Reporter, reason: str) -> None:
        """Keep a report; a second one of the same reporter changes nothing. Raises LinkGone, NotText and QuotaSpent."""
        if not is_text(reason):
            raise NotText("The reason holds a NUL character or half a character, which cannot be kept.")
        maker, when = self._maker(snippet_id, reporter), self._clock()
        of_link = select(func.count()).where(reports.c.snippet == snippet_id)
        async with self._database.writing() as connection:
            kept_bytes = await held_size(connection)  # first, as whoever deletes the link
            if (await connection.execute(select(snippets.c.id).where(snippets.c.id == snippet_id))).one_or_none() is None:
                raise LinkGone("This link was deleted.")
            if (await connection.execute(of_link.where(reports.c.maker == maker))).scalar_one() > 0:
                return
            if self._quotas is not None:
                await self._quotas.count_report(connection, reporter.address, when)
            if (await connection.execute(of_link)).scalar_one() >= MOST_OF_LINK:
                return
            row = {"snippet": snippet_id, "maker": maker, "day": when.date(), "reason": reason}
            await connection.execute(insert(reports).values(row))
            more = ROW_BYTES + len(reason.encode())
            grown = update(snippets).where(snippets.c.id == snippet_id).values(bytes=snippets.c.bytes + more)
            await connection.execute(grown)
            await connection.execute(update(size).values(bytes=kept_bytes + more))  # a full store takes them, too

    async def about(self, snippet_id: str) -> Sequence[Report]:
        """The reports about a link, the earliest first."""
        query = select(reports.c.day, reports.c.reason).where(reports.c.snippet == snippet_id)
        async with self._database.reading() as connection:
            found = await connection.execute(query.order_by(reports.c.day, reports.c.maker))
            return [Report(**row._mapping) for row in found.all()]

    def _maker(self, snippet_id: str, reporter: Reporter) -> str:
        key = b"" if self._quotas is None else self._quotas.key
        return hmac.digest(key, f"report\0{snippet_id}\0{reporter.visitor}".encode(), hashlib.sha256).hex()
