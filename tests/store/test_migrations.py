"""Migrate databases of every earlier version, with their content."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, Table, insert, inspect, text

from app.store import Store, StoreUnavailable, database
from app.store.database import Database, migrations
from app.store.tables import metadata
from tests.sandbox.processes import PATIENCE
from tests.store.recordings import key, recording
from tests.store.test_store import counted

pytestmark = pytest.mark.asyncio
WHEN = datetime.fromisoformat("2026-01-02T03:04:05.678901")
SOURCES = ("x = '多言語 🙂'", "x = 1")
ROOM = 1 << 20


def revisions() -> list[str]:
    """Return all revisions of the database schema except the current one, oldest first."""
    with_all = ScriptDirectory.from_config(migrations(None))  # type: ignore[arg-type]  # nothing is run
    return [script.revision for script in with_all.walk_revisions()][:0:-1]


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Any]:
    """Yield a function that calls another function with a database connection, in a transaction."""
    database = Database(url)

    async def run(function: Any) -> Any:
        async with database.writing() as connection:
            return await connection.run_sync(function)

    yield run
    await database.close()


def fill(connection: Connection, revision: str) -> None:
    """Create the tables of an earlier version, with the content that this version would write."""
    command.upgrade(migrations(connection), revision)
    rows: dict[str, list[dict[str, Any]]] = {"recordings": [], "snippets": []}
    for number, source in enumerate(SOURCES):
        kept = recording(source)
        packed = zlib.compress(kept.trace)
        recorded = {"hash": kept.hash, "request": kept.request, "format": kept.format, "trace": packed, "created": WHEN}
        rows["recordings"].append({**recorded, "bytes": len(packed) + 256})
        snippet = {"id": f"link{number}", "source": source, "seed": 2**53 - number, "recording": kept.hash}
        rows["snippets"].append({**snippet, "bytes": len(source.encode()) + 256, "created": WHEN})
    for name, kept_rows in rows.items():
        connection.execute(insert(Table(name, MetaData(), autoload_with=connection)), kept_rows)
    if inspect(connection).has_table("size"):
        total = sum(row["bytes"] for kept_rows in rows.values() for row in kept_rows)
        connection.execute(text("UPDATE size SET bytes = :total"), {"total": total})


@pytest.mark.parametrize("revision", revisions())
async def test_a_store_of_before(url: str, revision: str) -> None:
    today = datetime.now(UTC).date()
    async with connected(url) as run:
        await run(lambda connection: fill(connection, revision))
        store = await Store.open(url, ROOM)
        assert await run(lambda connection: compare_metadata(MigrationContext.configure(connection), metadata)) == []
    for number, source in enumerate(SOURCES):
        snippet = await store.snippet(f"link{number}")
        assert snippet is not None
        assert (snippet.source, snippet.seed, snippet.created) == (source, 2**53 - number, WHEN)
        assert (snippet.stand_in, snippet.recorded_again, snippet.held) == (False, None, None)
        assert snippet.visited >= today, "days begin with the migration"
        assert not await store.links.delete_by_token(snippet.id, "")
        assert await store.recording(snippet.recording) == recording(source) == await store.latest(key(source))
    assert await store.size() == await counted(store) > 0
    assert await store.snippet(await store.keep("x = 2", 0, recording("x = 2"))) is not None
    assert await store.size() == await counted(store)
    await store.close()


async def test_a_release_that_serves_meanwhile_can_go_on() -> None:
    """Migrations only add tables and columns, so a server of an earlier version can continue to use the database."""

    def columns(connection: Connection) -> dict[tuple[str, str], Any]:
        seen = inspect(connection)
        return {(table, column["name"]): column for table in seen.get_table_names() for column in seen.get_columns(table)}

    def check(connection: Connection) -> None:
        before: dict[tuple[str, str], Any] = {}
        for revision in [*revisions(), "head"]:
            command.upgrade(migrations(connection), revision)
            now = columns(connection)
            kept = [(repr(now[name]["type"]), now[name]["nullable"]) for name in before if name in now]
            assert kept == [(repr(column["type"]), column["nullable"]) for column in before.values()], revision
            new = [(name, column) for name, column in now.items() if name not in before]
            for (table, name), column in new:
                is_new_table = table not in {earlier for earlier, _ in before}
                assert is_new_table or column["nullable"] or column["default"] is not None, (revision, table, name)
            before = now
        assert len(before) > 30

    async with connected("sqlite+aiosqlite:///:memory:") as run:
        await run(check)


async def test_servers_that_start_at_once(url: str) -> None:
    """One server creates the tables, and all servers start successfully."""
    for store in await asyncio.gather(*(Store.open(url, ROOM) for _ in range(4))):
        await store.keep("x = 1", 0, recording("x = 1"))
        await store.close()


async def test_servers_that_start_at_once_on_a_store_of_before(url: str) -> None:
    async with connected(url) as run:
        await run(lambda connection: fill(connection, revisions()[0]))
    for store in await asyncio.gather(*(Store.open(url, ROOM) for _ in range(4))):
        assert await store.latest(key("x = 1")) is not None
        await store.close()


async def test_a_server_that_waits_for_another_one_says_so(postgresql: str, caplog: pytest.LogCaptureFixture) -> None:
    with psycopg.connect(postgresql, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [database.MIGRATING])
        opening = asyncio.create_task(Store.open(postgresql, ROOM))
        async with asyncio.timeout(PATIENCE):
            while "Waiting for another server" not in caplog.text:
                assert not opening.done()
                await asyncio.sleep(0.01)
        other.execute("SELECT pg_advisory_unlock(%s)", [database.MIGRATING])
        await (await opening).close()


async def test_a_table_that_somebody_holds(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a table is locked, for example by a long backup, the start fails after a while and changes nothing."""
    async with connected(postgresql) as run:
        await run(lambda connection: fill(connection, revisions()[0]))
    starting = Database(postgresql)
    monkeypatch.setattr(database, "ANSWER_SECONDS", 1)
    with psycopg.connect(postgresql) as backup:
        backup.execute("LOCK TABLE snippets IN ACCESS SHARE MODE")
        with pytest.raises(StoreUnavailable) as refused:
            await starting.migrate()
        assert refused.value.reason == "canceling statement due to lock timeout"
    await starting.close()
    monkeypatch.undo()
    store = await Store.open(postgresql, ROOM)
    assert await store.latest(key("x = 1")) is not None
    await store.close()
