"""The sandbox as the web process sees it: start it, run a Request in it, get the Run."""

import asyncio
import itertools
from collections.abc import Callable
from types import TracebackType
from typing import Self

from app.sandbox.attempt import Attempt, Run
from app.sandbox.errors import SandboxDied
from app.sandbox.keeper import Zygote
from app.sandbox.settings import SandboxSettings
from app.trace.chunks import Chunk
from app.trace.records import Request


class Sandbox:
    """A zygote behind bubblewrap, and one sealed child per run.

    Start it from a thread that lives as long as the process: the kernel ends bubblewrap with the *thread* that started it.
    How many runs are in flight is the caller's to bound.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self._settings = settings
        self._run_ids = itertools.count()
        self._zygote: Zygote | None = None
        """The zygote that new runs go to."""
        self._starting: asyncio.Task[None] | None = None
        self._retiring: dict[Zygote, asyncio.Task[None]] = {}
        """Those that take no more runs: they wait for their last, or are dead and not yet reaped."""
        self._closed = False

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the zygote and wait until it is ready. Raises SandboxUnavailable."""
        await self._ready()

    async def close(self) -> None:
        """Kill everything that runs, and wait until it is gone."""
        self._closed = True
        zygotes = [*self._retiring, *([self._zygote] if self._zygote else [])]
        tasks = [*self._retiring.values(), *([self._starting] if self._starting else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(zygote.close() for zygote in zygotes))

    async def run(
        self,
        request: Request,
        *,
        on_progress: Callable[[Chunk], None] | None = None,
        stop: asyncio.Future[None] | None = None,
    ) -> Run:
        """Run `request`, telling `on_progress` each chunk as it is believed. Cancelling the caller kills the run.

        When `stop` gets its result, the run ends as Cancelled, with everything that was recorded until then.
        Raises SandboxDied and SandboxUnavailable; everything that a snippet can do is an end of the trace.
        """
        zygote = await self._ready()
        return await Attempt(zygote, next(self._run_ids), request, on_progress, stop).run()

    async def _ready(self) -> Zygote:
        """A zygote that takes runs."""
        while self._zygote is None or self._zygote.gone.done():  # its callback comes a moment later
            if self._closed:
                raise SandboxDied("The sandbox was closed; nothing runs in it any more.")
            await asyncio.shield(self._replace())
        if self._zygote.runs >= self._settings.recycle_runs and not self._closed:
            self._replace()
        return self._zygote

    def _replace(self) -> asyncio.Task[None]:
        """Start a zygote; until it is ready the present one, if there is one, goes on taking runs."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(self._started)
        return self._starting

    async def _start(self) -> None:
        zygote = await Zygote.start(self._settings)
        zygote.gone.add_done_callback(lambda _: self._gone(zygote))
        previous, self._zygote = self._zygote, zygote
        if previous is not None:
            self._retire(previous)

    def _retire(self, zygote: Zygote) -> None:
        if zygote not in self._retiring and not self._closed:
            task = self._retiring[zygote] = asyncio.create_task(zygote.retire())
            task.add_done_callback(lambda _: self._retiring.pop(zygote))

    def _started(self, task: asyncio.Task[None]) -> None:
        self._starting = None
        if not task.cancelled():
            task.exception()  # whoever waits has it; a start in the background is tried again by the next run

    def _gone(self, zygote: Zygote) -> None:
        """A zygote died: have a new one ready before somebody asks."""
        if zygote is self._zygote and not self._closed:
            self._zygote = None
            self._retire(zygote)
            self._replace()
