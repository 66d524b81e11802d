"""Concurrent writes by one server and by two servers with one database."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from app.store import Store, StoreFull, StoreUnavailable, database
from app.store.tables import recordings, size
from tests.postgresql import Cluster
from tests.store.recordings import recording
from tests.store.test_store import counted

pytestmark = pytest.mark.asyncio
VISITORS = 50


@pytest_asyncio.fixture
async def servers(url: str) -> AsyncIterator[list[Store]]:
    """Start two servers at the same time on a new database."""
    opened = list(await asyncio.gather(Store.open(url, 1 << 20), Store.open(url, 1 << 20)))
    yield opened
    for store in opened:
        await store.close()


async def test_a_class_keeps_the_same_recording(servers: list[Store]) -> None:
    same = recording("x = 1")
    ids = await asyncio.gather(*(servers[n % 2].keep("x = 1", 0, same) for n in range(VISITORS)))
    assert len(set(ids)) == VISITORS
    for snippet_id in ids:
        snippet = await servers[0].snippet(snippet_id)
        assert snippet is not None and snippet.recording == same.hash
    async with servers[0]._database.reading() as connection:
        assert (await connection.execute(select(func.count()).select_from(recordings))).scalar_one() == 1
    assert await servers[0].size() == await counted(servers[1])


async def test_whatever_isolation_a_database_has_by_default(cluster: Cluster, postgresql: str) -> None:
    name = postgresql.partition("@/")[2].partition("?")[0]
    cluster.run(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    servers = [await Store.open(postgresql, 1 << 20) for _ in range(2)]
    await test_a_class_keeps_the_same_recording(servers)
    for store in servers:
        await store.close()


async def test_nobody_overshoots_the_size(servers: list[Store]) -> None:
    await servers[0].keep("x = 00", 0, recording("x = 00"))
    of_one = await servers[0].size()
    room = 20 * of_one + of_one // 2
    for store in servers:
        store._max_bytes = room
    sources = [f"x = {number}" for number in range(10, 10 + VISITORS)]
    ended = await asyncio.gather(
        *(servers[n % 2].keep(source, 0, recording(source)) for n, source in enumerate(sources)), return_exceptions=True
    )
    kept = [end for end in ended if isinstance(end, str)]
    assert len(kept) + sum(isinstance(end, StoreFull) for end in ended) == VISITORS
    assert await servers[0].size() == await counted(servers[1]) <= room
    assert len(kept) in (18, 19, 20), "as many as fit, however well each one packs"


async def test_who_waits_for_a_writer_keeps_nobody_from_reading(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", database.ANSWER_SECONDS)
    here, elsewhere = [await Store.open(url, 1 << 20) for _ in range(2)]
    snippet_id = await here.keep("x = 1", 0, recording("x = 1"))
    async with elsewhere._database.writing() as connection:
        await connection.execute(select(size.c.bytes).with_for_update())
        waiting = [asyncio.ensure_future(here.keep("y = 1", 0, recording("y = 1"))) for _ in range(VISITORS)]
        await asyncio.wait(waiting, timeout=0.1)
        for _ in range(VISITORS):
            assert await here.snippet(snippet_id) is not None
        assert not any(each.done() for each in waiting)
    assert len(set(await asyncio.gather(*waiting))) == VISITORS
    for store in (here, elsewhere):
        await store.close()


async def test_a_writer_elsewhere_that_stands_still(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 1)
    here, elsewhere = [await Store.open(url, 1 << 20) for _ in range(2)]
    async with elsewhere._database.writing() as connection:
        await connection.execute(select(size.c.bytes).with_for_update())
        monkeypatch.setattr(database, "ANSWER_SECONDS", 1)
        for end in await asyncio.gather(*(here.keep("x", 0, recording("x")) for _ in range(3)), return_exceptions=True):
            assert isinstance(end, StoreUnavailable)
    monkeypatch.undo()
    await here.keep("x = 1", 0, recording("x = 1"))
    for store in (here, elsewhere):
        await store.close()


async def test_a_process_that_stands_still_loses_the_lock(postgresql: str) -> None:
    """PostgreSQL ends the transaction of a process that was stopped by SIGSTOP."""
    here, elsewhere = [await Store.open(postgresql, 1 << 20) for _ in range(2)]
    bound = f"{database.ANSWER_SECONDS}s"
    with pytest.raises(DBAPIError, match="idle-in-transaction timeout"):
        async with elsewhere._database._engine.begin() as connection:
            for name in ("idle_in_transaction_session_timeout", "statement_timeout"):
                assert (await connection.execute(text(f"SHOW {name}"))).scalar_one() == bound
            await connection.execute(select(size.c.bytes).with_for_update())
            await connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 100"))
            await here.keep("x = 1", 0, recording("x = 1"))
            await connection.execute(select(size.c.bytes))
    for store in (here, elsewhere):
        await store.close()


async def test_who_hangs_up_holds_nothing(store: Store) -> None:
    keeping = [asyncio.ensure_future(store.keep(f"x = {n}", 0, recording(f"x = {n}"))) for n in range(VISITORS)]
    await keeping[0]  # the other writers are now anywhere between compressing and committing
    for each in keeping[1::2]:
        each.cancel()
    ended = await asyncio.gather(*keeping, return_exceptions=True)
    kept = [end for end in ended if isinstance(end, str)]
    assert len(kept) >= VISITORS // 2
    for snippet_id in kept:
        assert await store.snippet(snippet_id) is not None
    assert await store.size() == await counted(store)
    assert store._database._engine.pool.checkedout() == 0  # type: ignore[attr-defined]


async def test_nobody_is_left_in_a_transaction(cluster: Cluster, postgresql: str) -> None:
    store = await Store.open(postgresql, 1 << 20)
    await test_who_hangs_up_holds_nothing(store)
    ours = "SELECT state FROM pg_stat_activity WHERE application_name = 'stepgrad' AND state <> 'idle'"
    assert cluster.run(ours) == []
    await store.close()
