"""The SQLite file of a store: locks against its replacement, permissions, and the return of free space."""

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
"""Pause between two steps of returning free pages, in which other processes can write."""

MOST_REWRITTEN_BYTES: Final = 256 << 20
"""Maximum size of a file that the start rewrites to make the file shrinkable. Measured on a busy machine: 40 MB/s."""


@contextmanager
def in_use(file: Path | None) -> Iterator[None]:
    """Prevent other processes from replacing the store while the block runs.

    Raises StoreUnavailable while the store is being replaced.
    """
    with _locked(file, fcntl.LOCK_SH) as is_locked:
        if not is_locked:
            raise StoreUnavailable(f"{file} is being restored: try again when the restore has finished.")
        yield


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Lock the store exclusively while the block runs. Raises StoreInUse if another process uses the store."""
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
        # Read access is enough for a lock, and a process of root may have created the file.
        lock = os.open(file.with_name(f"{file.name}.lock"), os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise StoreUnavailable("The store does not respond.", f"{file.parent}: {error.strerror}") from error
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
    """Remove the access of other users of this machine, because the file has the signing keys. Failures are ignored."""
    for path in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~stat.S_IRWXO)


def connected(file: Path) -> closing[sqlite3.Connection]:
    """Open a separate connection to the file, in autocommit mode."""
    return closing(sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None))


def make_shrinkable(file: Path) -> bool:
    """Enable auto_vacuum, so that the file can shrink after the deletion of links; return whether auto_vacuum is enabled.

    Call this function before the server accepts requests, because it locks the file. A large older file does not change: SQLite
    reuses its free pages, but does not return the pages to the file system. `stepgrad backup` and `stepgrad restore` rewrite
    such a file.
    """
    with connected(file) as connection:
        if pragma(connection, "auto_vacuum") != 0:
            return True
        if file.stat().st_size > MOST_REWRITTEN_BYTES:
            return False
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        try:
            connection.execute("VACUUM")
        except sqlite3.Error:  # another server uses the file, the disk has no space for a copy, or the file is damaged
            return False
        return True


async def give_back(file: Path) -> int:
    """Return free pages to the file system, in small steps. Return the number of freed bytes. Raises sqlite3.Error."""
    given = 0
    while (step := await asyncio.to_thread(_give_back_some, file)) > 0:
        given += step
        await asyncio.sleep(PAUSE_SECONDS)
    return given


def _give_back_some(file: Path) -> int:
    with connected(file) as connection:
        given = Spare(file).give_back_some(connection)
        if given > 0:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()  # only a checkpoint shortens the file
        return given
