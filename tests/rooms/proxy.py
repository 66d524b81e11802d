"""A TCP proxy that simulates failures of networks and servers, to test that clients reconnect.

    with Proxy(server.url) as proxy:
        page.goto(proxy.url)
        proxy.hold()       # drops packets: no data arrives, and connections stay open
        proxy.flow()       # delivers the dropped data, and lets later data pass
        proxy.hang_up()    # cuts all connections, and accepts new ones
        proxy.refuse()     # cuts all connections, and responds to requests with 502
        proxy.buffer()     # delays event streams until they end
        proxy.lead_to(url) # forwards new connections to another address of the server

The proxy runs in its own thread, so tests may block.
"""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

from tests.sandbox.processes import PATIENCE

T = TypeVar("T")
PIECE_BYTES: Final = 64 << 10
BAD_GATEWAY: Final = (
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 24\r\nConnection: close\r\n\r\n"
    b"<h1>502 Bad Gateway</h1>"
)


class Proxy:
    """A proxy in front of the server at `url`. Each method of the proxy returns when it has taken effect."""

    def __init__(self, url: str) -> None:
        self._server = _address(url)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._is_refusing = False
        self._is_buffering = False
        self._connections: set[asyncio.Task[None]] = set()
        self.accepted = 0
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        self._listener = self._do(asyncio.start_server(self._connected, "127.0.0.1", 0, limit=PIECE_BYTES))
        self.url = f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self._listener.close()
        self.hang_up()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def flow(self) -> None:
        """Let all data pass."""
        self._do(self._set(flowing=True))

    def hold(self) -> None:
        """Stop all data in both directions. New connections are accepted, but receive no data."""
        self._do(self._set(flowing=False))

    def refuse(self) -> None:
        """Cut all connections, and respond with status 502 to requests from now on."""
        self._do(self._set(refusing=True))
        self.hang_up()

    def buffer(self) -> None:
        """Delay event streams that begin from now on until they end."""
        self._do(self._set(buffering=True))

    def hang_up(self) -> None:
        """Cut all connections."""
        self._do(self._cut())

    def lead_to(self, url: str) -> None:
        """Forward new connections to the server at `url`."""
        self._server = _address(url)

    def _do(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(PATIENCE)

    async def _set(self, *, flowing: bool = True, refusing: bool = False, buffering: bool = False) -> None:
        self._is_refusing, self._is_buffering = refusing, buffering
        if flowing:
            self._flowing.set()
        else:
            self._flowing.clear()

    async def _cut(self) -> None:
        for connection in tuple(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        task = asyncio.ensure_future(self._carry(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        await asyncio.wait({task})

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward: asyncio.StreamWriter | None = None
        try:
            await self._flowing.wait()
            if self._is_refusing:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(BAD_GATEWAY)
                await writer.drain()
                writer.close()
                return
            back, onward = await asyncio.open_connection(*self._server, limit=PIECE_BYTES)
            there = asyncio.ensure_future(self._pump(reader, onward, is_answer=False))
            here = asyncio.ensure_future(self._pump(back, writer, is_answer=True))
            try:
                await asyncio.wait({there, here}, return_when=asyncio.FIRST_COMPLETED)
                await asyncio.wait({here}, timeout=0.1)  # the server may have sent data after it had read everything
            finally:
                there.cancel()
                here.cancel()
                await asyncio.gather(there, here, return_exceptions=True)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            for end in (writer, onward):
                if end is not None and not end.is_closing():
                    end.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool) -> None:
        held: list[bytes] = []
        is_held = False
        while piece := await reader.read(PIECE_BYTES):
            await self._flowing.wait()
            is_held = is_held or (is_answer and self._is_buffering and b"content-type: text/event-stream" in piece.lower())
            if is_held:
                held.append(piece)
                continue
            writer.write(piece)
            await writer.drain()
        writer.writelines(held)
        await writer.drain()


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname is not None and parts.port is not None
    return parts.hostname, parts.port
