"""Clients that send slowly, take slowly, or are too many: the real protocol on real sockets, with less patience than it has."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.errors import Problem
from app.web.http import BoundedHttp
from app.web.middleware import BodyLimit
from tests.sandbox.processes import PATIENCE

pytestmark = pytest.mark.asyncio
LARGE = 8 << 20
HEAD = b"Host: localhost\r\n"


class Impatient(BoundedHttp):
    """The protocol, in a hurry."""

    head_seconds = 0.3
    body_seconds = 0.6
    taking_seconds = 0.3


class Application:
    """Answers with as many bytes as the path says, after it has read the body."""

    def __init__(self) -> None:
        self.hung_up = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] == "http.request" and message.get("more_body"):
            pass
        if message["type"] == "http.disconnect":
            self.hung_up.set()
            return
        if scope["path"] == "/wait":
            while (await receive())["type"] != "http.disconnect":
                pass
            self.hung_up.set()
            return
        body = b"x" * int(scope["path"].strip("/") or 2)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def until_hung_up(self) -> bytes:
        """Everything that the server still says."""
        try:
            return await asyncio.wait_for(self.reader.read(), PATIENCE)
        except ConnectionError:
            return b""

    async def problem(self) -> tuple[int, str]:
        """Status and word of the error that comes, with which the connection ends."""
        head, _, body = (await self.until_hung_up()).partition(b"\r\n\r\n")
        assert b"connection: close" in head.lower() and b"x-content-type-options: nosniff" in head.lower()
        content = json.loads(body)
        assert content.keys() == {"error", "message", "hint"}
        return int(head.split()[1]), content["error"]

    async def ask(self, path: str = "/") -> bytes:
        """The answer to a plain request."""
        self.writer.write(b"GET %s HTTP/1.1\r\n" % path.encode() + HEAD + b"\r\n")
        head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE)
        size = int(head.lower().partition(b"content-length: ")[2].split()[0])
        return head + await self.reader.readexactly(size)


Connect = Callable[[], "asyncio.Future[Client]"]


@asynccontextmanager
async def serving(
    application: ASGIApp, protocol: type[BoundedHttp] = Impatient, connections: int = 100
) -> AsyncIterator[Connect]:
    """A server in this event loop; what connects to it."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        application, http=protocol, lifespan="off", log_config=None, ws="none", limit_concurrency=connections
    )
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    clients: list[Client] = []

    async def connect() -> Client:
        client = Client(*await asyncio.open_connection(*listener.getsockname(), limit=2048))
        clients.append(client)
        return client

    try:
        yield lambda: asyncio.ensure_future(connect())
    finally:
        for client in clients:
            client.writer.transport.abort()
        server.should_exit = True
        await server.shutdown(sockets=[listener])
        assert not BoundedHttp._untaken, "nothing is remembered of those who are gone"


async def test_a_head_that_comes_too_slowly() -> None:
    async with serving(Application()) as connect:
        client = await connect()
        client.writer.write(b"GET / HTTP/1.1\r\nHost: loc")
        assert await client.problem() == (408, "too_slow")


async def test_a_second_head_that_comes_too_slowly() -> None:
    async with serving(Application()) as connect:
        client = await connect()
        assert (await client.ask()).endswith(b"xx")
        client.writer.write(b"GET / HT")
        assert await client.problem() == (408, "too_slow")


async def test_a_connection_that_says_nothing_is_closed_without_a_word() -> None:
    """Browsers open some before they need them."""
    async with serving(Application()) as connect:
        assert await (await connect()).until_hung_up() == b""


@pytest.mark.parametrize("is_first", [True, False])
async def test_blank_lines_do_not_keep_a_connection_open(is_first: bool) -> None:
    async with serving(Application()) as connect:
        client = await connect()
        if not is_first:
            await client.ask()
        client.writer.write(b"\r\n")
        assert await client.problem() == (408, "too_slow")


