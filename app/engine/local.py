"""The engine of one machine: its sandbox and its admission."""

import asyncio
from collections.abc import Callable
from typing import Final, Literal, Protocol

from app.engine.admission import Admission, Requester
from app.engine.progress import Counting, Progress
from app.sandbox import Run, Sandbox, SandboxDied
from app.trace.records import Request

Queue = Literal["cpu", "gpu"]
QUEUES: Final[tuple[Queue, ...]] = ("cpu", "gpu")
"""The queues. Runs that need a GPU have a separate queue."""


class Watcher(Protocol):
    """What an engine knows about the client of a run. All methods return immediately."""

    @property
    def id(self) -> str:
        """The run's id in all logs. An id contains no dot."""
        ...

    @property
    def stop(self) -> asyncio.Future[None]:
        """A future that is done when the run must end."""
        ...

    def queued(self, position: int) -> None:
        """Report that the run is queued at `position` (1: next)."""
        ...

    def running(self, progress: Progress) -> None:
        """Report that the run is active and has this progress."""
        ...


class Engine(Protocol):
    """Executes runs: on this machine, or in a fleet of workers (`app/fleet`)."""

    async def run(self, request: Request, requester: Requester, watcher: Watcher) -> Run:
        """Run `request`. If `watcher.stop` is done first, the run ends as Cancelled.

        Raises Refused, Withdrawn or a SandboxError such as EngineUnavailable. Cancelling the caller kills the run.
        """
        ...

    async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
        """Run `request` in a background slot. Raises Refused or a SandboxError. Cancelling the caller kills the run.

        With `gives_way`, the run ends as Cancelled as soon as a visitor waits for a slot.
        """
        ...

    def queue_of(self, request: Request) -> Queue:
        """The queue in which `request` waits for a slot."""
        ...


class LocalEngine:
    """Executes runs on this machine, at most one per slot of the admission."""

    def __init__(self, sandbox: Sandbox, admission: Admission) -> None:
        self.admission = admission
        self._sandbox = sandbox

    async def run(
        self,
        request: Request,
        requester: Requester,
        watcher: Watcher,
        on_payload: Callable[[bytes], None] | None = None,
    ) -> Run:
        """Run `request` in the local sandbox when a slot is free; `on_payload` gets each payload unchanged."""
        async with self.admission.slot(requester, watcher.queued, watcher.stop):
            try:
                return await self._run(request, watcher, on_payload)
            except SandboxDied:  # the zygote died, not the snippet: retry in the next zygote
                return await self._run(request, watcher, on_payload)

    def queue_of(self, request: Request) -> Queue:
        """The queue of all runs, because this engine has only one queue."""
        return "cpu"

    @property
    def zygotes(self) -> int:
        """The number of zygotes started so far."""
        return self._sandbox.zygotes

    async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
        """Run `request` in the local sandbox when no visitor needs the slot."""
        async with self.admission.spare(requester) as wanted:
            return await self._sandbox.run(request, stop=wanted if gives_way else None)

    async def _run(self, request: Request, watcher: Watcher, on_payload: Callable[[bytes], None] | None) -> Run:
        watcher.running(Progress())
        counting = Counting(watcher.running).add
        return await self._sandbox.run(request, on_progress=counting, on_payload=on_payload, stop=watcher.stop)
