"""The SQLite file of a store: its path, its users, and how deleted data is returned to the file system."""

import asyncio
import fcntl
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from app.store.database import BUSY_SECONDS
from app.store.errors import StoreInUse, StoreUnavailable
from app.store.spare import Spare, pragma

PAUSE_SECONDS: Final = 0.1
"""Between two steps: others write then."""

MOST_REWRITTEN_BYTES: Final = 256 << 20
"""A file that cannot shrink is rewritten once at a start up to this size: at 40 MB a second, as measured on a busy machine."""


@contextmanager
def in_use(file: Path | None) -> Iterator[None]:
    """Prevent others from replacing the store. Raises StoreUnavailable while another process does so."""
    with _locked(file, fcntl.LOCK_SH) as is_locked:
        if not is_locked:
            raise StoreUnavailable(f"{file} is being restored: try again when that is over.")
        yield


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Keep everybody from the store. Raises StoreInUse."""
    with _locked(file, fcntl.LOCK_EX) as is_locked:
        if not is_locked:
            raise StoreInUse(f"{file} is in use: stop the server first.")
        yield


@contextmanager
def _locked(file: Path | None, kind: int) -> Iterator[bool]:
    if file is None:
        yield True
        return
    try:
        # A process that may read the file can lock it, and root may be the first to create it.
        lock = os.open(file.with_name(f"{file.name}.lock"), os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise StoreUnavailable("The store does not answer.", f"{file.parent}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(lock)


def keep_private(file: Path) -> None:
    """Let other users of this machine read it no more: it has the keys that the server signs with. Not where it is theirs."""
    for path in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~stat.S_IRWXO)


def connected(file: Path) -> closing[sqlite3.Connection]:
    """A connection of one's own, outside every transaction."""
    return closing(sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None))


def make_shrinkable(file: Path) -> bool:
    """Let the file shrink when links are deleted, as new files do; returns whether it does. Before serving, because it locks
    the file.

    A large older file stays as it is: free pages are reused, but not returned. `stepgrad backup` and `stepgrad restore` rewrite
    it.
    """
    with connected(file) as connection:
        if pragma(connection, "auto_vacuum") != 0:
            return True
        if file.stat().st_size > MOST_REWRITTEN_BYTES:
            return False
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        try:
            connection.execute("VACUUM")
        except sqlite3.Error:  # another server is busy with it, the disk has no room for two, or it is damaged somewhere
            return False
        return True


async def give_back(file: Path) -> int:
    """Return free pages to the file system, in small steps; the bytes they had. Raises sqlite3.Error."""
    given = 0
    while (step := await asyncio.to_thread(_give_back_some, file)) > 0:
        given += step
        await asyncio.sleep(PAUSE_SECONDS)
    return given


def _give_back_some(file: Path) -> int:
    with connected(file) as connection:
        given = Spare(file).give_back_some(connection)
        if given > 0:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()  # only then the file itself is shorter
        return given
