"""Recent recordings that web processes share in PostgreSQL: limits of size and age, and deletion."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from hashlib import sha256

import pytest
import pytest_asyncio
from sqlalchemy import text

from app.store import Store
from app.store import recent_recordings as module
from app.store.recent_recordings import FETCHED, KEPT, RecentRows
from app.store.store import now
from tests.postgresql import Cluster, cluster

MOST = 100_000


class Clock:
    """The real time plus an offset."""

    def __init__(self) -> None:
        self.later = timedelta()

    def __call__(self) -> datetime:
        return now() + self.later


class Webs:
    """Two web processes with one database."""

    def __init__(self, stores: list[Store], clock: Clock) -> None:
        self.stores = stores
        self.clock = clock

    @property
    def rows(self) -> list[RecentRows]:
        return [store.recent for store in self.stores if store.recent is not None]

    async def bytes(self) -> tuple[int, int]:
        """Return the number of rows, and the total size of their recordings in bytes."""
        async with self.stores[0]._database.reading() as connection:
            counted = "SELECT count(*), coalesce(sum(length(trace)), 0) FROM recent_recordings"
            count, size = (await connection.execute(text(counted))).one()
            return count, size


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Cluster]:
    with cluster() as up:
        yield up


@pytest_asyncio.fixture
async def webs(postgresql: Cluster, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Webs]:
    monkeypatch.setattr(module, "SWEEP_SECONDS", 0.0)
    clock = Clock()
    with postgresql.database() as url:
        stores = [await Store.open(url, 1 << 30, clock=clock) for _ in range(2)]
        yield Webs(stores, clock)
        for store in stores:
            await store.close()


def made(number: int, size: int) -> tuple[str, bytes]:
    """Return a recording that cannot be compressed, with its hash."""
    trace = b"".join(sha256(b"%d %d" % (number, part)).digest() for part in range(size // 32))
    return sha256(trace).hexdigest(), trace


async def test_each_web_finds_what_the_other_one_made(webs: Webs) -> None:
    here, there = webs.rows
    name, trace = made(0, 1000)
    await here.add(name, trace, 1.5, MOST)
    assert await there.get(name) == (trace, 1.5) and await there.may_be_fetched(name) is True
    assert await there.get("0" * 64) is None and await there.may_be_fetched("0" * 64) is False
    await there.forget(name)
    assert await here.get(name) is None and await here.may_be_fetched(name) is False
    await here.add(name, trace, 2.5, MOST)
    assert await there.get(name) == (trace, 2.5) and await there.may_be_fetched(name) is True, "it was recorded again"


async def test_the_oldest_give_way_and_may_still_be_fetched(webs: Webs) -> None:
    """A recording without a row can still be fetched from the web process that made it, which has a file with it."""
    here, there = webs.rows
    recordings = [made(number, 30_000) for number in range(10)]
    for number, (name, trace) in enumerate(recordings):
        await webs.rows[number % 2].add(name, trace, 1.0, MOST)
        count, size = await webs.bytes()
        assert count == number + 1 and size <= MOST
    assert [await here.get(name) is not None for name, _ in recordings] == [False] * 7 + [True] * 3
    assert all([await there.may_be_fetched(name) for name, _ in recordings])
    large, trace = made(99, 2 * MOST)
    await here.add(large, trace, 1.0, MOST)
    assert await there.get(large) is None and await there.may_be_fetched(large) is True
    assert await there.get(recordings[-1][0]) is not None


async def test_all_is_gone_after_a_while(webs: Webs) -> None:
    here, there = webs.rows
    await here.add(*made(0, 1000), 1.0, MOST)
    webs.clock.later = FETCHED
    assert await there.may_be_fetched(made(0, 1000)[0]) is False
    assert await there.get(made(0, 1000)[0]) is not None, "its visitor may share it still"
    webs.clock.later = KEPT
    await there.add(*made(1, 1000), 1.0, MOST)
    assert await here.get(made(0, 1000)[0]) is None and (await webs.bytes())[0] == 1


async def test_one_web_on_sqlite_shares_nothing(tmp_path: object) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path}/store.sqlite", 1 << 30)
    assert store.recent is None
    await store.close()
