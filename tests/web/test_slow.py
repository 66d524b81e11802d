"""Timeouts for clients that send or read slowly. The tests control the clock."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from app.web.edge.errors import Problem
from app.web.edge.http import MOST_DISCARDED_BYTES, BoundedHttp
from app.web.edge.middleware import BodyLimit
from tests.sandbox.processes import PATIENCE
from tests.waiting import soon
from tests.web.protocol import HEAD, WAITING, Application, serving

pytestmark = pytest.mark.asyncio
LARGE = 8 << 20
HEAD_SECONDS, BODY_SECONDS, TAKING_SECONDS = BoundedHttp.head_seconds, BoundedHttp.body_seconds, BoundedHttp.taking_seconds


async def test_a_head_that_comes_too_slowly() -> None:
    async with serving(Application()) as server:
        client = await server.connect()
        server.clock.advance(HEAD_SECONDS - 1)
        await client.send(b"GET / HTTP/1.1\r\nHost: loc")
        server.clock.advance(HEAD_SECONDS - 1)
        assert not client.protocol.transport.is_closing(), "from its first byte on"
        server.clock.advance(1)
        assert await client.problem() == (408, "too_slow")


async def test_a_second_head_that_comes_too_slowly() -> None:
    async with serving(Application()) as server:
        client = await server.connect()
        assert (await client.ask()).endswith(b"xx")
        await client.send(b"GET / HT")
        server.clock.advance(HEAD_SECONDS)
        assert await client.problem() == (408, "too_slow")


async def test_a_connection_that_says_nothing_is_closed_without_a_word() -> None:
    """Browsers open some connections before they need them."""
    async with serving(Application()) as server:
        client = await server.connect()
        server.clock.advance(HEAD_SECONDS)
        assert await client.until_hung_up() == b""


@pytest.mark.parametrize("is_first", [True, False])
async def test_blank_lines_do_not_keep_a_connection_open(is_first: bool) -> None:
    async with serving(Application()) as server:
        client = await server.connect()
        if not is_first:
            await client.ask()
        await client.send(b"\r\n")
        server.clock.advance(HEAD_SECONDS)
        assert await client.problem() == (408, "too_slow")


async def test_a_body_that_comes_too_slowly() -> None:
    application = Application()
    async with serving(application) as server:
        client = await server.connect()
        await client.send(b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 100\r\n\r\n{")
        server.clock.advance(BODY_SECONDS)
        assert await client.problem() == (408, "too_slow")
        await asyncio.wait_for(application.hung_up.wait(), PATIENCE)


async def test_a_body_that_drips_is_too_slow_as_well() -> None:
    async with serving(Application()) as server:
        client = await server.connect()
        await client.send(b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 100000\r\n\r\n")
        for _ in range(int(BODY_SECONDS)):
            assert not client.protocol.transport.is_closing()
            await client.send(b"x")
            server.clock.advance(1)
        assert await client.problem() == (408, "too_slow")


async def test_an_answer_may_take_longer_than_a_request() -> None:
    application = Application()
    async with serving(application) as server:
        client = await server.connect()
        await client.send(WAITING)
        await soon(lambda: application.waiting)
        server.clock.advance(100 * BODY_SECONDS)
        assert not client.protocol.transport.is_closing()
        client.writer.close()
        await asyncio.wait_for(application.hung_up.wait(), PATIENCE)


async def test_the_rest_of_a_body_is_read_after_the_answer_but_not_without_end() -> None:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"xx"})

    async with serving(application) as server:
        client = await server.connect()
        await client.send(b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: %d\r\n\r\n" % (2 * MOST_DISCARDED_BYTES))
        assert (await client.reader.readuntil(b"\r\n\r\nxx")).startswith(b"HTTP/1.1 200")
        await client.send(b"x" * MOST_DISCARDED_BYTES)
        assert not client.protocol.transport.is_closing()
        await client.send(b"x")
        assert client.protocol.transport.is_closing()


UNFINISHED = b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 9\r\n\r\n{"
SECOND = {
    "never ends": b"GET / HT",
    "has half a body": UNFINISHED,
    "is no HTTP": b"FOO / BAR\r\n\r\n",
    "is too long": b"GET /" + b"x" * (70 << 10),
}


@pytest.mark.parametrize("second", SECOND)
async def test_an_answer_that_is_on_its_way_is_not_written_into(second: str) -> None:
    """A second, invalid request arrives while the first one is being answered."""
    application = Application()
    async with serving(application) as server:
        client = await server.connect()
        await client.send(WAITING + SECOND[second])
        server.clock.advance(BODY_SECONDS)
        assert await client.until_hung_up() == b""
        await asyncio.wait_for(application.hung_up.wait(), PATIENCE)


async def test_whoever_never_takes_an_answer_is_hung_up_on() -> None:
    async with serving(Application()) as server:
        client = await server.connect()
        client.write(b"GET /%d HTTP/1.1\r\n" % LARGE + HEAD + b"\r\n")
        await client.reader.readuntil(b"\r\n\r\n")  # reads only the head, because the client's buffer holds 2 KiB
        await soon(lambda: client.protocol in BoundedHttp._untaken)
        server.clock.advance(TAKING_SECONDS)
        await soon(lambda: client.protocol.is_lost)
        assert len(await client.until_hung_up()) < LARGE


async def test_whoever_takes_an_answer_gets_it() -> None:
    async with serving(Application()) as server:
        client = await server.connect()
        assert len(await client.ask(f"/{LARGE}")) > LARGE
        server.clock.advance(1)
        assert (await client.ask()).endswith(b"xx")


async def test_answers_that_nobody_takes_are_bounded_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedHttp, "most_untaken_bytes", 3 * LARGE)
    async with serving(Application()) as server:
        clients = [await server.connect() for _ in range(6)]
        for client in clients:
            client.write(b"GET /%d HTTP/1.1\r\n" % LARGE + HEAD + b"\r\n")
            await client.reader.readuntil(b"\r\n\r\n")
        await soon(lambda: clients[-1].protocol in BoundedHttp._untaken)
        assert sum(each.transport.get_write_buffer_size() for each in BoundedHttp._untaken) <= 3 * LARGE
        assert len(await clients[0].until_hung_up()) < LARGE, "the one who left theirs lying longest"
        assert len(await clients[-1].reader.readexactly(LARGE)) == LARGE


async def test_bodies_are_bounded_in_all() -> None:
    """Many connections send incomplete request bodies, each below the limit for a single body."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            while (await receive()).get("more_body"):
                pass
        except Problem as problem:
            return await problem.response()(scope, receive, send)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"xx"})

    begun = b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000\r\n\r\n"
    limited = BodyLimit(application, max_bytes=1000, most_held_bytes=2000)
    async with serving(limited) as server:
        clients = [await server.connect() for _ in range(3)]
        for client in clients:
            await client.send(begun + b"x" * 999)
        assert await clients[2].reader.readline() == b"HTTP/1.1 503 Service Unavailable\r\n"
        server.clock.advance(BODY_SECONDS)
        for client in clients[:2]:
            assert await client.problem() == (408, "too_slow")
        await soon(lambda: not limited._held)
        last = await server.connect()
        await last.send(begun + b"x" * 1000)
        assert await last.reader.readline() == b"HTTP/1.1 200 OK\r\n", "what was held is let go"


async def test_a_stream_holds_no_body() -> None:
    """A stream releases the request body as soon as it has arrived. Otherwise a few streams would use up the memory for
    bodies.
    """
    told: list[Message] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] == "http.request":
            told.append(message)

    limited = BodyLimit(application, max_bytes=1000, most_held_bytes=2000)
    async with serving(limited) as server:
        for _ in range(4):
            client = await server.connect()
            await client.send(b"GET / HTTP/1.1\r\n" + HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 1000)
        await soon(lambda: sum(not message["more_body"] for message in told) == 4)
        assert limited._held == 0 and not any(message["body"] for message in told)
