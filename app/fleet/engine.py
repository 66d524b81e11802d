"""The engine of a web with workers: waits for a slot, sends the request to a worker, reads the response."""

import asyncio
import secrets
import ssl
from collections.abc import Callable
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Final

import httpx
import structlog

from app.engine import Admission, EngineUnavailable, Progress, Queue, Refused, Requester, Watcher, Withdrawn
from app.fleet.answer import Answer, WorkerFailed
from app.fleet.messages import RELEASE, RUN, TIER, Announcement, NotBelieved
from app.fleet.workers import Workers
from app.sandbox import Run
from app.sandbox.inside.protocol import FrameError, FrameReader
from app.sandbox.tiers import Tier
from app.trace.ends import Cancelled, WorkerStopped
from app.trace.records import Request
from app.trace.requests import encode_request

AGAIN_SECONDS: Final = 0.1
"""The pause before the web sends a run again if no worker has begun it."""

LONGEST_SECONDS: Final = 30.0
"""Time that a response may take in addition to the wait for a slot and, after the run has begun, in addition to the wall-clock
limit."""

SMALL_BYTES: Final = 64
SMALL_READS: Final = 1000
"""Number of reads that a response may take. More reads are allowed if a read has `SMALL_BYTES` on average."""

CONNECTING_SECONDS: Final = 2.0

NOT_BEGUN: Final = frozenset({404, 503})
"""Statuses that prove that no worker has begun the run: no worker is available, or the worker has another release."""


class FleetEngine:
    """Sends each run to the workers behind `client`.

    The engine sends a run again only if the response proves that no worker began the run.
    """

    def __init__(self, client: httpx.AsyncClient, queue: Queue, admission: Admission, workers: Workers, needed: Tier) -> None:
        self.admission = admission
        self._client = client
        self._queue = queue
        self._workers = workers
        self._needed = needed

    async def run(self, request: Request, requester: Requester, watcher: Watcher) -> Run:
        """Run `request` in a worker as soon as a slot is free."""
        await self._refuse_without_workers()
        try:
            async with self.admission.slot(requester, watcher.queued, watcher.stop):
                return await self._run(watcher.id, request, watcher.running, watcher.stop)
        except Refused:
            await self._refuse_without_workers()  # raises an error if no worker is available any more
            raise

    async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
        """Run `request` in a background slot. Raises EngineUnavailable if the worker stops."""
        await self._refuse_without_workers()
        async with self.admission.spare(requester) as wanted:
            try:
                run = await self._run(secrets.token_hex(8), request, lambda _: None, wanted if gives_way else None)
            except Withdrawn:
                raise Refused("spare", "No slot became free for a background run.", 10) from None
        if isinstance(run.ended, WorkerStopped):
            raise EngineUnavailable("run_lost")
        return run

    def queue_of(self, request: Request) -> Queue:
        """The queue of all runs, because this engine has only one queue."""
        return self._queue

    async def _refuse_without_workers(self) -> None:
        if self._workers.trouble is not None:
            await self._workers.look()  # a worker may have become available since the last check
        if self._workers.trouble is not None:
            raise EngineUnavailable(self._workers.trouble)

    async def _run(
        self, name: str, request: Request, on_progress: Callable[[Progress], None], stop: asyncio.Future[None] | None
    ) -> Run:
        """Send the run until a worker begins the run. Raises EngineUnavailable, Refused and Withdrawn."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self.admission.capacity.queue_seconds
        while loop.time() < until:
            if stop is not None and stop.done():
                raise Withdrawn
            answer = Answer(request, self._needed, on_progress)
            try:
                if await self._has_begun(name, request, answer, stop):
                    return answer.run()
            except (NotBelieved, WorkerFailed, FrameError) as error:
                worker = None if answer.worker is None else answer.worker.worker
                structlog.get_logger().warning("worker", run=name, worker=worker, told=str(error), error=type(error).__name__)
                raise EngineUnavailable("run_lost") from error
            await asyncio.sleep(AGAIN_SECONDS)
            await self._refuse_without_workers()
        raise Refused("wait", "No worker became free in time.", 10)

    async def _has_begun(self, name: str, request: Request, answer: Answer, stop: asyncio.Future[None] | None) -> bool:
        """Read the response to its end, or until `stop`, and close the connection.

        If the connection is closed because of `stop`, the worker ends the run. Return whether a worker began the run.
        """
        reading = asyncio.ensure_future(self._read(name, request, answer))
        try:
            waited: set[asyncio.Future[Any]] = {reading} if stop is None else {reading, stop}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                return reading.result()
            if answer.worker is None:
                raise Withdrawn
            answer.stopped = answer.stopped or Cancelled()
            return True
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, name: str, request: Request, answer: Answer) -> bool:
        headers = {RUN: name, TIER: self._needed.value}
        asking = self._client.stream("POST", f"/{RELEASE}/run", content=encode_request(request), headers=headers)
        try:
            async with asyncio.timeout(self.admission.capacity.queue_seconds + LONGEST_SECONDS) as limit, asking as response:
                if response.status_code in NOT_BEGUN:
                    structlog.get_logger().info("not begun", run=name, status=response.status_code)
                    return False
                if response.status_code != 200:
                    raise WorkerFailed(f"HTTP {response.status_code}")

                def began(worker: Announcement) -> None:
                    self._workers.heard(worker)
                    limit.reschedule(asyncio.get_running_loop().time() + request.limits.wall_seconds + LONGEST_SECONDS)
                    structlog.get_logger().info("began", run=name, worker=worker.worker)

                await _take(response, answer, began)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            structlog.get_logger().info("not begun", run=name, status=None)
            return False
        except (httpx.HTTPError, TimeoutError) as error:  # the worker or the proxy died, and the run may have begun
            structlog.get_logger().warning("response broke off", run=name, error=type(error).__name__)
        if answer.worker is None:
            raise WorkerFailed("The response ended before the run began.")
        return True


async def _take(response: httpx.Response, answer: Answer, on_begin: Callable[[Announcement], None]) -> None:
    """Read frames until `answer` is over. Raises NotBelieved, WorkerFailed and FrameError."""
    frames = FrameReader()
    count = size = 0
    async for data in response.aiter_raw():
        count, size = count + 1, size + len(data)
        if count > SMALL_READS + size // SMALL_BYTES:
            raise NotBelieved(f"the response came in too many small pieces: {size} bytes in {count} reads")
        await asyncio.sleep(0)  # other tasks may run, even if the next data has already arrived
        for kind, payload in frames.feed(data):
            is_first = answer.worker is None
            answer.take(kind, payload)
            if is_first and answer.worker is not None:
                on_begin(answer.worker)
            if answer.is_over:
                return


def client_of(url: str, tls: ssl.SSLContext | bool) -> httpx.AsyncClient:
    """The client for the workers behind `url`. `tls` is False for http."""
    # Each request has its own connection: if the other side closes a reused connection, the web cannot know whether a POST has
    # begun.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    timeout = httpx.Timeout(None, connect=CONNECTING_SECONDS)
    client = httpx.AsyncClient(base_url=url, verify=tls, limits=limits, timeout=timeout, trust_env=False)
    client.cookies.jar.set_policy(
        DefaultCookiePolicy(allowed_domains=[])
    )  # no cookies: a worker could set them for later requests
    return client
