"""Requests that one web passes on to another: whom the other believes, and what goes which way."""

import asyncio
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from app.engine import Requester
from app.rooms.errors import RoomRefused
from app.rooms.leases import There
from app.web import forwarding
from app.web.bodies import whole
from app.web.clients import Client
from app.web.errors import Problem
from app.web.forwarded import HEADER, MOST_SECONDS, BelieveWebs, Sender, Signature, _mac, sender_of
from app.web.forwarding import Forwarder
from app.web.http import FOLLOWS
from app.web.middleware import BodyLimit
from tests.rooms.made import Clock
from tests.sandbox.processes import PATIENCE
from tests.waiting import until

pytestmark = pytest.mark.asyncio
TARGET = b"/api/v1/rooms/ABCDEF/state?after=3"
SIGNATURE = Signature(lambda: (b"key",))
RUN_SECONDS = 0.1


def signed(signature: Signature) -> str:
    """What one visitor's request is passed on with."""
    return signature.sign("GET", TARGET, b"", "visitor", "192.0.2.1", is_operator=False, scheme="https")


async def test_a_sender_is_believed_of_this_request_now_and_of_a_web_with_the_key() -> None:
    clock = Clock()
    keys = [b"key"]
    ours = Signature(lambda: tuple(keys), clock)
    header = signed(ours)
    sender = ours.sender("GET", TARGET, header)
    assert sender is not None
    assert (sender.visitor, sender.address, sender.is_operator, sender.scheme) == ("visitor", "192.0.2.1", False, "https")
    for method, target in (("POST", TARGET), ("GET", TARGET[:-1] + b"4"), ("GET", b"/"), ("GE", b"T" + TARGET)):
        assert ours.sender(method, target, header) is None
    said, _, mac = header.partition(".")
    for forged in (
        "",
        ".",
        said,
        f"{said}.",
        f".{mac}",
        f"{said}.{mac[:-1]}",
        f"{said}A.{mac}",
        header + "x",
        "é" * 9,
        "x" * 5000,
    ):
        assert ours.sender("GET", TARGET, forged) is None
    keys[:] = [b"next", b"key"]
    assert ours.sender("GET", TARGET, header) == sender, "the key before is valid"
    assert signed(ours) != header
    keys[:] = [b"third", b"next"]
    assert ours.sender("GET", TARGET, header) is None, "and the one before that is not"
    keys[:] = [b"key"]
    for late in (MOST_SECONDS, -MOST_SECONDS):
        clock.now += late
        assert ours.sender("GET", TARGET, header) is not None
        clock.now += 0.1 * late
        assert ours.sender("GET", TARGET, header) is None
        clock.now -= 1.1 * late


class Believing:
    """A web that is asked with a signed body; what its routes read, and what it answers."""

    def __init__(self, signature: Signature) -> None:
        self._services = SimpleNamespace(signature=signature)
        self.read: list[bytes | None] = []
        self.senders: list[Sender | None] = []

    async def __call__(self, header: str, *pieces: bytes) -> int | None:
        """The status of its answer; None where the routes were asked, or nobody listens any more."""
        raw = [(HEADER.lower().encode(), header.encode())]
        scope: dict[str, Any] = {"type": "http", "method": "PATCH", "path": "/", "raw_path": b"/", "query_string": b""}
        scope |= {"headers": raw, "app": SimpleNamespace(state=SimpleNamespace(services=self._services))}
        arriving = [{"type": "http.request", "body": each, "more_body": True} for each in pieces]
        if arriving:
            arriving[-1]["more_body"] = False
        sent: list[Message] = []

        async def receive() -> Message:
            return arriving.pop(0) if arriving else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        async def routes(scope: Scope, receive: Receive, _: Send) -> None:
            self.senders.append(sender_of(scope))
            self.read.append(await whole(receive))

        await BodyLimit(BelieveWebs(routes), max_bytes=9)(scope, receive, send)
        return sent[0]["status"] if sent else None


async def test_a_body_is_believed_that_was_signed_and_no_other() -> None:
    web = Believing(SIGNATURE)
    header = SIGNATURE.sign("PATCH", b"/", b"one body", "visitor", "192.0.2.1", is_operator=False, scheme="https")
    assert await web(header, b"one", b" body") is None
    assert web.read == [b"one body"] and web.senders[0] is not None and web.senders[0].visitor == "visitor"
    for other in ((b"two body",), (b"one body", b" "), (b"",)):
        assert await web(header, *other) == 403
    assert await web(header, b"one body, and more") == 413
    assert await web(header) is None, "it broke off"
    said = urlsafe_b64encode(
        b'{"at":%d,"visitor":"v","address":"a","is_operator":false,"scheme":"http"}' % time.time()
    ).decode()
    assert await web(f"{said}.{_mac(b'key', 'PATCH', b'/', said)}", b"one body") == 403, "no body was signed"
    assert len(web.read) == 1