async def test_a_body_that_comes_too_slowly() -> None:
    application = Application()
    async with serving(application) as connect:
        client = await connect()
        client.writer.write(b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 100\r\n\r\n{")
        assert await client.problem() == (408, "too_slow")
        await asyncio.wait_for(application.hung_up.wait(), PATIENCE)


async def test_a_body_that_drips_is_too_slow_as_well() -> None:
    async with serving(Application()) as connect:
        client = await connect()
        client.writer.write(b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 100000\r\n\r\n")

        async def drip() -> None:
            while not client.writer.is_closing():
                client.writer.write(b"x")
                await client.writer.drain()
                await asyncio.sleep(0.05)

        dripping = asyncio.ensure_future(drip())
        assert await client.problem() == (408, "too_slow")
        dripping.cancel()
        await asyncio.gather(dripping, return_exceptions=True)


async def test_an_answer_may_take_longer_than_a_request() -> None:
    application = Application()
    async with serving(application) as connect:
        client = await connect()
        client.writer.write(b"GET /wait HTTP/1.1\r\n" + HEAD + b"\r\n")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.reader.read(1), 1.0)
        client.writer.close()
        await asyncio.wait_for(application.hung_up.wait(), PATIENCE)


SECOND = {"never ends": b"GET / HT", "is no HTTP": b"FOO / BAR\r\n\r\n", "is too long": b"GET /" + b"x" * (70 << 10)}


@pytest.mark.parametrize("second", SECOND)
async def test_an_answer_that_is_on_its_way_is_not_written_into(second: str) -> None:
    """By what is to be said about a second request, while the first is being answered."""
    application = Application()
    async with serving(application) as connect:
        client = await connect()
        client.writer.write(b"GET /wait HTTP/1.1\r\n" + HEAD + b"\r\n" + SECOND[second])
        assert await client.until_hung_up() == b""
        await asyncio.wait_for(application.hung_up.wait(), PATIENCE)


async def test_whoever_never_takes_an_answer_is_hung_up_on() -> None:
    lost = asyncio.Event()

    class Watched(Impatient):
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.set()

    async with serving(Application(), Watched) as connect:
        client = await connect()
        client.writer.write(b"GET /%d HTTP/1.1\r\n" % LARGE + HEAD + b"\r\n")
        await client.reader.readuntil(b"\r\n\r\n")  # and no further: its buffer holds 2 KiB
        await asyncio.wait_for(lost.wait(), PATIENCE)
        assert len(await client.until_hung_up()) < LARGE


async def test_whoever_takes_an_answer_gets_it() -> None:
    async with serving(Application()) as connect:
        client = await connect()
        assert len(await client.ask(f"/{LARGE}")) > LARGE
        assert (await client.ask()).endswith(b"xx")


async def test_answers_that_nobody_takes_are_bounded_in_all() -> None:
    class Small(BoundedHttp):
        most_untaken_bytes = 3 * LARGE

    async with serving(Application(), Small) as connect:
        clients = []
        for _ in range(6):  # one connects when it asks: who says nothing for a while is hung up on
            clients.append(client := await connect())
            client.writer.write(b"GET /%d HTTP/1.1\r\n" % LARGE + HEAD + b"\r\n")
            await client.reader.readuntil(b"\r\n\r\n")
        assert sum(each.transport.get_write_buffer_size() for each in BoundedHttp._untaken) <= 3 * LARGE
        assert len(await clients[0].until_hung_up()) < LARGE, "the one who left theirs lying longest"
        assert len(await clients[-1].reader.readexactly(LARGE)) == LARGE


async def test_more_connections_than_there_may_be() -> None:
    async with serving(Application(), BoundedHttp, connections=3) as connect:
        clients = [await connect() for _ in range(3)]
        for client in clients:
            assert (await client.ask()).endswith(b"xx")
        surplus = await connect()
        surplus.writer.write(b"GET / HTTP/1.1\r\n" + HEAD + b"\r\n")
        assert await surplus.problem() == (503, "too_many_connections")
        clients[0].writer.close()
        await clients[0].writer.wait_closed()
        again = await connect()
        assert (await again.ask()).endswith(b"xx")


async def test_bodies_are_bounded_in_all() -> None:
    """Many connections, each within the limit, that do not finish what they send."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            while (await receive()).get("more_body"):
                pass
        except Problem as problem:
            return await problem.response()(scope, receive, send)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"xx"})

    limited = BodyLimit(application, max_bytes=1000, most_held_bytes=2000)
    async with serving(limited) as connect:
        clients = [await connect() for _ in range(3)]
        for client in clients:
            client.writer.write(b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 999)
            await client.writer.drain()
        answers = [asyncio.ensure_future(client.reader.readline()) for client in clients]
        assert sorted(line[9:12] for line in await asyncio.gather(*answers)) == [b"408", b"408", b"503"]
        last = await connect()
        last.writer.write(b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 1000)
        assert await last.reader.readline() == b"HTTP/1.1 200 OK\r\n", "what was held is let go"
