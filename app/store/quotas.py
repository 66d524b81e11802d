"""Limits how many links and bytes an address and a visitor may store per day. The transaction that stores a link also counts
the link."""

import hashlib
import hmac
import math
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, and_, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.networks import networks_of
from app.store.errors import QuotaSpent
from app.store.tables import quotas

REPORTS_OF_ADDRESS: Final = 30
"""Maximum number of reports from one address per day: enough for a class behind one router, but not for a script."""


class Maker(msgspec.Struct, frozen=True, kw_only=True):
    """The maker of a link: the network address, the visitor's name, and the token for deleting the link."""

    address: str
    visitor: str
    token: str


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """A daily limit: links, and bytes as counted in the store's size."""

    links: int
    bytes: int


class Quotas(msgspec.Struct, frozen=True, kw_only=True):
    """The daily limits of an address and a visitor. A day begins at midnight UTC.

    A client cannot evade the address's limit, but can evade the visitor's limit by deleting the cookie. The visitor's limit
    protects other visitors at the address from a page that sends too many requests because of a bug.
    """

    of_address: Quota
    of_visitor: Quota
    key: bytes = b""
    """The key for hashing addresses and visitors: the first key of the store, so that a new signing key resets no quota."""

    async def check(self, connection: AsyncConnection, maker: Maker, added_bytes: int, when: datetime) -> None:
        """Raise QuotaSpent if `maker` may not store another `added_bytes` at `when`."""
        for whose, quota, row in self._rows(maker, when.date()):
            kept = (await connection.execute(select(quotas.c.links, quotas.c.bytes).where(_is(row)))).one_or_none()
            links, total = (0, 0) if kept is None else (kept.links, kept.bytes)
            if links >= quota.links or total + added_bytes > quota.bytes:
                raise _spent(whose, quota, when)

    async def count(self, connection: AsyncConnection, maker: Maker, added_bytes: int, when: datetime) -> None:
        """Count a link of `maker`. Raises QuotaSpent.

        The transaction must have locked the row of the store's size, which serializes concurrent writers.
        """
        await self.check(connection, maker, added_bytes, when)
        for _, _, row in self._rows(maker, when.date()):
            more = update(quotas).where(_is(row)).values(links=quotas.c.links + 1, bytes=quotas.c.bytes + added_bytes)
            if (await connection.execute(more)).rowcount == 0:
                await connection.execute(insert(quotas).values(**row, links=1, bytes=added_bytes))

    async def count_report(self, connection: AsyncConnection, address: str, when: datetime) -> None:
        """Count a report from `address`. Raises QuotaSpent. The transaction must have locked the row of the store's size."""
        for name, times in networks_of(address):
            row = {"day": when.date(), "maker": self._digest(when.date(), "reports", name)}
            more = update(quotas).where(_is(row)).values(links=quotas.c.links + 1).returning(quotas.c.links)
            count = (await connection.execute(more)).scalar_one_or_none()
            if count is None:
                await connection.execute(insert(quotas).values(**row, links=1, bytes=0))
            elif count > REPORTS_OF_ADDRESS * times:
                most = REPORTS_OF_ADDRESS * times
                message = f"Your network has reached today's limit of {most} reports."
                raise QuotaSpent("reports", message, _seconds_left(when))

    def _rows(self, maker: Maker, day: date) -> Iterator[tuple[str, Quota, dict[str, Any]]]:
        for name, times in networks_of(maker.address):
            quota = Quota(links=self.of_address.links * times, bytes=self.of_address.bytes * times)
            yield "address", quota, {"day": day, "maker": self._digest(day, "address", name)}
        yield "visitor", self.of_visitor, {"day": day, "maker": self._digest(day, "visitor", maker.visitor)}

    def _digest(self, day: date, whose: str, name: str) -> str:
        return hmac.digest(self.key, f"quota\0{day}\0{whose}\0{name}".encode(), hashlib.sha256).hex()


def _is(row: dict[str, Any]) -> ColumnElement[bool]:
    return and_(quotas.c.day == row["day"], quotas.c.maker == row["maker"])


def _spent(whose: str, quota: Quota, when: datetime) -> QuotaSpent:
    you = {"address": "Your network has", "visitor": "You have"}[whose]
    one = {"address": "network", "visitor": "visitor"}[whose]
    message = f"{you} reached today's limit for one {one}: {quota.links} links, and {max(1, quota.bytes >> 20)} MB."
    return QuotaSpent(whose, message, _seconds_left(when))


def _seconds_left(when: datetime) -> int:
    midnight = datetime.combine(when.date() + timedelta(days=1), time())
    return math.ceil((midnight - when).total_seconds())
