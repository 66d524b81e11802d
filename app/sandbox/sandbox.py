"""The sandbox, for the web process: starts a zygote, runs a Request in a child of the zygote, and returns the Run."""

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
"""Number of consecutive failures after which zygotes start with a pause. Each pause is twice the previous pause."""

LONGEST_PAUSE_SECONDS: Final = 30.0

IN_A_ROW_SECONDS: Final = 120.0
"""Interval above which two failures count as independent."""


class Sandbox:
    """A zygote behind bubblewrap, and one sealed child per run.

    Start the sandbox from a thread that lives until the end of the process, because the kernel ends bubblewrap with the
    *thread* that started it. The caller must limit the number of active runs.
    """

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.refusal: str | None = None
        """The reason, as a sentence, if visitors' runs are refused although runs are possible; else None."""
        self.zygotes = 0
        """Number of zygotes started so far."""
        self._zygote: ZygoteSupervisor | None = None
        """The zygote for new runs."""
        self._starting: asyncio.Task[None] | None = None
        self._was_ready = False
        self._failures = 0
        """Number of consecutive times that a zygote died or could not start."""
        self._failed_at = 0.0
        self._trouble: str | None = None
        """The last failure, as a sentence, during the pause before the next start."""
        self._later: asyncio.TimerHandle | None = None
        """The timer of the next start, during the pause before this start."""
        self._retiring: dict[ZygoteSupervisor, asyncio.Task[None]] = {}
        """Zygotes that accept no more runs, because they wait for the end of their last run, or are dead and not yet reaped."""
        self._closed = False

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the zygote and wait until the zygote is ready. Raises SandboxUnavailable."""
        await self._ready()

    @property
    def trouble(self) -> str | None:
        """The reason, as a sentence, if no run is possible now; None if runs are possible, or the next zygote is starting."""
        return self._trouble if self._zygote is None else None

    async def close(self) -> None:
        """Kill all zygotes and runs, and wait until they have ended."""
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
        """Run `request`; `on_progress` gets the head of each payload, `on_payload` the payload.

        When `stop` is done, the run ends as Cancelled, with all records up to this time. Raises SandboxDied and
        SandboxUnavailable. Nothing that a snippet does raises an exception here; it only determines the end of the run. A
        `refusal` applies only to visitors, because the canary must still run to detect the end of the problem. If the calling
        task is cancelled, the run is killed.
        """
        if for_visitor and self.refusal is not None:
            raise SandboxUnavailable(self.refusal)
        zygote = await self._ready()
        run_id = secrets.randbits(60)  # random, because a sequence number would reveal the number of runs
        return await RunHandle(zygote, run_id, request, on_progress, on_payload, stop).run()

    async def _ready(self) -> ZygoteSupervisor:
        """Return a zygote that accepts runs, and start one if necessary."""
        while self._zygote is None or self._zygote.gone.done():  # a zygote that is gone may not be replaced yet
            if self._closed:
                raise SandboxDied("The sandbox was closed.")
            if self._later is not None and self._trouble is not None:
                raise SandboxUnavailable(self._trouble)
            await asyncio.shield(self._replace())
        return self._zygote

    def _replace(self) -> asyncio.Task[None]:
        """Start a zygote. Until the new zygote is ready, the current zygote, if any, continues to accept runs."""
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
        error = None if task.cancelled() else task.exception()  # also raised in a caller that waits for the start
        if isinstance(error, SandboxUnavailable):
            self._replace_after(str(error))

    def _recycle(self, zygote: ZygoteSupervisor) -> None:
        """Replace a zygote. The old zygote accepts runs until the next zygote is ready."""
        if zygote is self._zygote and not self._closed:
            self._replace()

    def _gone(self, zygote: ZygoteSupervisor) -> None:
        """Replace a zygote that died, before the next run needs a zygote."""
        if zygote is self._zygote and not self._closed:
            self._zygote = None
            self._retire(zygote)
            self._replace_after("The sandbox ended several times in a row; it will be started again after a pause.")

    def _replace_after(self, failure: str) -> None:
        """Start a zygote immediately, or after a pause if starts failed repeatedly. The pause limits the load of the failures."""
        if self._closed or not self._was_ready:
            return  # the caller of the start gets the error of a failed start
        loop = asyncio.get_running_loop()
        in_a_row = loop.time() - self._failed_at < IN_A_ROW_SECONDS
        self._failures, self._failed_at = (self._failures if in_a_row else 0) + 1, loop.time()
        if self._failures <= TRIES_AT_ONCE:
            self._replace()
        else:
            self._trouble = failure
            pause = 2.0 ** min(self._failures - TRIES_AT_ONCE - 1, 10)
            self._later = loop.call_later(min(LONGEST_PAUSE_SECONDS, pause), self._replace)
