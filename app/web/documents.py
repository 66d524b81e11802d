"""Documents as bytes: encoded once, and packed, off the event loop when they are large.

Written here: Starlette's GZipMiddleware takes `gzip;q=0` for a yes, and for 64 KiB of offers Werkzeug's parser of Accept headers
takes 160 ms of the event loop; ours takes one.
"""

import asyncio
import gzip
from collections.abc import Callable, Generator
from typing import Final, TypeVar

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response

from app.explainers import Explanation
from app.store import Recording
from app.trace.chunks import TABLES, Trace
from app.trace.pieces import PIECE_BYTES

T = TypeVar("T")

LARGE_RECORDS = 1000
"""Records in a trace from which on encoding it is left to a thread: 1.3 ms, as measured; a lesson has 50 to 100."""

LARGE_BYTES = 200 << 10
"""Bytes from which on packing, or reading, is left to a thread: 2 ms to pack, as measured."""

PACKING_PAYS = 1024

PIECES: Final = "application/x-ndjson"
"""The content type of a trace in pieces."""


class Json:
    """JSON in parts that nobody puts together while they are large."""

    def __init__(self, *parts: bytes, recording: object = None) -> None:
        self.parts = parts
        self.size = sum(map(len, parts))
        self.recording = recording
        """The recording that it holds, which is in memory as long as this is."""

    @property
    def is_large(self) -> bool:
        """Whether it is better sent slice by slice."""
        return self.size > PIECE_BYTES

    def whole(self) -> bytes:
        """All of it."""
        return b"".join(self.parts)

    def slices(self, size: int) -> Generator[bytes, None, None]:
        """All of it, so many bytes at a time."""
        for part in self.parts:
            for start in range(0, len(part), size):
                yield part[start : start + size]


def document(recording: Recording, explanation: Explanation) -> Json:
    """The `app.explain.Document` of a recording, around its very bytes: so a link shows the same for ever."""
    return Json(b'{"trace":', recording.trace, b",", explanation.document(), b"}", recording=recording)


def document_apart(recording_hash: str, explanation: Explanation) -> Json:
    """The document without its trace, which is at an address of its own."""
    return Json(b'{"recording":%s,%s}' % (msgspec.json.encode(recording_hash), explanation.document()))


def accepts_pieces(headers: Headers) -> bool:
    """Whether the Accept of a request names the pieces of a large trace."""
    return any(offer.partition(";")[0].strip().lower() == PIECES for offer in headers.get("accept", "").split(","))


def is_large(trace: Trace, size: int) -> bool:
    """Whether to encode `trace`, of `size` bytes, would hold up other visitors: one record may hold a million facts."""
    return sum(len(getattr(trace, table)) for table in TABLES) > LARGE_RECORDS or size > LARGE_BYTES


async def run_in_thread(is_long: bool, work: Callable[[], T]) -> T:
    """The result of `work`, from a thread when it is long."""
    return await asyncio.to_thread(work) if is_long else work()


async def json_response(body: object, headers: Headers, status: int = 200) -> Response:
    """`body`, encoded, and packed if the client says that it can unpack."""
    content = body.whole() if isinstance(body, Json) else msgspec.json.encode(body)
    sent = {"Cache-Control": "no-store", "Vary": "Accept, Accept-Encoding"}
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
