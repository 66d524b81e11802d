"""The database of the store: connections, transactions with time limits, migrations, and conversion of errors."""

import asyncio
import logging
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import URL, Connection, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from app.store.errors import StoreError, StoreFull, StoreUnavailable
from app.store.spare import LOG_PAGES, Spare

ANSWER_SECONDS: Final = 30
"""Maximum duration of a transaction, including its wait for a turn and a connection.

The value is high enough for a class that shares links at the same time on a slow disk.
"""

BUSY_SECONDS: Final = 5
"""Timeout of SQLite for another process' lock, and of a server for a connection."""

WAL_BYTES: Final = 64 << 20
"""Maximum size of SQLite's write-ahead log after a checkpoint."""

HALF: Final = 0.5
ATTEMPTS: Final = 5
"""Maximum number of attempts to migrate on a full disk, because another process may create the spare file again."""

DISK_IS_FULL: Final = "The disk of the store is full."

DRIVERS: Final = {"postgresql": "postgresql+psycopg", "sqlite": "sqlite+aiosqlite"}

SCHEMA: Final = "SELECT type, name, sql FROM sqlite_master"
_DAY: Final = re.compile(r"DEFAULT '\d{4}-\d\d-\d\d'")

MIGRATING: Final = 0x5E9642AD
"""The advisory lock for migrating a PostgreSQL database."""


class Database:
    """One database. The database of a store. Every error in a transaction is raised as a StoreError.

    Writers of this process take turns, because each writer locks the row of the store's size. Otherwise each waiting writer
    would block a connection that readers need.
    """

    def __init__(self, url: str) -> None:
        file = file_of(url)
        self._spare = None if file is None else Spare(file)
        self.is_shared = file is None and make_url(url).get_backend_name() == "postgresql"
        """Whether several webs may use this database."""
        self._engine = create(url, log_pages=LOG_PAGES if self._spare is None else self._spare.log_pages)
        self._writer = self._engine.execution_options(sqlite_begin="IMMEDIATE")
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A read-only transaction."""
        with as_store_errors():
            async with asyncio.timeout(ANSWER_SECONDS), self._engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def adding(self, added: int) -> AsyncIterator[AsyncConnection]:
        """A transaction that adds `added` bytes; committed at the end of the block. Raises StoreFull if the disk is full."""
        async with self._changing(None, added) as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction with a small change, committed at the end.

        On a full disk the transaction may use half of the spare file.
        """
        async with self._changing(HALF) as connection:
            yield connection

    @asynccontextmanager
    async def freeing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that deletes or holds links; committed at the end of the block.

        The transaction may use the whole spare file.
        """
        async with self._changing(0) as connection:
            yield connection

    @asynccontextmanager
    async def _changing(self, least: float | None, added: int = 0) -> AsyncIterator[AsyncConnection]:
        """Begin a transaction that changes the store. It may use the spare file if at least the fraction `least` of the file
        exists.

        If `least` is None, the transaction may not use the spare file.
        """
        spare = self._spare
        with as_store_errors():
            async with asyncio.timeout(ANSWER_SECONDS), self._turn:
                if spare is not None and least is None and not spare.has_room(added):
                    await asyncio.to_thread(spare.refill)
                    if not spare.has_room(added):
                        raise StoreFull(DISK_IS_FULL)
                try:
                    async with self._writer.begin() as connection:
                        if spare is not None and least is not None:
                            spare.release(least)
                        yield connection
                finally:
                    if spare is not None and spare.is_due:
                        await asyncio.to_thread(spare.refill)

    async def migrate(self) -> None:
        """Migrate the tables to this version, without a time limit."""
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                with as_store_errors(), nullcontext() if self._spare is None else self._spare.released():
                    async with self._writer.begin() as connection:
                        await connection.run_sync(migrate)
                return
            except StoreFull:
                if attempts_left == 0:
                    raise

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()


def create(url: str, log_pages: int = LOG_PAGES) -> AsyncEngine:
    """An engine for `url`.

    Raises StoreUnavailable if `url` does not name a supported database. SQLite writes its log to the store when the log has
    `log_pages` pages.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "postgresql":
        return _create_postgresql(parsed)
    engine = create_async_engine(parsed)
    event.listen(engine.sync_engine, "connect", partial(_set_up_sqlite, log_pages))
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def migrate(connection: Connection) -> None:
    """Migrate the tables to this version within the connection's transaction."""
    if connection.dialect.name == "postgresql":
        _check_encoding(connection)
        # If two servers start at the same time, the second server waits, and then finds the migrated tables.
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        if not connection.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": MIGRATING}).scalar_one():
            logging.getLogger("stepgrad.store").warning("Waiting for another server that migrates the tables.")
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
        # The limit is necessary, because a migration that waits for a table blocks all later queries, including reads.
        connection.execute(text(f"SET LOCAL lock_timeout = {1000 * ANSWER_SECONDS}"))
    try:
        command.upgrade(migrations(connection), "head")
    except CommandError as error:
        sentence = "The store cannot be migrated to this version; a newer version of Stepgrad may have made it."
        raise StoreUnavailable(sentence, str(error)) from error


def migrations(connection: Connection) -> Config:
    """The configuration for Alembic's commands, which change the tables within the connection's transaction."""
    config = _scripts()
    config.attributes["connection"] = connection
    return config


def revisions() -> set[str]:
    """Alembic's revisions of the tables, from all of which this version can migrate."""
    return {script.revision for script in ScriptDirectory.from_config(_scripts()).walk_revisions()}


