"""The database under the store: the engine with SQLite's settings, migrations, and errors as sentences."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app.store.errors import StoreError, StoreFull, StoreUnavailable

BUSY_SECONDS = 5


def create(url: str) -> AsyncEngine:
    """An engine for `url`; on SQLite in WAL mode, with foreign keys, and with transactions that really are ones."""
    engine = create_async_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine.sync_engine, "connect", _set_up_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def migrate(connection: Connection) -> None:
    """Bring the tables up to this version within the connection's transaction."""
    try:
        command.upgrade(migrations(connection), "head")
    except CommandError as error:
        raise StoreUnavailable(
            f"The store cannot be brought up to date; a newer Stepgrad may have made it: {error}."
        ) from error


def migrations(connection: Connection) -> Config:
    """What Alembic's commands need to know, to change the tables within the connection's transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.attributes["connection"] = connection
    return config


@contextmanager
def as_store_errors() -> Iterator[None]:
    """Turn what the database says into StoreErrors."""
    try:
        yield
    except StoreError:
        raise
    except SQLAlchemyError as error:
        cause = str(error.orig) if isinstance(error, DBAPIError) else str(error)
        if "disk is full" in cause or "No space left" in cause:
            raise StoreFull("The disk under the store is full.") from error
        raise StoreUnavailable(f"The store does not answer: {cause}.") from error


def _set_up_sqlite(connection: Any, _record: object) -> None:
    # Python's sqlite3 opens transactions when it thinks fit and never for DDL; with None it leaves them to _begin_sqlite.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    _into_wal(cursor)
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _into_wal(cursor: Any) -> None:
    # Of two that open a new file at once, SQLite tells one "locked" without waiting: no busy handler is asked for this change.
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
    # A writer takes the lock at once: a reader that becomes a writer half-way would be told "locked" without waiting.
    kind = connection.get_execution_options().get("sqlite_begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {kind}")
