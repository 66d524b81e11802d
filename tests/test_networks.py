"""Rate limits for IPv6: a household or site with many /64 networks cannot exceed a limit by using all of them."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from app.engine import Admission, Refused
from app.networks import NetworkCounts, networks_of
from app.rooms.credentials import Credentials
from app.store import tables
from app.store.errors import QuotaSpent
from app.store.quotas import REPORTS_OF_ADDRESS, Maker, Quota, Quotas
from app.store.room_rows import KeptRoom, RoomRows, _row
from app.store.tables import metadata
from app.web.edge.addresses import address_of
from app.web.edge.errors import Problem
from app.web.edge.rates import NetworkRates, Rates
from app.web.runs.large import Turns
from tests.engine.test_admission import CAPACITY, Holder, go, settle, somebody

Of = Callable[[int], str]


def of_a_household(number: int) -> str:
    """Return one of the /64 networks within a /56 network."""
    return f"2001:db8:0:{number % 256:x}::/64"


def of_a_site(number: int) -> str:
    """Return a /64 network within the numbered /56 network of a /48 network."""
    return f"2001:db8:0:{number % 256:x}00::/64"


ALL_OF = pytest.mark.parametrize(("of", "times"), [(of_a_household, 4), (of_a_site, 16), (lambda _: "192.0.2.1", 1)])


def test_where_an_address_counts() -> None:
    assert networks_of("192.0.2.1") == (("192.0.2.1", 1),)
    assert networks_of(address_of("2001:db8:1:2345::6", (), ())) == (
        ("2001:db8:1:2345::/64", 1),
        ("2001:db8:1:2300::/56", 4),
        ("2001:db8:1::/48", 16),
    )


@given(st.ip_addresses())
def test_every_address_counts_somewhere(address: object) -> None:
    counted = address_of(str(address), (), ())
    (narrowest, times), *wider = networks_of(counted)
    assert (narrowest, times) == (counted, 1)
    assert len(wider) == (2 if "/64" in counted else 0)


@ALL_OF
def test_counts(of: Of, times: int) -> None:
    counts = NetworkCounts()
    for number in range(3 * times):
        assert not counts.reached(of(number), 3)
        counts.add(of(number))
    assert counts.reached(of(999), 3) == 3 * times
    assert not counts.reached("2001:db8:1::/64", 3) and not counts.reached("192.0.2.2", 3)
    for number in range(3 * times):
        counts.remove(of(number))
    assert not counts._of, "what has none is not kept"


@ALL_OF
def test_requests(of: Of, times: int) -> None:
    rates = NetworkRates(0.001, 3)
    assert not any(rates.take(of(number)) for number in range(3 * times))
    assert rates.take(of(200)) > 0 and rates.wait(of(200)) > 0
    assert rates.take("2001:db8:1::/64") == 0


def test_a_wider_network_is_filled_up_faster() -> None:
    now = 0.0
    rates = Rates(1, 2, lambda: now)
    assert [rates.take("site", 16) for _ in range(32)] == [0.0] * 32
    assert rates.take("site", 16) == pytest.approx(1 / 16)
    now = 1.0
    assert [rates.take("site", 16) for _ in range(16)] == [0.0] * 16
    assert rates.take("site", 16) > 0


@ALL_OF
async def test_runs(of: Of, times: int) -> None:
    admission = Admission(replace(CAPACITY, queue_length=1000, of_one_address=2))
    holders = [Holder(admission, somebody(number, of(number))) for number in range(2 * times)]
    await settle()
    with pytest.raises(Refused, match=f"network address already has {2 * times} active"):
        async with admission.slot(somebody(999, of(200))):
            pass
    await go(*holders)


@ALL_OF
async def test_nobody_is_kept_out_of_the_queue(of: Of, times: int) -> None:
    admission = Admission(replace(CAPACITY, queue_length=10))
    crowd = [Holder(admission, somebody(number, of(number))) for number in range(11)]
    await settle()
    other = Holder(admission, somebody(999, "192.0.2.2"))
    await settle()
    assert other.positions == [2], "those of one network have one turn together"
    with pytest.raises(Refused, match="most of its runs are from your network address"):
        await crowd[10].task
    await go(*crowd[:10], other)


@ALL_OF
async def test_large_answers(of: Of, times: int) -> None:
    turns = Turns(most=1000, of_address=2, waiting_seconds=0.01)
    async with AsyncExitStack() as stack:
        for number in range(2 * times):
            await stack.enter_async_context(turns.turn(of(number)))
        with pytest.raises(Problem):
            await stack.enter_async_context(turns.turn(of(200)))
        await stack.enter_async_context(turns.turn("192.0.2.2"))


@ALL_OF
async def test_links_and_reports(of: Of, times: int) -> None:
    when = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)  # without a time zone, as in the store
    quotas = Quotas(of_address=Quota(links=2, bytes=1000), of_visitor=Quota(links=1000, bytes=10**6), key=b"key")
    makers = numbered(of)
    async with in_memory() as connection:
        for _ in range(2 * times):
            await quotas.count(connection, next(makers), 1, when)
        with pytest.raises(QuotaSpent):
            await quotas.count(connection, next(makers), 1, when)
        for number in range(REPORTS_OF_ADDRESS * times):
            await quotas.count_report(connection, of(number), when)
        with pytest.raises(QuotaSpent, match=f"limit of {REPORTS_OF_ADDRESS * times} reports"):
            await quotas.count_report(connection, of(255), when)


@ALL_OF
async def test_rooms(of: Of, times: int) -> None:
    rows, credentials = RoomRows(cast(Any, None)), Credentials(b"key")
    async with in_memory() as connection:
        for number in range(2 * times):
            opener = credentials.opener(of(number))
            assert len(opener) <= 64, "as many as the store has for it"
            assert await rows._counted(connection, opener, 2) == (False, number)
            row = KeptRoom(
                id=str(number),
                code=str(number),
                secrets=("",),
                takeovers=0,
                link=None,
                opener=opener,
                opened=datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None),
                state="{}",
            )
            await connection.execute(insert(tables.rooms).values(**_row(row)))
        assert await rows._counted(connection, credentials.opener(of(200)), 2) == (True, 2 * times)
        assert await rows._counted(connection, credentials.opener("192.0.2.2"), 2) == (False, 2 * times)


@asynccontextmanager
async def in_memory() -> AsyncIterator[AsyncConnection]:
    """Yield an empty database with the store's tables."""
    engine = create_async_engine("sqlite+aiosqlite://")
    try:
        async with engine.begin() as connection:
            await connection.run_sync(metadata.create_all)
            yield connection
    finally:
        await engine.dispose()


def numbered(of: Of) -> Iterator[Maker]:
    """Yield creators of links, each in another /64 network."""
    number = 0
    while True:
        yield Maker(address=of(number), visitor=f"visitor {number}", token="token")
        number += 1
