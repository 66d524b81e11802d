"""A store on a full disk: links can be deleted, and SQLite also accepts reports and votes. New links are refused."""

import asyncio
import os
import secrets
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from app.commands.cli import main
from app.store import KeptRoom, KeptVote, Maker, Reporter, Store, StoreFull, Written
from app.store.upkeep import keep_up
from tests.postgresql import cluster
from tests.store.recordings import recording
from tests.store.test_rules import Clock
from tests.store.test_store import counted
from tests.volumes import fill, volume

pytestmark = pytest.mark.asyncio
ROOM = KeptRoom(id="room", code="ABC", secrets=(), takeovers=0, link=None, opener="one", opened=Clock().now, state="{}")
KILLED = """
import asyncio, sys, time
from app.store.database import Database

async def free():
    async with Database(sys.argv[1]).freeing():
        print("released", flush=True)
        time.sleep(600)

asyncio.run(free())
"""


@pytest.fixture
def disk() -> Iterator[Path]:
    with volume() as folder:
        yield folder


def url_on(disk: Path) -> str:
    return f"sqlite:///{disk / 'stepgrad.sqlite'}"


def spare_of(disk: Path) -> int:
    """Return the size of the spare file in bytes. The store deletes this file to get space."""
    file = disk / "stepgrad.sqlite.spare"
    return file.stat().st_size if file.exists() else 0


async def keep(store: Store, characters: int) -> str:
    """Create a link with content that cannot be compressed."""
    source = f"x = '{secrets.token_hex(characters // 2)}'"
    return await store.keep(source, 0, recording(source), maker=Maker(address="one", visitor="one", token="token"))


async def keep_until_full(store: Store, characters: int, most: int = 1000) -> list[str]:
    """Create links until the store is full. Return their ids."""
    kept: list[str] = []
    with suppress(StoreFull):
        while len(kept) < most:
            kept.append(await keep(store, characters))
    return kept


