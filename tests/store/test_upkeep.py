"""Delete expired links in small steps while others write, and shrink the SQLite file afterwards."""

import asyncio
import secrets
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from app.store import Store, StoreError
from app.store.database import file_of
from app.store.links import MOST_LINKS
from app.store.sqlite_file import give_back, make_shrinkable
from app.store.upkeep import Round, keep_up, keeping_up
from tests.sandbox.processes import PATIENCE
from tests.store.recordings import recording
from tests.store.test_rules import Clock
from tests.store.test_store import counted

pytestmark = pytest.mark.asyncio


def large(number: int) -> str:
    """Return source text that cannot be compressed."""
    return f"x = {number} # {secrets.token_hex(50_000)}"


async def fill(store: Store, count: int) -> list[str]:
    sources = [large(number) for number in range(count)]
    return [await store.keep(source, 0, recording(source)) for source in sources]


async def test_a_round_deletes_what_expired_and_others_write_meanwhile(url: str) -> None:
    clock = Clock()
    store = await Store.open(url, 1 << 30, clock=clock)
    count = 2 * MOST_LINKS + 1
    old = [await store.keep(f"x = {number}", 0, recording(f"x = {number}")) for number in range(count)]
    clock.now += timedelta(days=10)
    new = await store.keep("y = 1", 0, recording("y = 1"))
    assert (await keep_up(store, None, 0)).expired == 0, "off by default"
    assert (await keep_up(store, None, 10)).expired == 0, "ten days ago is not longer than ten days ago"
    clock.now += timedelta(days=1)
    going = asyncio.create_task(keep_up(store, None, 10))
    written = 0
    while not going.done():
        await store.keep(f"z = {written}", 0, recording("z"))
        written += 1
    assert await going == Round(expired=count, given_back=0)
    assert written >= 3, "between the transactions there was room"
    assert [await store.snippet(link) for link in old[:3]] == [None] * 3
    assert await store.snippet(new) is not None
    assert await store.size() == await counted(store)
    await store.close()


async def test_the_file_shrinks_when_links_are_deleted(sqlite: str) -> None:
    store, file = await Store.open(sqlite, 1 << 30), file_of(sqlite)
    assert file is not None
    links = await fill(store, 32)
    await store.links.delete(links[:-1])
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint").fetchall()
    full = file.stat().st_size
    given = (await keep_up(store, file, 0)).given_back
    assert full > 4_000_000 and given > 0.9 * full
    assert file.stat().st_size <= full - given
    assert await store.snippet(links[-1]) is not None
    assert (await keep_up(store, file, 0)).given_back == 0
    await store.close()


async def test_a_file_of_before_shrinks_too(sqlite: str) -> None:
    file = file_of(sqlite)
    assert file is not None
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE something (held BLOB)")
        connection.execute("INSERT INTO something VALUES (?)", (secrets.token_bytes(4_000_000),))
    assert connection.execute("PRAGMA auto_vacuum").fetchone() == (0,)
    store = await Store.open(sqlite, 1 << 30)
    assert make_shrinkable(file)
    connection.execute("DELETE FROM something")
    connection.commit()
    connection.close()
    assert await give_back(file) > 3_900_000
    assert file.stat().st_size < 200_000
    await store.keep("x = 1", 0, recording("x = 1"))
    await store.close()


async def test_a_round_that_fails_is_told_and_the_next_one_goes(url: str) -> None:
    store = await Store.open(url, 1 << 30)
    told: list[Round | Exception] = []
    heard = asyncio.Event()

    def tell(done: Round | Exception) -> None:
        told.append(done)
        heard.set()

    async with keeping_up(lambda: keep_up(store, Path("/nowhere/at/all.sqlite"), 0), tell):
        await asyncio.wait_for(heard.wait(), PATIENCE)
    assert isinstance(told[0], StoreError | sqlite3.Error)
    await store.close()
