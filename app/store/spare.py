"""A spare file next to an SQLite store.

On a full disk, the deletion of the spare file frees space for a deletion, a report or a vote.
"""

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

PAGE_BYTES: Final = 4096
LOG_PAGES: Final = 1000
"""Number of pages (4 MB) at which SQLite writes its log to the store. This number is SQLite's default."""

MOST_BYTES: Final = 2 * PAGE_BYTES * LOG_PAGES
"""Size of the spare file: enough to write the log to the store, and for the log of a deletion."""

PART: Final = 8
"""The spare file has at most this fraction (an eighth) of the volume."""

BLOCK_BYTES: Final = 1 << 20

BUSY_SECONDS: Final = 0.5
"""Timeout of `refill` for readers, after which the next transaction handles the log. Writers wait during this time."""

MOST_STEPS: Final = 16
"""Maximum number of steps in which `refill` returns free pages. The upkeep returns the rest."""


class Spare:
    """The spare file of the store in the file `store`.

    A deletion may use the whole file, a small write half of the file, and a transaction that adds a link must not use the file.
    The file is deleted after the transaction has begun, so that no other process can use the space, and is created again after
    the commit. If the file is missing after a crash, the next transaction creates the file.
    """

    def __init__(self, store: Path) -> None:
        self._store = store
        self._file = store.with_name(f"{store.name}.spare")

    @property
    def bytes(self) -> int:
        """The size that the spare file should have; 0 if the folder does not exist."""
        return min(MOST_BYTES, self._volume()[0] // PART)

    @property
    def log_pages(self) -> int:
        """The largest log of SQLite in pages that fits into half of the spare file."""
        return max(1, min(LOG_PAGES, self.bytes // PAGE_BYTES // 2))

    @property
    def is_due(self) -> bool:
        """Whether the size of the spare file, or the free space on the volume, is below the required size."""
        wanted = self.bytes
        return _size(self._file) < wanted or self._volume()[1] < wanted

    def room(self) -> int:
        """The size in bytes to which the store can grow on this volume."""
        return self._volume()[1] + _size(self._store) + _size(self._log()) + _size(self._file) - self.bytes

    def has_room(self, added: int) -> bool:
        """Whether the spare file has its full size, and the disk has space for `added` bytes in the log and in the store."""
        return _size(self._file) >= self.bytes and self._volume()[1] >= 2 * added + _size(self._log())

    def release(self, least: float = 0) -> None:
        """Delete the file if the disk is nearly full and at least the fraction `least` (0 to 1) of the file exists.

        Raises OSError.
        """
        wanted = self.bytes
        if self._volume()[1] < wanted and _size(self._file) >= least * wanted:
            self._file.unlink(missing_ok=True)

    @contextmanager
    def released(self) -> Iterator[None]:
        """Release the file while the block runs, because the opening of a store needs some space, even for reading.

        Raises OSError.
        """
        self.release()
        try:
            yield
        finally:
            if self.is_due:
                self.refill()

    def refill(self) -> None:
        """Create the file again, as large as possible. First free the space of the log and, on a nearly full disk, of deleted
        links.

        This method ignores errors, because the transaction is already committed. The next transaction tries again.
        """
        if not self._store.is_file():
            return
        with (
            suppress(OSError, sqlite3.Error),
            closing(sqlite3.connect(self._store, timeout=BUSY_SECONDS, isolation_level=None)) as connection,
        ):
            try:
                self._shrink(connection)
            except sqlite3.Error:  # writing the log to the store may need the space
                self.release()
                self._shrink(connection)
            connection.execute("BEGIN IMMEDIATE")  # only if no other process is in a transaction that may need the space
            self._make()

    def give_back_some(self, connection: sqlite3.Connection) -> int:
        """Free some unused pages of the file in one transaction, and return their bytes. Raises sqlite3.Error."""
        free, size = pragma(connection, "freelist_count"), pragma(connection, "page_size")
        if free == 0 or pragma(connection, "auto_vacuum") == 0:
            return 0
        # The move of a page writes up to three pages to the log. `execute` would run only the first step of the pragma.
        connection.executescript(f"PRAGMA incremental_vacuum({max(1, self.bytes // size // 4)})")
        return max(0, free - pragma(connection, "freelist_count")) * size

    def _shrink(self, connection: sqlite3.Connection) -> None:
        for _ in range(MOST_STEPS):
            # Empties the log and shortens the file.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            if self._volume()[1] >= 2 * self.bytes or self.give_back_some(connection) == 0:
                return

    def _make(self) -> None:
        left = self.bytes - _size(self._file)
        if left <= 0:
            return
        if not os.access(self._file, os.W_OK):  # for example, a process of root has created the file
            self._file.unlink(missing_ok=True)
            left = self.bytes
        block = os.urandom(BLOCK_BYTES)  # random bytes, because some file systems allocate no space for zeros
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._file, flags, 0o600)
        try:
            while left > 0:
                left -= os.write(descriptor, block[:left])
        finally:
            os.close(descriptor)

    def _log(self) -> Path:
        return self._store.with_name(f"{self._store.name}-wal")

    def _volume(self) -> tuple[int, int]:
        """The size of the volume and its free space, in bytes."""
        try:
            volume = os.statvfs(self._store.parent)
        except OSError:  # SQLite reports the cause when it opens the file
            return 0, 0
        if volume.f_blocks == 0:  # some FUSE file systems report no size; SQLite reports a full disk
            return 0, sys.maxsize
        return volume.f_blocks * volume.f_frsize, volume.f_bavail * volume.f_frsize


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """The value of an integer pragma."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
