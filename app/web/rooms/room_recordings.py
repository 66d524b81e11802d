"""Loads, compresses and serves the recordings that rooms show.

A recording is compressed once and kept while a room shows it. An explainer answers questions about recordings.
"""

import asyncio
import gzip
import hashlib
import io
import time
import weakref
import zlib
from collections.abc import Generator
from functools import partial
from typing import Final

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.explainers import Explainers, NotExplained, Unreadable
from app.questions.asked import Question
from app.questions.posed import Posed
from app.rooms.room import Document
from app.rooms.room_record import ShownLink
from app.store import Snippet, Store
from app.web.edge.errors import Problem, outdated_recording
from app.web.runs.documents import Json, accepts_gzip, run_in_thread
from app.web.runs.large import SLICE_BYTES, LargeAnswer, Turns
from app.web.runs.recordings import unknown_recording
from app.web.runs.runs import Runs
from app.web.runs.single_flight import SingleFlight

MOST_PACKED: Final = 2 << 20
"""Maximum size of a compressed document, which every phone of a class loads."""

MOST_BYTES: Final = 48 << 20
"""Maximum size of a document before compression, because the document is in memory for a moment."""

PACKING_LEVEL: Final = 6

MOST_AT_ONCE: Final = 2
"""Number of documents that are compressed at the same time."""

LOOK_SECONDS: Final = 10.0
"""How long the result of `check` is reused."""


class RoomRecordings:
    """The recordings of all rooms of one server."""

    def __init__(self, runs: Runs, store: Store, explainers: Explainers) -> None:
        self._runs = runs
        self._store = store
        self._explainers = explainers
        self._packing: SingleFlight[Document] = SingleFlight()
        self._turn = asyncio.Semaphore(MOST_AT_ONCE)
        self._kept: weakref.WeakValueDictionary[str, Document] = weakref.WeakValueDictionary()
        """Documents that rooms show or are about to show, by the hash of the recording."""
        self._seen: weakref.WeakKeyDictionary[Document, float] = weakref.WeakKeyDictionary()
        """For each document, the time of the last successful `check`."""

    async def of(self, snippet_id: str, requester: str) -> tuple[ShownLink, Document]:
        """The link with this id, and its compressed document. Raises Problem (404, 409, 410, 413) and StoreError."""
        snippet = await self._runs.kept(snippet_id)
        document = self._kept.get(snippet.recording)
        if document is None:
            document = await self._packing.result(snippet.recording, lambda: self._pack_in_turn(snippet, requester))
        return ShownLink(id=snippet.id, recording=snippet.recording, title=snippet.title), document

    async def check(self, document: Document) -> None:
        """Raise Problem (404) if no link shows the document any more, because the link was deleted or is held."""
        now = time.monotonic()
        if self._seen.get(document, -LOOK_SECONDS) < now - LOOK_SECONDS:
            if not await self._store.is_shown(document.recording):
                raise unknown_recording()
            self._seen[document] = now

    async def posed(self, recording_hash: str, question: Question, requester: str) -> Posed | None:
        """A question about a recording with its answer; None if the question has no answer.

        Raises Problem (409, 503) and StoreError.
        """
        recording = await self._store.recording(recording_hash)
        try:
            return await self._explainers.ask(recording_hash, recording.trace, question, requester)
        except NotExplained:
            message = "The answer to this question could not be looked up, because this server is busy."
            raise Problem(503, "busy", message, "Try again in 5 seconds.", {"Retry-After": "5"}) from None
        except Unreadable:
            raise outdated_recording() from None

    async def _pack_in_turn(self, snippet: Snippet, requester: str) -> Document:
        async with self._turn:
            return await self._pack(snippet, requester)

    async def _pack(self, snippet: Snippet, requester: str) -> Document:
        _, body = await self._runs.document_of(snippet.id, requester)
        if body.size > MOST_BYTES:
            raise too_large_for_room()
        fields = {"source": snippet.source, "seed": snippet.seed, "stand_in": snippet.stand_in}
        head = msgspec.json.encode(fields)[:-1] + b',"document":'
        whole = Json(head, *(await body.loaded()).parts, b"}")
        content = await run_in_thread(True, partial(_packed, whole))
        if content is None:
            raise too_large_for_room()
        document = Document(recording=snippet.recording, content=content, tag=hashlib.sha256(content).hexdigest()[:32])
        self._kept[snippet.recording] = document
        return document


def _packed(body: Json) -> bytes | None:
    """The gzipped body; None if the result exceeds `MOST_PACKED`."""
    packing = zlib.compressobj(PACKING_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    packed = bytearray()
    for data in body.slices(SLICE_BYTES):
        packed += packing.compress(data)
        if len(packed) > MOST_PACKED:
            return None
    packed += packing.flush()
    return bytes(packed) if len(packed) <= MOST_PACKED else None


def too_large_for_room() -> Problem:
    """The document is too large for a class."""
    message = f"This recording is too large for a room: packed, it has over {MOST_PACKED >> 20} MB."
    return Problem(413, "too_large_for_room", message, "Record fewer steps, or smaller tensors.")


def document_answer(document: Document, asked: Headers, turns: Turns, address: str) -> Response:
    """The response with a compressed document.

    For clients without gzip the response is decompressed, within the limits of `turns`.
    """
    tag = f'"{document.tag}"'
    # Shared caches must not store the document. Access is checked for every request, but a browser may keep its copy.
    headers = {"Cache-Control": "private, no-cache", "ETag": tag, "Vary": "Accept-Encoding"}
    if tag in asked.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = "application/json"
    return _Packed(document, headers) if accepts_gzip(asked) else _Unpacked(document, headers, turns, address)


class _Packed(Response):
    """A stored document, sent in slices."""

    def __init__(self, document: Document, headers: dict[str, str]) -> None:
        super().__init__()
        self._document = document
        self._about = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of `scope`."""
        content = memoryview(self._document.content)
        headers = self._about | {"Content-Encoding": "gzip", "Content-Length": str(len(content))}
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        for start in range(0, len(content), SLICE_BYTES):
            await send({"type": "http.response.body", "body": bytes(content[start : start + SLICE_BYTES]), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Unpacked(LargeAnswer):
    """The response with the uncompressed JSON of a document, of at most `MOST_BYTES`. A thread decompresses the document during
    the response."""

    def __init__(self, document: Document, headers: dict[str, str], turns: Turns, address: str) -> None:
        super().__init__(turns, address)
        self._document = document
        self._about = headers

    async def _content(self, packs: bool) -> tuple[dict[str, str], Generator[bytes, None, None]]:
        return self._about, self._slices()

    def _slices(self) -> Generator[bytes, None, None]:
        with gzip.open(io.BytesIO(self._document.content)) as file:
            while data := file.read(SLICE_BYTES):
                yield data
