"""A worker: an HTTP server that executes each run in this machine's sandbox and streams the recording to the web."""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
import structlog
from prometheus_client import CollectorRegistry, generate_latest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from app.asgi import disconnected
from app.engine import LocalEngine, Progress, Refused, Requester, Withdrawn
from app.fleet.messages import BEGAN, CHUNK, ENDED, FAILED, OUTPUT, OUTPUT_BYTES, PLAIN, RUN, TIER, Announcement, End
from app.fleet.worker_metrics import WorkerCollector
from app.sandbox import Run, SandboxError
from app.sandbox.inside.protocol import frame
from app.sandbox.tiers import Tier
from app.trace.decoding import TraceDecodeError
from app.trace.requests import decode_request

SENT_AT_ONCE: Final = 1 << 20
"""Maximum bytes that are sent at a time."""


class Worker:
    """Accepts and executes runs, until the worker drains (it stops and accepts no more). `announcement` raises SandboxError
    while the canary refuses runs."""

    def __init__(self, engine: LocalEngine, announcement: Callable[[], Announcement], body_bytes: int) -> None:
        self._engine = engine
        self._announcement = announcement
        self._body_bytes = body_bytes
        self._runs: set[asyncio.Future[None]] = set()
        """One future per active run. The future is done when the run must end."""
        self._ended: Counter[str] = Counter()
        self._is_stopping = False
        self._registry = CollectorRegistry()
        self._registry.register(WorkerCollector(engine, announcement, self._ended))

    async def leave(self) -> None:
        """Accept no more runs."""
        self._is_stopping = True

    def end_all(self) -> None:
        """End all runs that are still active."""
        for stop in self._runs:
            _finish(stop)

    def health(self, *, is_leaving: bool) -> Response:
        """Respond to a health check with 200 and the announcement.

        The status is 404 while the worker drains, and 503 while the canary refuses runs.
        """
        if is_leaving:
            return PlainTextResponse("This worker is about to stop.", 404)
        try:
            announcement = self._announcement()
        except SandboxError as error:
            return _not_begun(str(error))
        return Response(msgspec.json.encode(announcement), media_type="application/json")

    def metrics(self) -> Response:
        """Metrics for operators, in Prometheus' text format."""
        return Response(generate_latest(self._registry), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Execute one run. Status 503 means that the run has not begun. If the client disconnects, the run ends."""
        headers = Headers(scope=scope)
        name = headers.get(RUN, "")[:64]
        try:
            if not name:  # pages of other sites cannot send this header
                raise ValueError(f"The header {RUN} is missing.")
            announcement = self._announcement()
            body = await self._body(receive)
            if body is None:
                return await PlainTextResponse("This request is too large or incomplete.", 400)(scope, receive, send)
            request = decode_request(body)
            if self._is_stopping or not announcement.tier.is_enough_for(Tier(headers.get(TIER, Tier.A))):
                raise SandboxError("This worker is stopping, or does not isolate runs at the required tier.")
        except (TraceDecodeError, ValueError) as error:
            return await PlainTextResponse(str(error)[:PLAIN], 400)(scope, receive, send)
        except SandboxError as error:
            return await _not_begun(str(error))(scope, receive, send)
        stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        answer = _Answering(send, msgspec.json.encode(announcement))
        watcher = _Watcher(name, stop, answer.begin)
        requester = Requester(visitor=name, address=name)
        running = asyncio.ensure_future(self._engine.run(request, requester, watcher, partial(answer.say, CHUNK)))
        sending = asyncio.ensure_future(answer.send_all())
        hanging_up = asyncio.ensure_future(disconnected(receive))
        hanging_up.add_done_callback(lambda _: _finish(stop))
        self._runs.add(stop)
        try:
            run = await running
        except (SandboxError, Refused, Withdrawn) as error:
            self._end(name, "failed", error)
            if not answer.has_begun:
                return await _not_begun(str(error))(scope, receive, send)
            answer.say(FAILED, str(error).encode())
            await answer.finish(sending)
        else:
            self._end(name, run.kind)
            _say_end(answer, run)
            await answer.finish(sending)
        finally:
            self._runs.discard(stop)
            for task in (running, sending, hanging_up):
                task.cancel()
            await asyncio.gather(running, sending, hanging_up, return_exceptions=True)

    def _end(self, name: str, ended: str, error: Exception | None = None) -> None:
        self._ended[ended] += 1
        structlog.get_logger().info("ended", run=name, ended=ended, **({} if error is None else {"error": str(error)}))

    async def _body(self, receive: Receive) -> bytes | None:
        body = bytearray()
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if len(body) > self._body_bytes:
                return None
            if not message.get("more_body", False):
                return bytes(body)
        return None


class _Answering:
    """The response to one run. The HTTP head is sent when the run begins. Each added frame is sent immediately."""

    def __init__(self, send: Send, announcement: bytes) -> None:
        self._send = send
        self._announcement = announcement
        self._unsent = bytearray()
        self._news = asyncio.Event()
        self._is_over = False
        self.has_begun = False

    def begin(self) -> None:
        """Report that the run begins, or begins again after the death of its zygote."""
        self.has_begun = True
        self.say(BEGAN, self._announcement)

    def say(self, kind: int, payload: bytes) -> None:
        """Add a frame to send. Returns immediately."""
        self._unsent += frame(kind, payload)
        self._news.set()

    async def finish(self, sending: asyncio.Task[None]) -> None:
        """Send the remaining frames and end the response."""
        self._is_over = True
        self._news.set()
        await sending

    async def send_all(self) -> None:
        await self._news.wait()
        headers = [(b"content-type", b"application/octet-stream"), (b"cache-control", b"no-store")]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        while self._unsent or not self._is_over:
            if not self._unsent:
                self._news.clear()
                await self._news.wait()
            data = bytes(self._unsent[:SENT_AT_ONCE])
            del self._unsent[:SENT_AT_ONCE]
            await self._send({"type": "http.response.body", "body": data, "more_body": True})
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


class _Watcher:
    """The watcher of the local engine. This watcher records only the start of a run, because the web reads the heads itself."""

    def __init__(self, name: str, stop: asyncio.Future[None], begin: Callable[[], None]) -> None:
        self.id = name
        self.stop = stop
        self._begin = begin

    def queued(self, position: int) -> None:
        """Do nothing, because a run waits only while the canary uses a slot."""

    def running(self, progress: Progress) -> None:
        """Record the start of the run, which the engine reports as an empty `Progress`."""
        if progress == Progress():
            self._begin()


def _say_end(answer: _Answering, run: Run) -> None:
    for start in range(0, len(run.output), OUTPUT_BYTES):
        answer.say(OUTPUT, run.output[start : start + OUTPUT_BYTES])
    cost = run.cost
    end = End(
        ended=run.ended,
        wall_seconds=cost.wall_seconds,
        cpu_seconds=cost.cpu_seconds,
        peak_memory_bytes=cost.peak_memory_bytes,
    )
    answer.say(ENDED, msgspec.json.encode(end))


def _not_begun(sentence: str) -> Response:
    return PlainTextResponse(sentence[:PLAIN], 503, {"Retry-After": "5"})


def _finish(stop: asyncio.Future[None]) -> None:
    if not stop.done():
        stop.set_result(None)
