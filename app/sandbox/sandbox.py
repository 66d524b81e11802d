"""The sandbox as the web process sees it: start it, run a Request in it, get the Run."""

import asyncio
import secrets
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from app.sandbox.errors import SandboxDied, SandboxUnavailable
from app.sandbox.run import Run
from app.sandbox.run_handle import RunHandle
from app.sandbox.sandbox_settings import SandboxSettings
from app.sandbox.supervisor import ZygoteSupervisor
from app.trace.heads import Head
from app.trace.records import Request

TRIES_AT_ONCE: Final = 3
"""So many failures in a row are answered with a new start at once; after that each pause is twice the one before."""

LONGEST_PAUSE_SECONDS: Final = 30.0

IN_A_ROW_SECONDS: Final = 120.0
"""Failures further apart than this are independent."""


class Sandbox:
    """A zygote behind bubblewrap, and one sealed child per run.

    Start it from a thread that lives as long as the process: the kernel ends bubblewrap with the *thread* that started it.
    How many runs are in flight is the caller's to bound.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.refusal: str | None = None
        """Why no visitor's run is taken though one could run, in a sentence."""
        self.zygotes = 0
        """How many were started."""
        self._zygote: ZygoteSupervisor | None = None
        """The zygote that new runs go to."""
        self._starting: asyncio.Task[None] | None = None
        self._was_ready = False
        self._failures = 0
        """How many times in a row a zygote died or could not start."""
        self._failed_at = 0.0
        self._trouble: str | None = None
        """What failed last, while there is a pause before the next start."""
        self._later: asyncio.TimerHandle | None = None
        """The next start, while there is a pause before it."""
        self._retiring: dict[ZygoteSupervisor, asyncio.Task[None]] = {}
        """Zygotes that accept no more runs: they wait for their last one, or are dead and not yet reaped."""
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

    @property
    def trouble(self) -> str | None:
        """Why nothing can run at this moment, in a sentence; None when all is well, or the next zygote is on its way."""
        return self._trouble if self._zygote is None else None

    async def close(self) -> None:
        """Kill everything that runs, and wait until it is gone."""
        self._closed = True
        if self._later is not None:
            self._later.cancel()
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
        on_progress: Callable[[Head], None] | None = None,
        on_payload: Callable[[bytes], None] | None = None,
        stop: asyncio.Future[None] | None = None,
        for_visitor: bool = True,
    ) -> Run:
        """Run `request`; `on_progress` gets the head of each payload, `on_payload` the payload. Cancelling the caller kills it.

        When `stop` gets its result, the run ends as Cancelled, with everything that was recorded until then.
        Raises SandboxDied and SandboxUnavailable; everything that a snippet can do is an end of the run. A `refusal` holds for
        visitors alone: the canary that found the reason has to find out when it is gone.
        """
        if for_visitor and self.refusal is not None:
            raise SandboxUnavailable(self.refusal)
        zygote = await self._ready()
        run_id = secrets.randbits(60)  # a number in sequence would tell a run how many there were
        return await RunHandle(zygote, run_id, request, on_progress, on_payload, stop).run()

    async def _ready(self) -> ZygoteSupervisor:
        """A zygote that takes runs."""
        while self._zygote is None or self._zygote.gone.done():  # its callback comes a moment later
            if self._closed:
                raise SandboxDied("The sandbox was closed; nothing runs in it any more.")
            if self._later is not None and self._trouble is not None:
                raise SandboxUnavailable(self._trouble)
            await asyncio.shield(self._replace())
        return self._zygote

    def _replace(self) -> asyncio.Task[None]:
        """Start a zygote. Until it is ready, the present one, if any, continues to accept runs."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
            self._starting.add_done_callback(self._started)
        return self._starting

    async def _start(self) -> None:
        zygote = await ZygoteSupervisor.start(self.settings)
        zygote.gone.add_done_callback(lambda _: self._gone(zygote))
        zygote.recycling_due.add_done_callback(lambda _: self._recycle(zygote))
        previous, self._zygote = self._zygote, zygote
        self.zygotes += 1
        self._trouble, self._was_ready = None, True
        if previous is not None:
            self._retire(previous)

    def _retire(self, zygote: ZygoteSupervisor) -> None:
        if zygote not in self._retiring and not self._closed:
            task = self._retiring[zygote] = asyncio.create_task(zygote.retire())
            task.add_done_callback(lambda _: self._retiring.pop(zygote))

    def _started(self, task: asyncio.Task[None]) -> None:
        self._starting = None
        error = None if task.cancelled() else task.exception()  # a waiting caller gets it too
        if isinstance(error, SandboxUnavailable):
            self._replace_after(str(error))

    def _recycle(self, zygote: ZygoteSupervisor) -> None:
        """A zygote should be replaced; it continues until the next one is ready."""
        if zygote is self._zygote and not self._closed:
            self._replace()

    def _gone(self, zygote: ZygoteSupervisor) -> None:
        """A zygote died: have a new one ready before somebody asks."""
        if zygote is self._zygote and not self._closed:
            self._zygote = None
            self._retire(zygote)
            self._replace_after("The sandbox ended several times in a row; it is started again in a while.")

    def _replace_after(self, failure: str) -> None:
        """Try again at once; what fails again and again would use up the machine, so then after a pause."""
        if self._closed or not self._was_ready:
            return  # a failed start is reported to the caller that starts it
        loop = asyncio.get_running_loop()
        in_a_row = loop.time() - self._failed_at < IN_A_ROW_SECONDS
        self._failures, self._failed_at = (self._failures if in_a_row else 0) + 1, loop.time()
        if self._failures <= TRIES_AT_ONCE:
            self._replace()
        else:
            self._trouble = failure
            pause = 2.0 ** min(self._failures - TRIES_AT_ONCE - 1, 10)
            self._later = loop.call_later(min(LONGEST_PAUSE_SECONDS, pause), self._replace)
