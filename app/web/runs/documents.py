"""Documents as bytes, encoded once, and compressed outside of the event loop if large.

This module does not use libraries: Starlette's GZipMiddleware treats `gzip;q=0` as acceptance, and Werkzeug's parser of Accept
headers blocks the event loop for 160 ms at a header of 64 KiB. The parser in this module takes 1 ms for such a header.
"""

import asyncio
import gzip
import weakref
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response

from app.explain.corrected_records import CorrectedGradients
from app.explainers import Explanation
from app.trace.stored import PIECE_BYTES

T = TypeVar("T")

LARGE_BYTES = 200 << 10
"""Number of bytes from which data is compressed, hashed or read in a thread.

The compression of this number of bytes takes 2 ms, measured.
"""

PACKING_PAYS = 1024

PIECES: Final = "application/x-ndjson"
"""The content type of a trace in pieces."""


@dataclass(frozen=True)
class Deferred:
    """A part of a document that is fetched immediately before it is sent."""

    size: int
    load: Callable[[], Awaitable[bytes]]

    def __len__(self) -> int:
        return self.size


class Json:
    """JSON as a list of parts. A single string would need a copy of the large parts."""

    def __init__(self, *parts: bytes | Deferred) -> None:
        self.parts = parts
        self.size = sum(map(len, parts))

    @property
    def is_large(self) -> bool:
        """Whether to send the JSON in slices."""
        return self.size > PIECE_BYTES

    async def loaded(self) -> "Json":
        """A copy in which deferred parts are loaded."""
        return Json(*[await part.load() if isinstance(part, Deferred) else part for part in self.parts])

    def whole(self) -> bytes:
        """All bytes, including deferred parts."""
        return b"".join(self._loaded())

    def slices(self, size: int) -> Generator[bytes, None, None]:
        """All bytes, including deferred parts, in slices of a given size."""
        for part in self._loaded():
            for start in range(0, len(part), size):
                yield part[start : start + size]

    def _loaded(self) -> list[bytes]:
        return [part for part in self.parts if not isinstance(part, Deferred)]


class UnsentDocuments:
    """Limits the memory of large unsent documents."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = 0

    def take(self, body: Json) -> bool:
        """Count the memory of `body` until `body` is freed; return whether the limit allows it."""
        if self._bytes + body.size > self._most:
            return False
        self._bytes += body.size
        weakref.finalize(body, self._drop, body.size)
        return True

    def _drop(self, size: int) -> None:
        self._bytes -= size


def document(trace: bytes | Deferred, explanation: Explanation, token: str = "") -> Json:
    """The `app.explain.Document` of a trace.

    The document contains the stored bytes of the recording, so a link always shows the same trace.

    The `token` identifies the recording for the visitor that ran the snippet.
    """
    return Json(b'{"trace":', trace, b",", explanation.document(), _named(token), b"}")


def with_corrected(body: Json, corrected: CorrectedGradients | None) -> Json:
    """A document with its corrected gradients, if any."""
    if corrected is None:
        return body
    *parts, last = body.parts
    assert last == b"}"
    return Json(*parts, b',"corrected":', msgspec.json.encode(corrected), last)


def document_apart(recording_hash: str, explanation: Explanation, token: str = "") -> Json:
    """The document without its trace, which has a separate URL."""
    return Json(b'{"recording":%s,%s' % (msgspec.json.encode(recording_hash), explanation.document()), _named(token), b"}")


def _named(token: str) -> bytes:
    return b',"recording_token":%s' % msgspec.json.encode(token) if token else b""


def accepts_pieces(headers: Headers) -> bool:
    """Whether the client accepts a large trace in pieces."""
    return any(offer.partition(";")[0].strip().lower() == PIECES for offer in headers.get("accept", "").split(","))


async def run_in_thread(is_long: bool, work: Callable[[], T]) -> T:
    """The result of `work`, which runs in a thread if `is_long`."""
    return await asyncio.to_thread(work) if is_long else work()


async def json_response(body: object, headers: Headers, status: int = 200) -> Response:
    """Encode `body`, and compress the JSON if the client accepts compression."""
    content = body.whole() if isinstance(body, Json) else msgspec.json.encode(body)
    sent = {"Cache-Control": "no-store", "Vary": "Accept, Accept-Encoding"}
    return Response(await packed_if_accepted(content, headers, sent), status, sent, "application/json")


async def packed_if_accepted(content: bytes, headers: Headers, sent: dict[str, str]) -> bytes:
    """`content`, compressed if compression pays off and the client accepts gzip. `sent` gets the matching headers."""
    if len(content) < PACKING_PAYS or not accepts_gzip(headers):
        return content
    sent["Content-Encoding"] = "gzip"
    return await run_in_thread(len(content) > LARGE_BYTES, lambda: gzip.compress(content, 5, mtime=0))


def accepts_gzip(headers: Headers) -> bool:
    """Whether the client accepts gzip with a weight above 0."""
    for offer in headers.get("accept-encoding", "").lower().split(","):
        name, _, weight = offer.strip().partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
