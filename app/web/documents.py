"""Documents as bytes: encoded once, explained, and packed, off the event loop when they are large.

Written here: Starlette's GZipMiddleware takes `gzip;q=0` for a yes, and for 64 KiB of offers Werkzeug's parser of Accept headers
takes 160 ms of the event loop; ours takes one.
"""

import asyncio
import gzip
from collections.abc import Callable
from typing import TypeVar

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response

from app.explain import explain
from app.store import Recording
from app.trace.chunks import TABLES, Trace

T = TypeVar("T")

LARGE_RECORDS = 1000
"""Records in a trace from which on explaining and encoding it is left to a thread: 1.3 ms to encode, as measured; a lesson has 50
to 100."""

LARGE_SOURCE = 4 << 10
"""Characters of a snippet from which on explaining it is left to a thread: 64 KiB take 240 ms to parse and to look through."""

LARGE_BYTES = 200 << 10
"""Bytes from which on packing, or reading, is left to a thread: 2 ms to pack, as measured."""

PACKING_PAYS = 1024


def document(recording: Recording, trace: Trace) -> msgspec.Raw:
    """The `app.explain.Document` of `trace` as JSON, around the recording's very bytes: so a link shows the same for ever."""
    explained = msgspec.structs.asdict(explain(trace)) | {"trace": msgspec.Raw(recording.trace)}
    return msgspec.Raw(msgspec.json.encode(explained))


def is_large(trace: Trace, size: int) -> bool:
    """Whether working through `trace`, of `size` bytes, would hold up other visitors: one record may hold a million facts."""
    records = sum(len(getattr(trace, table)) for table in TABLES)
    return records > LARGE_RECORDS or size > LARGE_BYTES or len(trace.source) > LARGE_SOURCE


async def run_in_thread(is_long: bool, work: Callable[[], T]) -> T:
    """The result of `work`, from a thread when it is long."""
    return await asyncio.to_thread(work) if is_long else work()


async def json_response(body: object, headers: Headers, status: int = 200) -> Response:
    """`body`, encoded, and packed if the client says that it can unpack."""
    content = msgspec.json.encode(body)
    sent = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if len(content) >= PACKING_PAYS and accepts_gzip(headers):
        content = await run_in_thread(len(content) > LARGE_BYTES, lambda plain=content: gzip.compress(plain, 5, mtime=0))  # type: ignore[misc]
        sent["Content-Encoding"] = "gzip"
    return Response(content, status, sent, "application/json")


def accepts_gzip(headers: Headers) -> bool:
    """Whether the Accept-Encoding of a request names gzip, and not with weight 0."""
    for offer in headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = offer.strip().partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
