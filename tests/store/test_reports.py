"""Reports about links: one per visitor, a limit, counting, and deletion with the link."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import select, text

from app.store import LinkGone, NotText, QuotaSpent, Reporter, Store
from app.store.quotas import REPORTS_OF_ADDRESS
from app.store.reports import MOST_OF_LINK
from app.store.tables import reports
from tests.store.recordings import recording
from tests.store.test_rules import Clock, allowing, clock, kept, maker, store
from tests.store.test_store import counted

__all__ = ["clock", "store"]
pytestmark = pytest.mark.asyncio


def reporter(visitor: str = "somebody", address: str = "192.0.2.1") -> Reporter:
    return Reporter(address=address, visitor=visitor)


async def test_a_visitor_reports_a_link_once(store: Store) -> None:
    link, other = await kept(store, "x = 1"), await kept(store, "x = 2")
    before = await store.size()
    await asyncio.gather(*(store.reports.add(link, reporter(), "rude") for _ in range(5)))
    await store.reports.add(link, reporter("somebody else"), "名字 🙂")
    await store.reports.add(other, reporter(), "")
    assert sorted(report.reason for report in await store.reports.about(link)) == ["rude", "名字 🙂"]
    assert [each.reports for each in await store.links.listed("reports", 9)] == [2, 1]
    assert await store.size() == await counted(store) > before
    async with store._database.reading() as connection:
        makers = (await connection.execute(select(reports.c.maker))).scalars().all()
    assert len(set(makers)) == 3, "the same visitor has another hash for another link"
    assert not any("somebody" in each for each in makers)


async def test_reports_go_with_their_link(store: Store) -> None:
    by_token, by_operator = await kept(store, "x = 1", maker(token="t1")), await kept(store, "x = 2")
    expiring = await kept(store, "x = 3")
    for link in (by_token, by_operator, expiring):
        await store.reports.add(link, reporter(), "rude")
    assert await store.links.delete_by_token(by_token, "t1")
    assert await store.links.delete([by_operator]) == 1
    store.links._clock = lambda: Clock().now + timedelta(days=40)
    assert await store.links.delete_unvisited(timedelta(days=30)) == 1
    async with store._database.reading() as connection:
        assert (await connection.execute(text("SELECT COUNT(*) FROM reports"))).scalar_one() == 0
    assert await store.size() == await counted(store) == 0
    with pytest.raises(LinkGone):
        await store.reports.add(by_token, reporter(), "rude")


async def test_one_address_is_noted_for_so_many_a_day(store: Store, clock: Clock) -> None:
    link = await kept(store, "x = 1")
    for number in range(REPORTS_OF_ADDRESS):
        await store.reports.add(link, reporter(f"visitor {number}"), "")
    with pytest.raises(QuotaSpent) as spent:
        await store.reports.add(link, reporter("one more"), "")
    assert spent.value.whose == "reports" and 0 < spent.value.retry_after <= 24 * 3600
    await store.reports.add(link, reporter("visitor 0"), "")  # a second report of the same visitor does not count
    await store.reports.add(link, reporter("one more", "192.0.2.2"), "")
    clock.now += timedelta(days=1)
    await store.links.forget_quotas()
    await store.reports.add(link, reporter("yet one more"), "")
    assert len(await store.reports.about(link)) == REPORTS_OF_ADDRESS + 2


async def test_a_link_keeps_so_many_reports(url: str) -> None:
    store = await Store.open(url, 1 << 20, allowing(3))
    link = await store.keep("x = 1", 0, recording("x = 1"))
    for number in range(MOST_OF_LINK + 5):
        await store.reports.add(link, reporter(str(number), f"192.0.2.{number % 100}"), "")
    assert len(await store.reports.about(link)) == MOST_OF_LINK
    await store.close()


@pytest.mark.parametrize("reason", ["a\0b", "half \ud800"])
async def test_a_reason_is_text(store: Store, reason: str) -> None:
    link = await kept(store, "x = 1")
    with pytest.raises(NotText):
        await store.reports.add(link, reporter(), reason)
