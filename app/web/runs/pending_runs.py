"""The runs that clients wait for: progress reports, and stops."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from app.engine import Progress, Requester, Withdrawn
from app.web.edge.errors import stopping

T = TypeVar("T")


class PendingRun:
    """A run that a client waits for.

    A PendingRun stores only the latest update, so a client that reads no updates costs no memory.
    """

    def __init__(self, requester: Requester) -> None:
        self.id = secrets.token_hex(8)
        self.requester = requester
        self.stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._update: int | Progress | None = None
        self._changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asked = time.monotonic()
        self._began: float | None = None

    def queued(self, position: int) -> None:
        """Store the update that the run is queued at `position`."""
        self._notify(position)

    def running(self, progress: Progress) -> None:
        """Store the update that the run is active and has this progress."""
        if self._began is None:
            self._began = time.monotonic()
        self._notify(progress)

    @property
    def is_waiting(self) -> bool:
        """Whether the run is queued."""
        return self._began is None

    @property
    def waited_seconds(self) -> float:
        """Seconds that the run has spent in the queue."""
        return (self._began or time.monotonic()) - self._asked

    @property
    def ran_seconds(self) -> float:
        """Seconds since the start of the run."""
        return time.monotonic() - self._began if self._began is not None else 0.0

    def end(self) -> None:
        """End the run as Cancelled, unless it has ended."""
        if not self.stop.done():
            self.stop.set_result(None)

    @property
    def changed(self) -> asyncio.Future[None]:
        """A future that is done when an unread update exists."""
        return self._changed

    def take(self) -> int | Progress | None:
        """The latest unread update: the position in the queue, or the progress; None without an unread update."""
        update, self._update = self._update, None
        if self._changed.done():
            self._changed = asyncio.get_running_loop().create_future()
        return update

    def _notify(self, update: int | Progress) -> None:
        self._update = update
        if not self._changed.done():
            self._changed.set_result(None)


class PendingRuns:
    """All runs that clients wait for, by id."""

    def __init__(self) -> None:
        self._runs: dict[str, PendingRun] = {}
        self._is_stopping = False

    async def go(self, pending: PendingRun, work: Callable[[PendingRun], Awaitable[T]]) -> T:
        """The result of `work`. While `work` runs, the run can be stopped. Raises Problem if the server stops first."""
        self._runs[pending.id] = pending
        if self._is_stopping:
            pending.end()
        try:
            return await work(pending)
        except Withdrawn:
            if self._is_stopping:
                raise stopping() from None
            raise
        finally:
            del self._runs[pending.id]

    def stop(self, run_id: str, visitor: str) -> bool:
        """Stop the run with this id, if the run belongs to `visitor`; return whether such a run exists."""
        pending = self._runs.get(run_id)
        if pending is None or pending.requester.visitor != visitor:
            return False
        pending.end()
        return True

    def end_all(self) -> None:
        """Stop every run, and every run that starts later, because the server stops."""
        self._is_stopping = True
        for pending in self._runs.values():
            pending.end()
