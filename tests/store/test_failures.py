"""A database that cannot be reached, disappears, freezes or is full. The store raises one clear error, and recovers without a
restart.
"""

import asyncio
import signal
import sys

import pytest
from sqlalchemy import event

from app.store import NotText, Store, StoreError, StoreFull, StoreUnavailable, database
from tests.postgresql import Cluster
from tests.sandbox.processes import PATIENCE
from tests.store.recordings import recording

pytestmark = pytest.mark.asyncio
NO_ANSWER = "The store does not respond."


def name_of(url: str) -> str:
    return url.partition("@/")[2].partition("?")[0]


async def refusal(url: str) -> StoreError:
    """Return the error that opening the store raises."""
    with pytest.raises(StoreUnavailable) as refused:
        await Store.open(url, 1 << 20)
    assert "\n" not in refused.value.for_operators()
    return refused.value


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://u:secret@127.0.0.1:1/x", "Connection refused."),
        ("postgresql://u:secret@/x?host=/nowhere", "No such file or directory."),
        ("postgresql://u:secret@/x?host=/nowhere&colour=red", 'invalid connection option "colour".'),
        ("sqlite:////nowhere/at/all.sqlite", "unable to open database file."),
    ],
)
async def test_nothing_there(url: str, reason: str) -> None:
    refused = await refusal(url)
    assert str(refused) == NO_ANSWER
    assert refused.for_operators().endswith(reason) and "secret" not in refused.for_operators()


@pytest.mark.parametrize("url", ["", "nonsense", "postgresql://u:p@ss:secret@h/x", "postgresql://u:secret@[::1/x"])
async def test_no_url(url: str) -> None:
    refused = await refusal(url)
    assert "postgresql://user:password@host/name" in str(refused) and "secret" not in refused.for_operators()


@pytest.mark.parametrize("scheme", ["mysql", "postgres", "postgresql+asyncpg", "sqlite+pysqlite"])
async def test_another_database(scheme: str) -> None:
    refused = await refusal(f"{scheme}://u:secret@h/x")
    assert f"{scheme}://" in str(refused) and "postgresql:// or sqlite://" in str(refused)
    assert "secret" not in refused.for_operators()


async def test_without_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "stepgrad[postgresql]" in str(await refusal("postgresql://127.0.0.1:1/x"))


async def test_not_let_in(cluster: Cluster, postgresql: str) -> None:
    wrong = await refusal(postgresql.replace(cluster.password, "secret"))
    assert str(wrong) == NO_ANSWER and "password authentication failed" in wrong.reason and "secret" not in wrong.reason
    unknown = await refusal(postgresql.replace(name_of(postgresql), "nowhere"))
    assert str(unknown) == NO_ANSWER and 'database "nowhere" does not exist' in unknown.reason
    cluster.run("CREATE ROLE reader LOGIN PASSWORD 'secret'")
    without_rights = await refusal(postgresql.replace(f"stepgrad:{cluster.password}", "reader:secret"))
    assert without_rights.reason == "permission denied for schema public"
    cluster.run("DROP ROLE reader")


async def test_encodings(cluster: Cluster) -> None:
    with cluster.database("TEMPLATE template0 ENCODING LATIN1") as url:
        assert "ENCODING 'UTF8'" in str(await refusal(url))
    with cluster.database("TEMPLATE template0 ENCODING SQL_ASCII") as url:
        store = await Store.open(url, 1 << 20)
        snippet = await store.snippet(await store.keep("x = '多言語 🙂'", 0, recording("x = '多言語 🙂'")))
        assert snippet is not None and snippet.source == "x = '多言語 🙂'"
        await store.close()


async def test_what_is_no_text_is_refused_by_both(store: Store) -> None:
    for source in ("x = '\0'", "x = '\ud800'"):
        with pytest.raises(NotText, match=r"^The snippet contains a NUL character or a lone surrogate"):
            await store.keep(source, 0, recording("x = 1"))
        assert await store.snippet(source) is None
        assert await store.is_shown(source) is False
    assert await store.size() == 0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT, signal.SIGKILL])
