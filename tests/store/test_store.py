"""Properties of the store: it returns what was stored, stores nothing twice, and loses nothing when it is full."""

import asyncio
import re
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, event, text, update

from app.store import Store, StoreDamaged, StoreFull, StoreUnavailable, request_key
from app.store.tables import metadata, recordings
from app.trace.records import Request
from tests.store.recordings import key, recording

pytestmark = pytest.mark.asyncio
KEPT = ("recordings", "snippets", "explanations", "lectures")


async def test_what_went_in_comes_out(store: Store) -> None:
    kept = recording("x = '多言語 🙂'")
    snippet_id = await store.keep("x = '多言語 🙂'", 7, kept)
    assert re.fullmatch(r"[A-Za-z0-9]{11}", snippet_id)
    snippet = await store.snippet(snippet_id)
    assert snippet is not None
    assert (snippet.source, snippet.seed, snippet.recording, snippet.recorded_again) == ("x = '多言語 🙂'", 7, kept.hash, None)
    assert await store.recording(kept.hash) == kept


async def test_whether_the_cpu_stood_in_is_kept(store: Store) -> None:
    for stand_in in (False, True):
        snippet = await store.snippet(await store.keep("x = 1", 0, recording("x = 1"), stand_in=stand_in))
        assert snippet is not None and snippet.stand_in is stand_in
    assert request_key(Request(source="x"), "1") != request_key(Request(source="x", stand_in=True), "1")


async def counted(store: Store) -> int:
    """Return the total size of all stored data in bytes."""
    async with store._database.reading() as connection:
        sums = [await connection.execute(text(f"SELECT COALESCE(SUM(bytes), 0) FROM {table}")) for table in KEPT]
    return sum(int(each.scalar_one()) for each in sums)


async def test_the_size_is_what_is_kept(store: Store) -> None:
    assert await store.size() == 0
    first = await store.keep("x = 1", 0, recording("x = 1"))
    one = await store.size()
    await store.keep("x = 1", 0, recording("x = 1"))
    two = await store.size()
    assert 0 < two - one < one, "the recording counts once"
    await store.keep_again(first, recording("x = 1", torch="2.13.1"))
    assert two < await store.size() == await counted(store)


async def test_keeping_adds_nothing_up(store: Store) -> None:
    said: list[str] = []
    event.listen(store._database._engine.sync_engine, "before_cursor_execute", lambda *args: said.append(args[2]))
    await store.keep("x = 1", 0, recording("x = 1"))
    assert said and not any("sum" in statement.lower() for statement in said)


async def test_an_unknown_id_is_none(store: Store) -> None:
    assert await store.snippet("nothing") is None
    assert await store.latest("nothing") is None


async def test_one_recording_for_many_snippets(store: Store) -> None:
    first, second = [await store.keep("x = 1", 0, recording("x = 1")) for _ in range(2)]
    assert first != second
    assert (await store.snippet(first)).recording == (await store.snippet(second)).recording  # type: ignore[union-attr]


async def test_the_latest_answer_to_a_request(store: Store) -> None:
    await store.keep("x = 1", 0, recording("x = 1"))
    later = recording("x = 1", torch="2.13.1")
    await store.keep("x = 1", 0, later)
    assert await store.latest(key("x = 1")) == later


async def test_everything_is_there_after_reopening(url: str) -> None:
    store = await Store.open(url, 1 << 20)
    snippet_id = await store.keep("x = 1", 0, recording("x = 1"))
    await store.close()
    store = await Store.open(url, 1 << 20)
    assert await store.snippet(snippet_id) is not None
    await store.close()


async def test_a_full_store_says_so_and_loses_nothing(url: str) -> None:
    store = await Store.open(url, 2000)
    kept = []
    with pytest.raises(StoreFull, match="2000 bytes"):
        for number in range(100):
            kept.append(await store.keep(f"x = {number}", 0, recording(f"x = {number}")))
    assert kept
    assert await store.size() == await counted(store) <= 2000
    for number, snippet_id in enumerate(kept):
        snippet = await store.snippet(snippet_id)
        assert snippet is not None and snippet.source == f"x = {number}"
        assert await store.recording(snippet.recording) == recording(f"x = {number}")
    await store.close()


