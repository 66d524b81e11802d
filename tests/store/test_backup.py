"""A backup is a snapshot of a store in use. Only a complete backup can be restored, and only while no server uses the store."""

import asyncio
import gzip
import re
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.store import Store
from app.store.backup import Backup, back_up, restore
from app.store.database import file_of
from app.store.errors import BackupRefused, StoreInUse
from app.store.sqlite_file import give_back, in_use
from tests.compat.held import FOLDER, LINKS
from tests.store.recordings import recording


@pytest.fixture
def file(sqlite: str) -> Path:
    found = file_of(sqlite)
    assert found is not None
    return found


def kept(sqlite: str, *sources: str) -> list[str]:
    async def keep() -> list[str]:
        store = await Store.open(sqlite, 1 << 30)
        links = [await store.keep(source, 0, recording(source)) for source in sources]
        await store.close()
        return links

    return asyncio.run(keep())


def shown(sqlite: str, link: str) -> bool:
    async def show() -> bool:
        store = await Store.open(sqlite, 1 << 30)
        snippet = await store.snippet(link)
        whole = snippet is not None and (await store.recording(snippet.recording)).hash == snippet.recording
        await store.close()
        return whole

    return asyncio.run(show())


def names(folder: Path, part: str) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if part in path.name)


def damaged(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[8192:12288] = secrets.token_bytes(4096)
    file.write_bytes(content)


def test_a_backup_while_links_are_kept_is_one_moment_of_the_store(sqlite: str, file: Path, tmp_path: Path) -> None:
    said: list[str] = []
    held: list[tuple[set[str], Backup]] = []

    async def write(store: Store) -> None:
        for number in range(60):
            source = f"x = {number} # {secrets.token_hex(10_000)}"
            said.append(await store.keep(source, 0, recording(source)))

    async def both() -> None:
        store = await Store.open(sqlite, 1 << 30)
        writing = asyncio.create_task(write(store))
        while not said:  # noqa: ASYNC110 - waits for the first link before the backup
            await asyncio.sleep(0.001)
        with in_use(file):
            for turn in range(5):
                held.append((set(said), await asyncio.to_thread(back_up, file, tmp_path / f"backup-{turn}")))
        await writing
        await store.close()

    asyncio.run(both())
    assert held[-1][1].links > 0 and len(said) == 60
    for turn, (before, backup) in enumerate(held):
        with closing(sqlite3.connect(tmp_path / f"backup-{turn}")) as connection:
            links = {row[0] for row in connection.execute("SELECT id FROM snippets")}
            sums = [
                connection.execute(f"SELECT total(bytes) FROM {table}").fetchone()[0] for table in ("snippets", "recordings")
            ]
            assert connection.execute("SELECT bytes FROM size").fetchone() == (sum(sums),)
        assert before <= links <= set(said) and len(links) == backup.links
        assert (tmp_path / f"backup-{turn}").stat().st_mode & 0o777 == 0o600
    assert names(tmp_path, "backup") == [f"backup-{turn}" for turn in range(5)]


def test_a_backup_takes_the_place_of_the_store_which_is_kept(sqlite: str, file: Path, tmp_path: Path) -> None:
    (first,) = kept(sqlite, "x = 1")
    back_up(file, tmp_path / "backup")
    (second,) = kept(sqlite, "x = 2")
    held, before = restore(file, tmp_path / "backup")
    assert held.links == 1 and before is not None
    assert shown(sqlite, first) and not shown(sqlite, second)
    assert shown(f"sqlite:///{before}", second)


def test_into_an_empty_place(sqlite: str, file: Path, tmp_path: Path) -> None:
    (link,) = kept(sqlite, "x = 1")
    back_up(file, tmp_path / "backup")
    elsewhere = tmp_path / "new" / "data" / "stepgrad.sqlite"
    assert restore(elsewhere, tmp_path / "backup")[1] is None
    assert shown(f"sqlite:///{elsewhere}", link)


def test_a_store_that_is_used_is_not_replaced(sqlite: str, file: Path, tmp_path: Path) -> None:
    (link,) = kept(sqlite, "x = 1")
    back_up(file, tmp_path / "backup")
    with in_use(file), pytest.raises(StoreInUse, match="stop the server first"):
        restore(file, tmp_path / "backup")
    with closing(sqlite3.connect(file)) as connection:  # a process without locks, like an older server
        assert connection.execute("SELECT count(*) FROM snippets").fetchone() == (1,)
        with pytest.raises(StoreInUse):
            restore(file, tmp_path / "backup")
    assert shown(sqlite, link)
    assert restore(file, tmp_path / "backup")[0].links == 1


def test_what_is_no_whole_backup_replaces_nothing(sqlite: str, file: Path, tmp_path: Path) -> None:
    links = kept(sqlite, *(f"x = {number} # {secrets.token_hex(5000)}" for number in range(20)))
    whole = tmp_path / "whole"
    back_up(file, whole)
    backups = {name: tmp_path / name for name in ("text", "cut", "page", "newer", "other", "orphan", "missing")}
    for name, backup in backups.items():
        if name != "missing":
            backup.write_bytes(whole.read_bytes())
    backups["text"].write_text("a letter")
    backups["cut"].write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    damaged(backups["page"])
    for name, change in (
        ("newer", "UPDATE alembic_version SET version_num = '9999'"),
        ("other", "DROP TABLE alembic_version"),
        ("orphan", "DELETE FROM recordings WHERE rowid = 1"),
    ):
        with closing(sqlite3.connect(backups[name], isolation_level=None)) as connection:
            connection.execute(change)
    before = file.read_bytes()
    for backup in backups.values():
        with pytest.raises(BackupRefused, match=re.escape(str(backup))):
            restore(file, backup)
        assert file.read_bytes() == before
    assert shown(sqlite, links[0])
    assert not names(tmp_path, "restoring") and not names(tmp_path, "before")


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        ("CREATE TRIGGER reads AFTER INSERT ON snippets BEGIN DELETE FROM recordings; END", "trigger reads"),
        ("CREATE VIEW seen AS SELECT * FROM snippets", "view seen"),
        ("CREATE TABLE more (id INTEGER)", "table more"),
        ("CREATE INDEX slow ON snippets (source)", "index slow"),
        ("CREATE VIRTUAL TABLE words USING fts5(source)", "table words"),
        ("ALTER TABLE snippets ADD COLUMN more TEXT", "table snippets"),
        ("DROP TABLE size", "table size"),
    ],
)
def test_what_has_more_than_our_tables_replaces_nothing(
    sqlite: str, file: Path, tmp_path: Path, planted: str, named: str
) -> None:
    (link,) = kept(sqlite, "x = 1")
    back_up(file, tmp_path / "backup")
    with closing(sqlite3.connect(tmp_path / "backup", isolation_level=None)) as connection:
        connection.execute(planted)
    with pytest.raises(BackupRefused, match=f"[Tt]he {named}"):
        restore(file, tmp_path / "backup")
    assert shown(sqlite, link) and not names(tmp_path, "restoring")


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "kept").glob("*.sql")), ids=lambda path: path.stem)
def test_a_store_of_every_revision_is_restored_for_its_owner_alone(file: Path, tmp_path: Path, path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old")) as connection:
        connection.executescript(path.read_text())
    restore(file, tmp_path / "old")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_store_beyond_repair_is_replaced_and_kept(sqlite: str, file: Path, tmp_path: Path) -> None:
    (link,) = kept(sqlite, "x = 1")
    back_up(file, tmp_path / "backup")
    file.write_bytes(b"no database" * 1000)
    _, before = restore(file, tmp_path / "backup")
    assert shown(sqlite, link)
    assert before is not None and before.read_bytes().startswith(b"no database")


def test_no_backup_of_what_is_damaged_or_in_place_of_something(sqlite: str, file: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupRefused, match="no store"):
        back_up(file, tmp_path / "backup")
    kept(sqlite, *(f"x = {number} # {secrets.token_hex(5000)}" for number in range(20)))
    (tmp_path / "there").write_text("mine")
    with pytest.raises(BackupRefused, match="there already"):
        back_up(file, tmp_path / "there")
    with pytest.raises(BackupRefused, match="cannot be written"):
        back_up(file, tmp_path / "no" / "folder")
    damaged(file)
    with pytest.raises(BackupRefused, match=r"backup|copy"):
        back_up(file, tmp_path / "backup")
    assert names(tmp_path, "backup") == []


def test_a_store_of_the_past_is_restored_and_can_shrink(sqlite: str, file: Path, tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(gzip.decompress((FOLDER / "store.sqlite.gz").read_bytes()))
    assert restore(file, tmp_path / "old")[0].links == len(LINKS)

    async def shrunk() -> int:
        store = await Store.open(sqlite, 1 << 30)
        assert await store.links.delete(list(LINKS.values())[1:]) == len(LINKS) - 1
        await store.close()
        return await give_back(file)

    assert asyncio.run(shrunk()) > 0