async def test_the_server_goes_and_comes_again(cluster: Cluster, postgresql: str, how: signal.Signals) -> None:
    store = await Store.open(postgresql, 1 << 20)
    snippet_id = await store.keep("x = 1", 0, recording("x = 1"))
    cluster.stop(how)
    cluster.start()
    assert await store.snippet(snippet_id) is not None, "nobody asked meanwhile, so nobody gets an error"
    cluster.stop(how)
    try:
        for asked in (store.snippet(snippet_id), store.keep("x = 2", 0, recording("x = 2"))):
            with pytest.raises(StoreUnavailable, match=f"^{NO_ANSWER}$"):
                await asked
        assert str(await refusal(postgresql)) == NO_ANSWER
    finally:
        cluster.start()
    assert await store.snippet(snippet_id) is not None
    assert await store.snippet(await store.keep("x = 2", 0, recording("x = 2"))) is not None
    await store.close()


async def test_connections_that_are_cut_under_a_transaction(cluster: Cluster, postgresql: str) -> None:
    store = await Store.open(postgresql, 1 << 20)
    cut = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'stepgrad'"
    ended = await asyncio.gather(
        *(store.keep(f"x = {n}", 0, recording(f"x = {n}")) for n in range(30)),
        *(asyncio.to_thread(cluster.run, cut) for _ in range(3)),
        return_exceptions=True,
    )
    assert {type(end) for end in ended[:30]} <= {str, StoreUnavailable}
    for end in ended[:30]:
        assert isinstance(end, StoreUnavailable) or await store.snippet(str(end)) is not None
    await store.close()


@pytest.mark.long
async def test_a_server_that_stands_still(cluster: Cluster, postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database driver tries to cancel its query, but does not wait forever."""
    store = await Store.open(postgresql, 1 << 20)
    snippet_id = await store.keep("x = 1", 0, recording("x = 1"))
    monkeypatch.setattr(database, "ANSWER_SECONDS", 1)
    cluster.signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(PATIENCE):
            asked = [store.snippet(snippet_id) for _ in range(20)] + [Store.open(postgresql, 1 << 20)]
            ended = await asyncio.gather(*asked, return_exceptions=True)
    finally:
        cluster.signal(signal.SIGCONT)
    assert {type(end) for end in ended} == {StoreUnavailable}
    monkeypatch.undo()
    assert await store.snippet(snippet_id) is not None
    await store.close()


async def test_a_full_disk_under_sqlite(sqlite: str) -> None:
    store = await Store.open(sqlite, 1 << 30)
    pages = iter(["PRAGMA max_page_count = 40"])
    engine = store._database._engine.sync_engine
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(next(pages, "SELECT 1")))
    kept = []
    with pytest.raises(StoreFull, match=r"^The disk of the store is full\.$"):
        for number in range(40):
            kept.append(await store.keep(source := f"x = '{number:>4000}'", 0, recording(source)))
    assert kept
    pages = iter([f"PRAGMA max_page_count = {1 << 20}"])
    kept.append(await store.keep("x = 1", 0, recording("x = 1")))
    for snippet_id in kept:
        assert await store.snippet(snippet_id) is not None
    await store.close()


async def test_a_full_disk_under_postgresql(cluster: Cluster, postgresql: str) -> None:
    store = await Store.open(postgresql, 1 << 20)
    ((path,),) = cluster.run("SELECT pg_relation_filepath('recordings')", database=name_of(postgresql))
    file = cluster.folder / "data" / path
    moved = file.rename(file.with_name("moved"))
    file.symlink_to("/dev/full")
    forget = "ALTER TABLE recordings SET (fillfactor = {})"  # makes PostgreSQL reopen the file
    cluster.run(forget.format(99), database=name_of(postgresql))
    with pytest.raises(StoreFull, match=r"^The disk of the store is full\.$") as full:
        await store.keep("x = 1", 0, recording("x = 1"))
    assert "No space left on device" in full.value.reason
    moved.replace(file)
    cluster.run(forget.format(100), database=name_of(postgresql))
    assert await store.size() == 0
    assert await store.snippet(await store.keep("x = 1", 0, recording("x = 1"))) is not None
    await store.close()