@pytest.mark.parametrize(("characters", "most"), [(2_500, 100), (60_000, 1000), (250_000, 1000)])
async def test_a_full_disk_is_freed(disk: Path, characters: int, most: int) -> None:
    clock = Clock()
    store = await Store.open(url_on(disk), 1 << 30, clock=clock, first_key=bytes(32))
    await store.rooms.add(ROOM, 9, 9)
    lecture = await store.lectures.keep(Written(title="", author="", parts="[]"), Maker(address="", visitor="", token="token"))
    expiring = [await keep(store, characters) for _ in range(2)]
    clock.now += timedelta(days=20)
    links = await keep_until_full(store, characters, most)
    fill(disk)
    for _ in range(3):  # the store frees the space of its log before it refuses a link
        with suppress(StoreFull):
            await keep(store, characters)
        fill(disk)
    with pytest.raises(StoreFull, match=r"^The disk of the store is full\.$"):
        await keep(store, characters)

    await store.links.hold(links[:1])
    await store.links.release(links[:1])
    await store.reports.add(links[0], Reporter(address="one", visitor="one"), "rude")
    await store.lecture_reports.add(lecture, Reporter(address="one", visitor="one"), "rude")
    await store.rooms.vote([(KeptVote(room="room", poll=1, member=f"{n}", answer="1"), None) for n in range(300)], {"room": 1})
    await store.keys.make()
    seen = await store.snippet(links[0])
    assert seen is not None
    clock.now += timedelta(days=1)
    await store.links.visit(seen)
    for each in expiring:
        assert await store.snippet(each) is not None
    clock.now += timedelta(days=10)
    assert (await keep_up(store, disk / "stepgrad.sqlite", 25)).expired == 3, "two links and the lecture"
    assert await store.links.delete_by_token(links[0], "token")
    await store.rooms.end(ROOM)
    await store.links.delete(links[1 : 1 + len(links) // 2])
    await keep(store, characters)
    await store.close()

    fill(disk)  # fills the space that the closed store has freed
    store = await Store.open(url_on(disk), 1 << 30, clock=clock)
    assert len(store.keys.valid) == 0
    await store.keys.read()
    assert len(store.keys.valid) == 2
    await store.links.delete(links)
    await keep(store, characters)
    assert await store.size() == await counted(store)
    await store.close()
    with sqlite3.connect(disk / "stepgrad.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


async def test_what_adds_a_little_leaves_half_of_the_spare_file_for_deletion(disk: Path) -> None:
    store = await Store.open(url_on(disk), 1 << 30)
    links = [await keep(store, 40_000) for _ in range(10)]
    await store.rooms.add(ROOM, 9, 9)
    fill(disk)
    whole, poll = spare_of(disk), 0
    with pytest.raises(StoreFull):
        for poll in range(100):
            votes = [KeptVote(room="room", poll=poll, member=f"{n}", answer="1" * 80) for n in range(500)]
            await store.rooms.vote([(vote, None) for vote in votes], {"room": 1})
    assert poll > 1 and whole / 4 < spare_of(disk) < whole / 2
    assert await store.links.delete(links) == 10
    assert spare_of(disk) == whole
    await store.close()


async def test_the_commands_work_while_no_server_does(
    disk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("STEPGRAD_DATA", str(disk))
    store = await Store.open(url_on(disk), 1 << 30)
    links = await keep_until_full(store, 250_000)
    await store.close()
    for command in (
        ("backup", str(tmp_path / "copy")),
        ("links", "hold", *links),
        ("links", "show", links[0]),
        ("links", "release", *links),
        ("new-key",),
        ("links", "delete", *links[1:]),
    ):
        fill(disk)
        assert await asyncio.to_thread(main, [*command]) == 0, capsys.readouterr().err
    fill(disk).unlink()
    store = await Store.open(url_on(disk), 1 << 30)
    assert await store.snippet(links[0]) is not None
    await store.close()


async def test_a_process_is_killed_while_the_spare_file_is_released(disk: Path) -> None:
    store = await Store.open(url_on(disk), 1 << 30)
    links = await keep_until_full(store, 250_000)
    fill(disk)
    whole = spare_of(disk)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, url_on(disk), stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None and await process.stdout.readline() == b"released\n"
    assert spare_of(disk) == 0
    with pytest.raises(StoreFull):  # the freed space is not used for links
        await keep(store, 1000)
    process.kill()
    await process.wait()
    await store.links.hold(links[:1])
    assert spare_of(disk) == whole
    await store.close()


async def test_the_spare_file_is_made_when_there_is_room(disk: Path) -> None:
    fill(disk)
    with (disk / "filler").open("r+b") as filler:
        filler.truncate(5_500_000)
    store = await Store.open(url_on(disk), 1 << 30)
    assert 0 < spare_of(disk) < 700_000
    with pytest.raises(StoreFull):
        await keep(store, 1000)
    (disk / "filler").unlink()
    link = await keep(store, 1000)
    assert spare_of(disk) == (6 << 20) // 8
    assert (disk / "stepgrad.sqlite.spare").stat().st_mode & 0o777 == 0o600
    assert await store.links.delete([link]) == 1
    await store.close()


async def test_links_are_deleted_and_held_back_in_postgresql(monkeypatch: pytest.MonkeyPatch) -> None:
    with volume(150) as folder:
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        with cluster() as made, made.database() as url:
            store = await Store.open(url, 1 << 30)
            links = [await keep(store, 60_000) for _ in range(30)]
            filler = fill(folder)
            with pytest.raises(StoreFull, match=r"^The disk of the store is full\.$"):
                for _ in range(30):
                    await keep(store, 200_000)
            assert await store.links.hold(links[:3]) == 3
            assert await store.links.delete(links[:20]) == 20
            assert await store.size() == await counted(store)
            filler.unlink()
            await keep(store, 60_000)
            await store.close()


async def test_links_are_kept_where_the_file_system_says_no_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # FUSE file systems without `statfs` report zeros
    monkeypatch.setattr("os.statvfs", lambda _: os.statvfs_result((512, 0, 0, 0, 0, 0, 0, 0, 0, 255)))
    store = await Store.open(url_on(tmp_path), 1 << 30, clock=Clock(), first_key=bytes(32))
    await keep(store, 2_500)
    assert spare_of(tmp_path) == 0
    await store.close()
