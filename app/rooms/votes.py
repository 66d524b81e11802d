"""Writes votes to the store in batches, and acknowledges each vote when it is stored."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from app.rooms.errors import moved
from app.store.room_rows import KeptVote, RoomRows


@dataclass(frozen=True)
class _PendingVote:
    vote: KeptVote
    fence: int
    gone: str | None
    count: Callable[[], None]
    written: asyncio.Future[None]


class VoteWriter:
    """Writes votes in consecutive transactions. Votes that arrive during a transaction form the next batch."""

    def __init__(self, rows: RoomRows) -> None:
        self._rows = rows
        self._pending: list[_PendingVote] = []
        self._under_way: list[asyncio.Future[None]] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, vote: KeptVote, fence: int, gone: str | None, count: Callable[[], None]) -> None:
        """Store a vote, delete the vote of the member `gone`, and call `count`. Raises StoreError.

        Raises RoomRefused without storing the vote if another process has the room. The vote is stored even if the caller is
        cancelled.
        """
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append(_PendingVote(vote, fence, gone, count, written))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await asyncio.shield(written)

    async def flush(self) -> None:
        """Wait until the pending votes are written or have failed. This method ignores votes that arrive during the wait."""
        now = [*self._under_way, *(each.written for each in self._pending)]
        if now:
            await asyncio.wait(now)

    async def _write(self) -> None:
        while self._pending:
            batch, self._pending = self._pending, []
            self._under_way = [each.written for each in batch]
            error: Exception | None = None
            taken: set[str] = set()
            try:
                held = {each.vote.room: each.fence for each in batch}
                taken = await self._rows.vote([(each.vote, each.gone) for each in batch], held)
            except Exception as raised:  # raised in the requests that wait for these votes
                error = raised
            for each in batch:
                its = error or (moved() if each.vote.room in taken else None)
                if its is None:
                    each.count()
                    each.written.set_result(None)
                else:
                    each.written.set_exception(its)
                    each.written.exception()  # marks the exception as retrieved, because the request may be gone
