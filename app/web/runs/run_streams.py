"""A run as a stream of server-sent events: position in the queue, progress, and finally the document.

This module does not use sse-starlette, which starts the response before a refusal is known, does not compress, and splits large
documents into several lines. Here a document is one line of JSON.
"""

import asyncio
import struct
import zlib
from collections.abc import Awaitable, Callable, Generator, Iterable
from functools import partial
from typing import Any, Final

import msgspec
import structlog
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.asgi import disconnected
from app.engine import Progress, Requester
from app.web.edge.errors import Problem, as_problem, stopping
from app.web.runs.documents import LARGE_BYTES, Json, accepts_gzip, run_in_thread
from app.web.runs.pending_runs import PendingRun, PendingRuns

PROGRESS_SECONDS: Final = 0.2
"""Minimum interval of progress events."""

AWAKE_SECONDS: Final = 15.0
"""Interval of the comments in the absence of events, because proxies close idle connections."""

SLICE_BYTES: Final = 64 << 10
"""Bytes of a document that are compressed and sent at a time."""

EVENTS: Final = "text/event-stream"


def accepts_events(headers: Headers) -> bool:
    """Whether the client accepts an event stream."""
    return any(offer.partition(";")[0].strip().lower() == EVENTS for offer in headers.get("accept", "").split(","))


class EventStream(Response):
    """Runs `work` and streams its progress.

    A refusal before the first event is raised as an exception, as for any other response.

    If the client disconnects, `work` is cancelled.
    """

    media_type = EVENTS

    def __init__(self, runs: PendingRuns, requester: Requester, work: Callable[[PendingRun], Awaitable[Json]]) -> None:
        super().__init__()
        self._runs = runs
        self._requester = requester
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of `scope`."""
        pending = PendingRun(self._requester)
        working = asyncio.ensure_future(self._runs.go(pending, self._work))
        hanging_up = asyncio.ensure_future(disconnected(receive))
        try:
            await _first_of(working, hanging_up, pending.changed)
            if working.done():
                working.result()  # raises the refusal, if any
            await self._send_events(_Events(send, accepts_gzip(Headers(scope=scope))), pending, working, hanging_up)
        finally:
            hanging_up.cancel()
            working.cancel()
            await asyncio.gather(working, hanging_up, return_exceptions=True)

    async def _send_events(
        self, events: "_Events", pending: PendingRun, working: asyncio.Future[Json], hanging_up: asyncio.Future[None]
    ) -> None:
        await events.begin()
        try:
            await self._send_progress(events, pending, working, hanging_up)
        except asyncio.CancelledError:  # the server stops, and its time limit for active requests is over
            await events.end("error", _error(stopping()))
            raise
        if working.done():
            await events.end(*_outcome(working))

    async def _send_progress(
        self, events: "_Events", pending: PendingRun, working: asyncio.Future[Json], hanging_up: asyncio.Future[None]
    ) -> None:
        while not working.done() and not hanging_up.done():
            match pending.take():
                case Progress() as progress:
                    await events.send("running", {"run": pending.id, **msgspec.structs.asdict(progress)})
                    await _first_of(working, hanging_up, within=PROGRESS_SECONDS)
                case int() as position:
                    await events.send("queued", {"run": pending.id, "position": position})
                case None:
                    if not await _first_of(working, hanging_up, pending.changed, within=AWAKE_SECONDS):
                        await events.keep_awake()


async def _first_of(*futures: asyncio.Future[Any], within: float | None = None) -> bool:
    """Wait for one of the futures; return whether one was done in time."""
    done, _ = await asyncio.wait(futures, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    return bool(done)


def _outcome(working: asyncio.Future[Json]) -> tuple[str, object]:
    """The name and data of the last event."""
    error = working.exception()
    if error is None:
        return "document", working.result()
    problem = as_problem(error) if isinstance(error, Exception) else as_problem(RuntimeError())
    if problem.status_code == 500:
        structlog.get_logger().error("bug", exc_info=error)
    return "error", _error(problem)


def _error(problem: Problem) -> dict[str, Any]:
    """The data of an `error` event."""
    body: dict[str, Any] = problem.body()
    if "Retry-After" in (problem.headers or {}):
        body["retry_after"] = int((problem.headers or {})["Retry-After"])
    return body


class _Events:
    """Sends events, compressed if the client accepts gzip."""

    def __init__(self, send: Send, packs: bool) -> None:
        self._send = send
        self._packing = Packing() if packs else None

    async def begin(self) -> None:
        # no-transform, because a proxy that compresses would delay the end of each event.
        headers = {
            "Content-Type": f"{EVENTS}; charset=utf-8",
            "Cache-Control": "no-store, no-transform",
            "Vary": "Accept-Encoding",
        }
        headers["X-Accel-Buffering"] = "no"  # nginx would buffer the events
        if self._packing is not None:
            headers["Content-Encoding"] = "gzip"
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": 200, "headers": raw})

    async def send(self, name: str, body: object) -> None:
        await self._send_data(_event(name, body).whole())

    async def keep_awake(self) -> None:
        await self._send_data(b": still here\n\n")

    async def end(self, name: str, body: object) -> None:
        content = _event(name, body)
        slices = content.slices(SLICE_BYTES) if self._packing is None else self._packing.last(content.slices(SLICE_BYTES))
        while data := await run_in_thread(content.size > LARGE_BYTES, partial(next, slices, b"")):
            await self._send({"type": "http.response.body", "body": data, "more_body": True})
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_data(self, content: bytes) -> None:
        content = content if self._packing is None else self._packing.message(content)
        await self._send({"type": "http.response.body", "body": content, "more_body": True})


def _event(name: str, body: object) -> Json:
    parts = body.parts if isinstance(body, Json) else (msgspec.json.encode(body),)
    return Json(b"event: %s\ndata: " % name.encode(), *parts, b"\n\n")


class Packing:
    """A gzip stream that can be decompressed up to the end of each message.

    All messages except the last are stored uncompressed, because these messages are short and a compressor per stream would
    take 256 KiB. An empty stored block follows each message, because some decoders, such as Go's decoder in proxies, flush only
    at such a block.
    """

    def __init__(self) -> None:
        self._checksum = 0
        self._length = 0

    def message(self, content: bytes) -> bytes:
        """Return a short message, of at most 64 KiB, as stored blocks."""
        return self._head(content) + _stored(content) + _stored(b"")

    def last(self, slices: Iterable[bytes]) -> Generator[bytes, None, None]:
        """Yield the last message, of any size, in slices, then the end of the stream."""
        compressor = zlib.compressobj(5, zlib.DEFLATED, -zlib.MAX_WBITS)
        for content in slices:
            if ready := self._head(content) + compressor.compress(content):
                yield ready
        yield compressor.flush() + struct.pack("<LL", self._checksum, self._length & 0xFFFFFFFF)

    def _head(self, content: bytes) -> bytes:
        is_first = self._length == 0
        self._checksum = zlib.crc32(content, self._checksum)
        self._length += len(content)
        return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" if is_first else b""


def _stored(content: bytes) -> bytes:
    """A stored block of deflate other than the last block (RFC 1951, 3.2.4)."""
    return struct.pack("<BHH", 0, len(content), len(content) ^ 0xFFFF) + content