async def test_recorded_again(store: Store) -> None:
    snippet_id = await store.keep("x = 1", 0, recording("x = 1", version=0))
    newer = recording("x = 1")
    when = await store.keep_again(snippet_id, newer)
    snippet = await store.snippet(snippet_id)
    assert snippet is not None
    assert (snippet.recording, snippet.format, snippet.recorded_again) == (newer.hash, newer.format, when)


@pytest.mark.parametrize("damage", [b"nonsense", b"x\x9c\x03\x00\x00\x00\x00\x01"])
async def test_damage_is_noticed(store: Store, damage: bytes) -> None:
    kept = recording("x = 1")
    await store.keep("x = 1", 0, kept)
    async with store._database.writing() as connection:
        await connection.execute(update(recordings).values(trace=damage))
    with pytest.raises(StoreDamaged, match=kept.hash):
        await store.recording(kept.hash)


async def test_two_processes_worth_of_writers_at_once(url: str) -> None:
    stores = await asyncio.gather(Store.open(url, 1 << 20), Store.open(url, 1 << 20))
    kept = await asyncio.gather(*(stores[n % 2].keep(f"x = {n}", 0, recording(f"x = {n % 5}")) for n in range(40)))
    assert len(set(kept)) == 40
    for snippet_id in kept:
        assert await stores[0].snippet(snippet_id) is not None
    assert await stores[0].size() == await counted(stores[1])
    for store in stores:
        await store.close()


async def test_an_explanation_is_kept_with_its_recording(store: Store) -> None:
    kept = recording("x = 1")
    await store.keep_explanation(kept.hash, "first", b"{}")
    assert await store.explanation(kept.hash, "first") is None, "nothing shows this recording"
    assert not await store.is_shown(kept.hash)
    await store.keep("x = 1", 0, kept)
    assert await store.is_shown(kept.hash)
    without = await store.size()
    await store.keep_explanation(kept.hash, "first", b"{}" * 1000)
    assert await store.explanation(kept.hash, "first") == b"{}" * 1000
    assert without < await store.size() == await counted(store)
    await store.keep_explanation(kept.hash, "second", b"[]")
    assert await store.explanation(kept.hash, "first") is None, "another word has taken its place"
    assert await store.explanation(kept.hash, "second") == b"[]"
    assert await store.size() == await counted(store)


async def test_a_full_store_keeps_no_explanation(url: str) -> None:
    kept = recording("x = 1")
    store = await Store.open(url, 1 << 20)
    await store.keep("x = 1", 0, kept)
    store._max_bytes = await store.size()
    with pytest.raises(StoreFull):
        await store.keep_explanation(kept.hash, "first", b"{}")
    assert await store.explanation(kept.hash, "first") is None
    assert await store.size() == await counted(store)
    await store.close()


async def test_many_open_a_new_sqlite_at_once(tmp_path: Path) -> None:
    for turn in range(5):
        url = f"sqlite:///{tmp_path / str(turn)}.sqlite"
        for store in await asyncio.gather(*(Store.open(url, 1 << 20) for _ in range(8))):
            await store.close()


async def test_sqlite_is_set_up(sqlite: str) -> None:
    store = await Store.open(sqlite, 1 << 20)
    async with store._database.reading() as connection:
        for pragma, value in (("journal_mode", "wal"), ("foreign_keys", 1), ("busy_timeout", 5000)):
            assert (await connection.execute(text(f"PRAGMA {pragma}"))).scalar_one() == value
    await store.close()


async def test_migrations_make_the_tables_that_the_code_expects(store: Store) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    async with store._database.reading() as connection:
        assert await connection.run_sync(differences) == []


async def test_a_newer_store_is_refused(url: str, store: Store) -> None:
    async with store._database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnavailable, match="newer version of Stepgrad"):
        await Store.open(url, 1 << 20)


async def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(StoreUnavailable, match="does not respond"):
        await Store.open("sqlite+aiosqlite:////nowhere/at/all.sqlite", 1 << 20)
