"""Run the HTTP server with real sockets in the test's event loop. The test controls the time of the server's timeouts."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.edge.connections import Connections
from app.web.edge.http import BoundedHttp
from tests.sandbox.processes import PATIENCE
from tests.waiting import soon

HEAD = b"Host: localhost\r\n"
REQUEST = b"GET / HTTP/1.1\r\n" + HEAD + b"\r\n"
WAITING = b"GET /wait HTTP/1.1\r\n" + HEAD + b"\r\n"
"""A request to which `Application` never responds."""


class Application:
    """An ASGI application that reads the request, and responds with as many bytes as the number in the path. /wait has no
    response.
    """

    def __init__(self) -> None:
        self.waiting = 0
        """The number of unanswered requests for /wait."""
        self.hung_up = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] == "http.request" and message.get("more_body"):
            pass
        if message["type"] == "http.disconnect":
            self.hung_up.set()
            return
        if scope["path"] == "/wait":
            self.waiting += 1
            while (await receive())["type"] != "http.disconnect":
                pass
            self.waiting -= 1
            self.hung_up.set()
            return
        body = b"x" * int(scope["path"].strip("/") or 2)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})


class Timer:
    """A call scheduled by `Clock.call_later`."""

    def __init__(self, due: float, callback: Callable[[], object]) -> None:
        self.due = due
        self.callback = callback
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Clock:
    """An event loop for the protocol in which time passes only when the test calls `advance`."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._now = 0.0
        self._timers: list[Timer] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def call_later(self, seconds: float, callback: Callable[..., object], *arguments: object) -> Timer:
        self._timers.append(timer := Timer(self._now + seconds, partial(callback, *arguments)))
        return timer

    def advance(self, seconds: float) -> None:
        """Let time pass, and make the calls that become due."""
        self._now += seconds
        due = [timer for timer in self._timers if timer.due <= self._now]
        self._timers = [timer for timer in self._timers if timer.due > self._now]
        for timer in sorted(due, key=lambda timer: timer.due):
            if not timer.is_cancelled:
                timer.callback()


class Protocol(BoundedHttp):
    """The server's protocol class, using `Clock`. The protocol counts the bytes that it receives."""

    def __init__(self, served: list["Protocol"], clock: Clock, bounds: Connections[BoundedHttp], **named: Any) -> None:
        super().__init__(bounds, **named)
        self.loop = clock  # type: ignore[assignment]
        self.heard = 0
        self.is_lost = False
        served.append(self)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.heard += len(data)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.is_lost = True


class Client:
    """A connection: the client's streams and the server's protocol object."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: Protocol) -> None:
        self.reader = reader
        self.writer = writer
        self.protocol = protocol
        self._sent = 0

    def write(self, data: bytes) -> None:
        self.writer.write(data)
        self._sent += len(data)

    async def send(self, data: bytes) -> None:
        """Send data, and wait until the server has received it."""
        self.write(data)
        await soon(lambda: self.protocol.heard >= self._sent or self.protocol.transport.is_closing())

    async def until_hung_up(self) -> bytes:
        """Return all data until the server closes the connection."""
        try:
            return await asyncio.wait_for(self.reader.read(), PATIENCE)
        except ConnectionError:
            return b""

    async def problem(self) -> tuple[int, str]:
        """Return the status and the error code of a response that closes the connection."""
        head, _, body = (await self.until_hung_up()).partition(b"\r\n\r\n")
        assert b"connection: close" in head.lower() and b"x-content-type-options: nosniff" in head.lower()
        content = json.loads(body)
        assert content.keys() == {"error", "message", "hint"}
        return int(head.split()[1]), content["error"]

    async def ask(self, path: str = "/") -> bytes:
        """Send a simple request, and return the response."""
        self.write(b"GET %s HTTP/1.1\r\n" % path.encode() + HEAD + b"\r\n")
        head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE)
        size = int(head.lower().partition(b"content-length: ")[2].split()[0])
        return head + await self.reader.readexactly(size)


class Serving:
    def __init__(self, address: tuple[str, int], clock: Clock, served: list[Protocol]) -> None:
        self.clock = clock
        self.clients: list[Client] = []
        self._address = address
        self._served = served

    async def connect(self, source: str = "127.0.0.1") -> Client:
        """Connect from the IP address `source`, and wait until the server has accepted the connection."""
        reader, writer = await asyncio.open_connection(*self._address, limit=2048, local_addr=(source, 0))
        here = writer.get_extra_info("sockname")[:2]
        await soon(lambda: any(each.client == here for each in self._served))
        protocol = next(each for each in reversed(self._served) if each.client == here)
        self.clients.append(client := Client(reader, writer, protocol))
        return client


@asynccontextmanager
async def serving(application: ASGIApp, bounds: Connections[BoundedHttp] | None = None) -> AsyncIterator[Serving]:
    """Run a server in the current event loop."""
    listener = socket.create_server(("127.0.0.1", 0))
    clock, served = Clock(), list[Protocol]()
    bounds = bounds or Connections(100, 100)
    protocol: Any = partial(Protocol, served, clock, bounds)
    server = uvicorn.Server(uvicorn.Config(application, http=protocol, lifespan="off", log_config=None, ws="none"))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup(sockets=[listener])
    up = Serving(listener.getsockname(), clock, served)
    try:
        yield up
    finally:
        for client in up.clients:
            client.writer.transport.abort()
        server.should_exit = True
        await server.shutdown(sockets=[listener])
        await soon(lambda: all(each.is_lost for each in served))
        assert not BoundedHttp._untaken, "nothing is remembered of those who are gone"
        assert bounds.idle.longest_where_most() is None