def schema_of(revision: str) -> dict[str, str]:
    """The schema of an SQLite store of a revision: the SQL of its tables and indexes by kind and name."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        command.upgrade(migrations(connection), revision)
        found = schema(connection.execute(text(SCHEMA)).all())
    engine.dispose()
    return found


def schema(rows: Iterable[Sequence[Any]]) -> dict[str, str]:
    """The SQL in the rows of `SCHEMA` by kind and name. The result omits SQLite's own rows and dates in default values."""
    return {f"{kind} {name}": _DAY.sub("DEFAULT ''", sql or "") for kind, name, sql in rows if not name.startswith("sqlite_")}


def _scripts() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    return config


@contextmanager
def as_store_errors() -> Iterator[None]:
    """Convert errors of the database into StoreErrors."""
    try:
        yield
    except StoreError:
        raise
    except TimeoutError as error:
        raise StoreUnavailable(f"The store did not respond within {ANSWER_SECONDS} seconds.") from error
    except (SQLAlchemyError, OSError) as error:
        reason = _reason(error)
        if _is_full(error):
            raise StoreFull(DISK_IS_FULL, reason) from error
        raise StoreUnavailable("The store does not respond.", reason) from error


# --- connections --------------------------------------------------------------------------------------------------------------


def parse_url(url: str) -> URL:
    """Parse `url`, and set the driver that Stepgrad uses. Raises StoreUnavailable."""
    try:
        parsed = make_url(url)
        driver = DRIVERS.get(parsed.get_backend_name())
    except (ArgumentError, ValueError):  # the text of both exceptions may contain the password
        sentence = (
            "The URL of the database is not valid. Use postgresql://user:password@host/name, with %40 for @ in the password."
        )
        raise StoreUnavailable(sentence) from None
    if driver is None or parsed.drivername not in (parsed.get_backend_name(), driver):
        known = " or ".join(f"{name}://" for name in DRIVERS)
        raise StoreUnavailable(f"{parsed.drivername}:// is not a supported database: the URL must begin with {known}.")
    return parsed.set(drivername=driver)


def file_of(url: str) -> Path | None:
    """The file of the store at `url`; None for PostgreSQL. Raises StoreUnavailable."""
    database = parse_url(url)
    if database.get_backend_name() != "sqlite" or database.database in (None, "", ":memory:"):
        return None
    return Path(database.database)


def _create_postgresql(url: URL) -> AsyncEngine:
    milliseconds = 1000 * ANSWER_SECONDS
    # With these limits, the database server cancels abandoned statements and releases the locks of a process that hangs.
    bounds = f"-c statement_timeout={milliseconds} -c idle_in_transaction_session_timeout={milliseconds}"
    # Keepalives also detect a lost machine on idle connections.
    silence = {
        "keepalives_idle": "30",
        "keepalives_interval": "5",
        "keepalives_count": "3",
        "tcp_user_timeout": str(milliseconds),
    }
    defaults = {"connect_timeout": str(BUSY_SECONDS), "application_name": "stepgrad", "client_encoding": "utf8", **silence}
    given = {name: value for name, value in defaults.items() if name not in url.query}
    theirs = url.query.get("options", "")
    options = f"{bounds} {theirs if isinstance(theirs, str) else ' '.join(theirs)}".rstrip()
    try:
        return create_async_engine(
            url,
            isolation_level="READ COMMITTED",  # so that a transaction that waited for a row reads its new state
            pool_pre_ping=True,  # connections are tested first, so a restart of the database server causes no error
            connect_args={**given, "options": options},
        )
    except ImportError as error:
        sentence = "The driver for PostgreSQL is not installed: install stepgrad[postgresql]."
        raise StoreUnavailable(sentence) from error


def _check_encoding(connection: Connection) -> None:
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding not in ("UTF8", "SQL_ASCII"):  # SQL_ASCII, the default without a locale, accepts all bytes
        raise StoreUnavailable(
            f"The database has the encoding {encoding}, but needs UTF8: create it with TEMPLATE template0 ENCODING 'UTF8'."
        )


def _reason(error: Exception) -> str:
    said = error.orig if isinstance(error, DBAPIError) else error
    # The reason is only the first line, because PostgreSQL's details may contain the row.
    return next(iter(str(said).splitlines()), type(said).__name__)


def _is_full(error: Exception) -> bool:
    if not isinstance(error, DBAPIError):
        return False
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE) or getattr(error.orig, "sqlstate", None) == "53100"


def _set_up_sqlite(log_pages: int, connection: Any, _record: object) -> None:
    # By default, Python's sqlite3 opens transactions implicitly, and never for DDL. If isolation_level is None, only
    # _begin_sqlite opens transactions.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA page_count")
    # auto_vacuum is set for new files only, because the statement would lock an existing file.
    if cursor.fetchone() == (0,):
        cursor.execute("PRAGMA auto_vacuum = INCREMENTAL")
    _into_wal(cursor)
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute(f"PRAGMA journal_size_limit = {WAL_BYTES}")
    cursor.execute(f"PRAGMA wal_autocheckpoint = {log_pages}")
    # By default, Debian's SQLite overwrites deleted data with zeros, and first writes each of these pages to the log.
    cursor.execute("PRAGMA secure_delete = FAST")
    cursor.close()


def _into_wal(cursor: Any) -> None:
    # If two processes open a new file at the same time, one process gets "locked" immediately, because SQLite calls no busy
    # handler here.
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.005)


def _begin_sqlite(connection: Connection) -> None:
    # A writer takes the lock at the start of its transaction. A transaction that first reads and later writes may get "locked"
    # immediately.
    kind = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {kind}")
