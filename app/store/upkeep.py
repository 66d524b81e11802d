"""Periodic maintenance of a store: deletes expired links and old counters, and returns unused disk space to the system."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import msgspec

from app.background import in_background
from app.store.errors import StoreError
from app.store.sqlite_file import give_back
from app.store.store import Store

UPKEEP_SECONDS: Final = 600
PAUSE_SECONDS: Final = 0.1
"""Pause between two transactions of the upkeep, in which other processes can write."""


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one round of upkeep."""

    expired: int
    """Number of deleted links and lectures."""
    given_back: int
    """Bytes returned to the file system."""


async def keep_up(store: Store, file: Path | None, expire_days: int) -> Round:
    """Do one round of upkeep. Raises StoreError and sqlite3.Error; the next round continues."""
    await store.links.forget_quotas()
    expired = 0
    for kept in (store.lectures, store.links) if expire_days > 0 else ():
        while (some := await kept.delete_unvisited(timedelta(days=expire_days))) > 0:
            expired += some
            await asyncio.sleep(PAUSE_SECONDS)
    return Round(expired=expired, given_back=0 if file is None else await give_back(file))


@asynccontextmanager
async def keeping_up(
    look_after: Callable[[], Awaitable[Round]], report: Callable[[Round | Exception], None]
) -> AsyncIterator[None]:
    """Do rounds of upkeep while the block runs, and report each result or failure."""

    async def go_round() -> None:
        while True:
            try:
                report(await look_after())
            except (StoreError, sqlite3.Error) as error:
                report(error)
            await asyncio.sleep(UPKEEP_SECONDS)

    async with in_background(go_round()):
        yield
