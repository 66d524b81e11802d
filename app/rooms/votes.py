"""Votes on their way into the store: those that come together are written together, and each is acknowledged when it is written."""

import asyncio
from collections.abc import Callable

from app.store.rooms import KeptVote, RoomRows


class VoteWriter:
    """Writes votes, one transaction after the other. While one goes on, the next gathers."""

    def __init__(self, rows: RoomRows) -> None:
        self._rows = rows
        self._gathered: list[tuple[KeptVote, Callable[[], None], asyncio.Future[None]]] = []
        self._under_way: list[asyncio.Future[None]] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, vote: KeptVote, count: Callable[[], None]) -> None:
        """Return when the vote is kept, and `count` was called. Raises StoreError. Both happen even if nobody waits any more."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._gathered.append((vote, count, written))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await asyncio.shield(written)

    async def flush(self) -> None:
        """Return when everything that is to be written now has been tried. What others send meanwhile is not waited for."""
        now = [*self._under_way, *(written for _, _, written in self._gathered)]
        if now:
            await asyncio.wait(now)

    async def _write(self) -> None:
        while self._gathered:
            batch, self._gathered = self._gathered, []
            self._under_way = [written for _, _, written in batch]
            error: Exception | None = None
            try:
                await self._rows.vote([vote for vote, _, _ in batch])
            except Exception as raised:  # whoever waits is told, whatever it is
                error = raised
            for _, count, written in batch:
                if error is None:
                    count()
                    written.set_result(None)
                else:
                    written.set_exception(error)
                    written.exception()  # perhaps nobody waits any more
