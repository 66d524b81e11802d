"""Large responses, compressed during the transfer, so that no compressed copy is in memory.

The number of concurrent responses is limited.
"""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Generator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.asgi import disconnected
from app.networks import NetworkCounts
from app.web.edge.errors import Problem
from app.web.runs.documents import Json, accepts_gzip

SLICE_BYTES: Final = 64 << 10
"""Bytes that are read, compressed or decompressed at a time."""

WAITING_SECONDS: Final = 60.0
"""Timeout of a large response in the queue."""

TAKING_SECONDS: Final = 120.0
"""Timeout for a client to read a large response. 64 MiB in this time correspond to 4.5 Mbit/s."""

PACKING_LEVEL: Final = 5


class Turns:
    """Limits the number of large responses at the same time, in total and per address."""

    def __init__(self, most: int, of_address: int, waiting_seconds: float = WAITING_SECONDS) -> None:
        self._most = most
        self._of_address = of_address
        self._waiting_seconds = waiting_seconds
        self._taken = NetworkCounts()
        self._total = 0
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncIterator[None]:
        """Hold a slot while the block lasts. Raises Problem (503) after the timeout."""
        try:
            async with asyncio.timeout(self._waiting_seconds), self._changed:
                await self._changed.wait_for(lambda: self._is_free(address))
                self._taken.add(address)
                self._total += 1
        except TimeoutError:
            message = "This server is sending the maximum number of large recordings at the moment."
            raise Problem(503, "busy", message, "Try again in 5 seconds.", {"Retry-After": "5"}) from None
        try:
            yield
        finally:
            self._taken.remove(address)
            self._total -= 1
            async with self._changed:
                self._changed.notify_all()

    def _is_free(self, address: str) -> bool:
        return self._total < self._most and not self._taken.reached(address, self._of_address)


class LargeAnswer(Response):
    """A response of slices, sent when a slot is free. The response ends when the client disconnects or exceeds the timeout."""

    def __init__(self, turns: Turns, address: str) -> None:
        super().__init__()
        self._turns = turns
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of `scope`."""
        async with self._turns.turn(self._address):
            headers, slices = await self._content(accepts_gzip(Headers(scope=scope)))
            raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": 200, "headers": raw})
            hanging_up = asyncio.ensure_future(disconnected(receive))
            try:
                async with asyncio.timeout(TAKING_SECONDS):
                    while (data := await asyncio.to_thread(next, slices, None)) is not None and not hanging_up.done():
                        await send({"type": "http.response.body", "body": data, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            except TimeoutError:
                return  # uvicorn closes the connection of an incomplete response
            finally:
                hanging_up.cancel()
                with suppress(ValueError):  # a thread still runs the generator, and drops the last reference to it
                    slices.close()

    async def _content(self, packs: bool) -> tuple[dict[str, str], Generator[bytes, None, None]]:
        raise NotImplementedError


class LargeJson(LargeAnswer):
    """A response with megabytes of JSON, compressed during the transfer if the client accepts gzip. Only the plain JSON is in
    memory."""

    def __init__(self, body: Json, turns: Turns, address: str) -> None:
        super().__init__(turns, address)
        self._body = body

    async def _content(self, packs: bool) -> tuple[dict[str, str], Generator[bytes, None, None]]:
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store", "Vary": "Accept, Accept-Encoding"}
        body = await self._body.loaded()
        if packs:
            return headers | {"Content-Encoding": "gzip"}, packed(body.slices(SLICE_BYTES))
        return headers | {"Content-Length": str(body.size)}, body.slices(SLICE_BYTES)


class PackedFile(LargeAnswer):
    """A response with a compressed file, which is read in slices, and decompressed during the transfer if the client does not
    accept gzip."""

    def __init__(self, path: Path, headers: dict[str, str], turns: Turns, address: str) -> None:
        super().__init__(turns, address)
        self._path = path
        self._about = headers

    async def _content(self, packs: bool) -> tuple[dict[str, str], Generator[bytes, None, None]]:
        if packs:
            return self._about | {"Content-Encoding": "gzip", "Content-Length": str(self._path.stat().st_size)}, self._read()
        return self._about, self._unpacked()

    def _read(self) -> Generator[bytes, None, None]:
        with self._path.open("rb") as file:
            while data := file.read(SLICE_BYTES):
                yield data

    def _unpacked(self) -> Generator[bytes, None, None]:
        with gzip.open(self._path) as file:
            while data := file.read(SLICE_BYTES):
                yield data


def packed(slices: Iterable[bytes]) -> Generator[bytes, None, None]:
    """The slices as one gzip stream."""
    packing = zlib.compressobj(PACKING_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for data in slices:
        if ready := packing.compress(data):
            yield ready
    yield packing.flush()
