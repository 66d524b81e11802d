"""The runs that somebody waits for at this moment: how far each is, and how to stop it."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from typing import TypeVar

from app.engine import Progress, Requester, Withdrawn
from app.web.errors import Problem, stopping
from app.web.shared import SharedStops

T = TypeVar("T")


class PendingRun:
    """One run that somebody waits for. It keeps the latest update alone, so whoever never asks for it costs no memory."""

    def __init__(self, requester: Requester, prefix: str = "") -> None:
        self.id = f"{prefix}{secrets.token_hex(8)}"
        self.requester = requester
        self.stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._update: int | Progress | None = None
        self._changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asked = time.monotonic()
        self._began: float | None = None

    def queued(self, position: int) -> None:
        """It waits, and is the `position`-th to go."""
        self._tell(position)

    def running(self, progress: Progress) -> None:
        """It goes, and is so far."""
        if self._began is None:
            self._began = time.monotonic()
        self._tell(progress)

    @property
    def is_waiting(self) -> bool:
        """Whether it has not begun."""
        return self._began is None

    @property
    def waited_seconds(self) -> float:
        """How long it waited for its place, or has been waiting."""
        return (self._began or time.monotonic()) - self._asked

    @property
    def ran_seconds(self) -> float:
        """For how long it has been running."""
        return time.monotonic() - self._began if self._began is not None else 0.0

    def end(self) -> None:
        """End it now."""
        if not self.stop.done():
            self.stop.set_result(None)

    @property
    def changed(self) -> asyncio.Future[None]:
        """Done when there is an update to take."""
        return self._changed

    def take(self) -> int | Progress | None:
        """The latest update since the last one was taken: its position in the queue, or how far it is."""
        update, self._update = self._update, None
        if self._changed.done():
            self._changed = asyncio.get_running_loop().create_future()
        return update

    def _tell(self, update: int | Progress) -> None:
        self._update = update
        if not self._changed.done():
            self._changed.set_result(None)


class PendingRuns:
    """Every run that somebody waits for, by its id."""

    def __init__(self, elsewhere: SharedStops | None = None) -> None:
        self._elsewhere = elsewhere
        self._runs: dict[str, PendingRun] = {}
        self._is_stopping = False

    def new(self, requester: Requester) -> PendingRun:
        """A run that somebody begins to wait for. Its id tells every web where it is."""
        return PendingRun(requester, "" if self._elsewhere is None else self._elsewhere.prefix)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Let the other webs stop runs of this one, too."""
        async with nullcontext() if self._elsewhere is None else self._elsewhere.answering(self._stop):
            yield

    async def go(self, pending: PendingRun, work: Callable[[PendingRun], Awaitable[T]]) -> T:
        """The result of `work`; until it is there, the run can be stopped. Raises Problem where the server stops first."""
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

    async def stop(self, run_id: str, visitor: str) -> bool:
        """End the run with this id now, if it is one of `visitor`; whether there is such a run, at whichever web.

        Raises Problem (503) where the other webs do not say.
        """
        if self._stop(run_id, lambda known: known == visitor):
            return True
        found = False if self._elsewhere is None else await self._elsewhere.ask(run_id, visitor)
        if found is None:
            message = "The server that has this run does not answer."
            raise Problem(503, "queue_unavailable", message, "Try again in a few seconds.", {"Retry-After": "2"})
        return found

    def _stop(self, run_id: str, is_visitor: Callable[[str], bool]) -> bool:
        pending = self._runs.get(run_id)
        if pending is None or not is_visitor(pending.requester.visitor):
            return False
        pending.end()
        return True

    def end_all(self) -> None:
        """The server stops: end every run now, and any that comes still."""
        self._is_stopping = True
        for pending in self._runs.values():
            pending.end()
