"""Backups of an SQLite store. A server may use the store during a backup, but not during a restore."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from app.store.database import SCHEMA, revisions, schema, schema_of
from app.store.errors import BackupRefused, StoreInUse
from app.store.spare import Spare
from app.store.sqlite_file import alone, connected, in_use


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """What a copy of a store contains, for the message of the command."""

    links: int
    bytes: int


def back_up(file: Path, target: Path) -> Backup:
    """Copy the store to `target`, completely or not at all. Raises BackupRefused and StoreUnavailable.

    The copy is one snapshot. Writers can continue during the copy.
    """
    if not file.is_file():
        raise BackupRefused(f"There is no store at {file}.")
    if target.exists() or target.is_symlink():
        raise BackupRefused(f"{target} already exists: choose a new file name.")
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    with in_use(file), _as_refusal(target, "cannot be written"), Spare(file).released():
        try:
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # visitors' snippets are private
            with connected(file) as source, connected(beside) as copy:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # so that the copy is one file, without a log
            backup = _checked(beside, called="The copy")
            _into_place(beside, target)
        finally:
            beside.unlink(missing_ok=True)
    return backup


def restore(file: Path, backup: Path) -> tuple[Backup, Path | None]:
    """Replace the store by a backup.

    Return the contents of the backup, and the path of the old store. Raises BackupRefused and StoreInUse. This function first
    checks the whole backup, then puts the backup in place by one rename.
    """
    if not backup.is_file():
        raise BackupRefused(f"There is no file {backup}.")
    held = _checked(backup, called=str(backup))
    _check_schema(backup)
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.restoring")
    with alone(file), _as_refusal(file, "cannot be replaced"):
        try:
            beside.unlink(missing_ok=True)
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # private, as in `back_up`
            with closing(_read_only(backup)) as source:
                if source.execute("PRAGMA auto_vacuum").fetchone() == (0,):
                    source.execute(
                        "PRAGMA auto_vacuum = INCREMENTAL"
                    )  # VACUUM INTO gives the copy this setting, so that the copy can shrink
                source.execute("VACUUM INTO ?", (str(beside),))
            _give_to_owner(beside, file if file.exists() else file.parent)
            before = _set_aside(file)
            _into_place(beside, file)
        finally:
            beside.unlink(missing_ok=True)
    return held, before


def _checked(copy: Path, called: str) -> Backup:
    try:
        with closing(_read_only(copy)) as connection:
            (whole,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            lost = connection.execute("PRAGMA foreign_key_check").fetchone()
            if whole != "ok" or lost is not None:
                raise BackupRefused(f"{called} is damaged: {whole if lost is None else 'a link without its recording'}.")
            revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            if revision is None or revision[0] not in revisions():
                raise BackupRefused(f"{called} was made by a newer version of Stepgrad.")
            (links,) = connection.execute("SELECT count(*) FROM snippets").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupRefused(f"{called} is not a store of Stepgrad: {error}.") from error
    return Backup(links=links, bytes=copy.stat().st_size)


def _check_schema(copy: Path) -> None:
    """Raise BackupRefused if an object (table, index, view or trigger) differs from Stepgrad's schema.

    After a restore, SQLite would use such an object, for example run a foreign trigger.
    """
    with closing(_read_only(copy)) as connection:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        found = schema(connection.execute(SCHEMA).fetchall())
    known = schema_of(revision)
    for name in sorted(found.keys() | known.keys()):
        if name not in known:
            raise BackupRefused(f"{copy} has the {name}, which is not in Stepgrad's schema, so the backup is refused.")
        if found.get(name) != known[name]:
            raise BackupRefused(f"The {name} is missing in {copy} or differs from Stepgrad's schema, so the backup is refused.")


def _read_only(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)


def _set_aside(file: Path) -> Path | None:
    """Keep the earlier store under a second name, and remove its log."""
    if not file.exists():
        return None
    before = file.with_name(f"{file.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%S}")
    try:
        with connected(file) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # writes the log to the file, so that one file has all data
    except sqlite3.OperationalError as error:
        raise StoreInUse(f"{file} is in use: first stop the process that has the file open.") from error
    except sqlite3.DatabaseError:  # if SQLite cannot open the damaged file, the log is moved with the file
        for ending in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                file.with_name(file.name + ending).rename(before.with_name(before.name + ending))
    os.link(file, before)
    return before


def _into_place(beside: Path, target: Path) -> None:
    for path in (beside, target.parent):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        if path == beside:
            beside.rename(target)
        os.close(descriptor)


def _give_to_owner(file: Path, like: Path) -> None:
    if os.geteuid() == 0:
        owner = like.stat()
        os.chown(file, owner.st_uid, owner.st_gid, follow_symlinks=False)


@contextmanager
def _as_refusal(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise BackupRefused(f"{path} {what}: {error}.") from error
    except OSError as error:
        raise BackupRefused(f"{path} {what}: {error.strerror}.") from error