class Other:
    """Another web: answers each connection with what it is given, and hangs up."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self.heard = b""
        self.has_heard = asyncio.Event()
        self.hung_up = asyncio.Event()
        self.goes_on = asyncio.Event()
        """Whether it hangs up."""
        self.goes_on.set()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard = await reader.readuntil(b"\r\n\r\n")
        length = next((int(line[15:]) for line in self.heard.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
        self.heard += await reader.readexactly(length)
        writer.write(self._answer)
        await writer.drain()
        self.has_heard.set()
        if not self.goes_on.is_set():
            await reader.read()
            self.hung_up.set()
        writer.close()


class Asking:
    """One request at this web: what it sends back, and whether the client is hung up on."""

    def __init__(self, forwarder: Forwarder, port: int) -> None:
        self._forwarder = forwarder
        self._there = There(web="other", address=f"http://127.0.0.1:{port}")
        self.sent: list[Message] = []
        self.is_hung_up = False
        self.leaves = asyncio.Event()

    async def __call__(self, method: str = "GET", path: str = "/state", body: bytes = b"", **headers: str) -> bool:
        """Whether it was answered."""
        requester = Requester(visitor="visitor", address="192.0.2.1")
        client = Client(requester=requester, page_token="", cookie=None, is_new=False, is_operator=True, scheme="https")
        raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in {"host": "a.example", **headers}.items()]
        scope: dict[str, Any] = {"type": "http", "method": method, "path": f"/api/v1/rooms/ABCDEF{path}", "headers": raw}
        scope |= {"raw_path": scope["path"].encode(), "query_string": b"after=%5B3", "state": {"client": client}}
        scope["extensions"] = {FOLLOWS: {"hold_little": lambda: None, "hang_up": self._hang_up}}

        async def receive() -> Message:
            await self.leaves.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            self.sent.append(message)

        async with asyncio.timeout(PATIENCE):
            return await self._forwarder.forward(self._there, scope, body, receive, send)

    def _hang_up(self) -> None:
        self.is_hung_up = True

    @property
    def headers(self) -> dict[bytes, bytes]:
        """Of the answer."""
        return dict(self.sent[0]["headers"])

    @property
    def content(self) -> bytes:
        """Of the answer."""
        return b"".join(message["body"] for message in self.sent[1:])


@asynccontextmanager
async def asking(answer: bytes) -> AsyncIterator[tuple[Asking, Other, list[Callable[[], object]]]]:
    """A web before another one that answers so; and what is done when that one is gone."""
    watched: list[Callable[[], object]] = []

    @contextmanager
    def watching(web: str, when_gone: Callable[[], object]) -> Iterator[None]:
        watched.append(when_gone)
        yield

    other = Other(answer)
    async with await asyncio.start_server(other, "127.0.0.1", 0) as server:
        forwarder = Forwarder(SIGNATURE, watching, RUN_SECONDS)
        yield Asking(forwarder, server.sockets[0].getsockname()[1]), other, watched
        await forwarder.close()


OK = (
    b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: e\r\n"
    b"Date: now\r\nSet-Cookie: theirs\r\nX-Near: 1\r\nConnection: x-near\r\n\r\n"
)
STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
)


async def test_what_goes_which_way() -> None:
    async with asking(OK + b"body") as (ask, other, _):
        given = {
            "cookie": "secret",
            "x_forwarded_for": "6.6.6.6",
            "te": "gzip",
            "connection": "keep-alive, x-hop",
            "x_hop": "1",
        }
        assert await ask(
            "PATCH", "", b'{"at": 1}', x_room_secret="s", accept_encoding="br", x_stepgrad_forwarded="forged", **given
        )
        lines = other.heard.decode().split("\r\n")
        assert lines[0] == "PATCH /api/v1/rooms/ABCDEF?after=%5B3 HTTP/1.1" and lines[-1] == '{"at": 1}'
        told = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:-2])}
        assert told.keys() == {"host", "x-room-secret", "accept-encoding", "content-length", HEADER.lower()}
        assert (told["host"], told["x-room-secret"], told["content-length"]) == ("a.example", "s", "9")
        sender = SIGNATURE.sender("PATCH", lines[0].split()[1].encode(), told[HEADER.lower()])
        assert sender is not None and (sender.address, sender.is_operator, sender.scheme) == ("192.0.2.1", True, "https")
        assert sender.sent(b'{"at": 1}') and not sender.sent(b"")
        assert ask.sent[0]["status"] == 200 and ask.headers == {b"content-length": b"4", b"etag": b"e"}
        assert ask.content == b"body" and ask.sent[-1]["more_body"] is False


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/../../../../metrics", b"/../../../../metrics"),
        ("/../QWERTY/state", b"/../QWERTY/state"),
        ("//./%2e%2e/x;y", b"//./%2e%2e/x;y"),
        ("/\xff", b"/%C3%BF"),
        ("/" + "x" * 60_000, b"/" + b"x" * 60_000),
    ],
)
async def test_the_other_web_is_asked_for_what_was_judged_here(path: str, asked: bytes) -> None:
    async with asking(OK + b"body") as (ask, other, _):
        assert await ask("GET", path, connection="host")
        line, host, *_ = other.heard.split(b"\r\n")
        assert line == b"GET /api/v1/rooms/ABCDEF" + asked + b"?after=%5B3 HTTP/1.1" and host == b"host: a.example"
        header = next(each for each in other.heard.split(b"\r\n") if each.lower().startswith(HEADER.lower().encode()))
        assert SIGNATURE.sender("GET", line.split()[1], header.split()[1].decode()) is not None


async def test_headers_that_are_none_of_http_are_refused_and_spaces_around_a_value_are_not() -> None:
    async with asking(OK + b"body") as (ask, other, _):
        assert await ask("POST", "/poll", b"{}", x_spaced=" \ta  b \t")
        assert b"\r\nx-spaced: a  b\r\n" in other.heard
    async with asking(OK + b"body") as (ask, other, _):
        for method in ("GET", "POST"):
            with pytest.raises(Problem) as error:
                await ask(method, "/state", x_odd="a\0b")
            assert (error.value.status_code, error.value.error) == (400, "not_http")
        assert ask.sent == [] and other.heard == b""


async def test_a_web_that_does_not_have_it_is_not_believed_to_have_answered() -> None:
    moved = b"HTTP/1.1 421 Misdirected Request\r\nX-Stepgrad-Moved: 1\r\nContent-Length: 0\r\n\r\n"
    async with asking(moved) as (ask, _, _):
        assert not await ask("POST", "/votes", b"{}") and ask.sent == []
    async with asking(OK + b"body") as (ask, _, _):
        ask._there = There(web="other", address="http://127.0.0.1:1")  # nobody listens there
        assert not await ask("POST", "/votes", b"{}") and ask.sent == []


async def test_what_may_have_been_done_is_not_done_again() -> None:
    async with asking(b"") as (ask, _, _):
        assert not await ask("GET", "/state"), "but whoever only looks may look again"
        with pytest.raises(RoomRefused) as error:
            await ask("POST", "/poll", b"{}")
        assert error.value.kind == "room_unreachable" and ask.sent == []


async def test_a_web_that_dies_ends_the_stream() -> None:
    async with asking(STREAM + b"5\r\nevent\r\n") as (ask, _, _):
        assert await ask("GET", "/events") and ask.is_hung_up
        assert ask.content == b"event" and ask.sent[-1]["more_body"], "it has no end"
        assert ask.headers[b"connection"] == b"close" and b"transfer-encoding" not in ask.headers


async def test_a_web_that_stands_still_ends_the_stream_once_it_is_gone() -> None:
    async with asking(STREAM + b"5\r\nevent\r\n") as (ask, other, watched):
        other.goes_on.clear()
        following = asyncio.ensure_future(ask("GET", "/events"))
        await other.has_heard.wait()
        await until(lambda: len(ask.sent) >= 2)
        watched[0]()
        assert await following and ask.is_hung_up


async def test_a_web_that_stands_still_is_not_waited_for_although_nobody_says_that_it_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forwarding, "SPARE_SECONDS", 0.1)
    monkeypatch.setattr(forwarding, "LISTENING_SECONDS", 0.3)
    async with asking(b"") as (ask, other, _):
        other.goes_on.clear()
        assert not await ask("GET", "/events") and not await ask("GET", "/state") and not await ask("GET", "/document")
        with pytest.raises(RoomRefused) as error:
            await ask("POST", "/poll", b"{}")
        assert error.value.kind == "room_unreachable" and ask.sent == []
    async with asking(STREAM + b"5\r\nevent\r\n") as (ask, other, _):
        other.goes_on.clear()
        assert await ask("GET", "/events") and ask.is_hung_up and ask.content == b"event"
        await other.hung_up.wait()


async def test_this_web_stops_and_ends_what_only_listens() -> None:
    async with asking(STREAM + b"5\r\nevent\r\n") as (ask, other, _):
        other.goes_on.clear()
        following = asyncio.ensure_future(ask("GET", "/events"))
        await until(lambda: len(ask.sent) >= 2)
        ask._forwarder.end_streams()
        assert await following and not ask.is_hung_up and ask.sent[-1]["more_body"] is False


async def test_a_client_that_leaves_ends_it_there() -> None:
    async with asking(STREAM + b"5\r\nevent\r\n") as (ask, other, _):
        other.goes_on.clear()
        following = asyncio.ensure_future(ask("GET", "/events"))
        await other.has_heard.wait()
        ask.leaves.set()
        assert await following
        async with asyncio.timeout(PATIENCE):
            await other.hung_up.wait()
