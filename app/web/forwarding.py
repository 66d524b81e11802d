"""Passes a request on to another web by HTTP, and its answer back as it comes."""

import asyncio
import socket
import ssl
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Final
from urllib.parse import quote

import httpx
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from app.rooms import errors
from app.rooms.leases import There
from app.web.clients import Client
from app.web.errors import MOVED, Problem
from app.web.forwarded import HEADER, Signature
from app.web.http import FOLLOWER_BYTES, FOLLOWS
from app.web.middleware import disconnected
from app.web.room_streams import HEARTBEAT_SECONDS
from app.web.streams import EVENTS

CONNECTING_SECONDS: Final = 1.0
SENDING_SECONDS: Final = 20.0

LISTENING_SECONDS: Final = 3.5 * HEARTBEAT_SECONDS
"""Whoever only listens hears something sooner: a heartbeat of a stream, or that there are no news, after 25 s at most."""

SPARE_SECONDS: Final = 60.0
"""What may come after a run, before the first byte of its answer, or the turn of a large answer takes no longer."""

IDLE_SECONDS: Final = 3.0
"""How long a connection waits for the next request: less than the 5 s after which the other web closes it."""

MOST_IDLE: Final = 100

PRINTABLE: Final = bytes(range(0x21, 0x7F))
"""What stands in a request's target as it is."""

HOP_BY_HOP: Final = frozenset(
    ("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer")
) | {"transfer-encoding", "upgrade"}
"""What is said from one end of a connection to the other alone (RFC 9110, 7.6.1)."""

OURS: Final = frozenset(("cookie", "x-page-token", "x-forwarded-for", "x-forwarded-proto", "forwarded", "expect"))
"""What this web has read, and tells the other one in its own header where that needs it."""

THEIRS: Final = frozenset(("date", "server", "set-cookie"))
"""What this web says itself."""


class Forwarder:
    """The other webs, as this one reaches them. `watching` says when one of them is gone, as long as Redis says so.

    `run_seconds` is the longest that a run takes with its waiting. A web that is silent for longer than all of it stands still.
    """

    def __init__(
        self,
        signature: Signature,
        watching: Callable[[str, Callable[[], object]], AbstractContextManager[None]],
        run_seconds: float,
    ) -> None:
        self._signature = signature
        self._watching = watching
        self._answering_seconds = run_seconds + SPARE_SECONDS
        trusted = ssl.create_default_context()  # the system's authorities, and no list of httpx's own
        idle = httpx.Limits(max_connections=None, max_keepalive_connections=MOST_IDLE, keepalive_expiry=IDLE_SECONDS)
        self._transport = httpx.AsyncHTTPTransport(verify=trusted, limits=idle)
        # Of what is told to a follower who does not read, little lies about here, too.
        little = [(socket.SOL_SOCKET, socket.SO_RCVBUF, FOLLOWER_BYTES)]
        none = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self._of_streams = httpx.AsyncHTTPTransport(verify=trusted, limits=none, socket_options=little)
        self._listening: set[asyncio.Future[bool]] = set()

    async def close(self) -> None:
        """Close every connection."""
        await self._transport.aclose()
        await self._of_streams.aclose()

    def end_streams(self) -> None:
        """This web stops: end what only listens."""
        for over in self._listening:
            _set(over, True)

    async def forward(self, there: There, scope: Scope, body: bytes, receive: Receive, send: Send) -> bool:
        """Whether the other web answered; False where nothing was done: look again. Raises RoomRefused and Problem."""
        over: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        """Done when this ends before its answer does: True where it is this web that stops."""
        relay = _Relay(scope, send)
        transport = self._of_streams if relay.is_stream else self._transport
        silence = LISTENING_SECONDS if relay.only_listens else self._answering_seconds
        relaying = asyncio.ensure_future(relay.carry(transport, self._request(there, scope, body, silence)))
        hanging_up = asyncio.ensure_future(disconnected(receive))
        if relay.only_listens:
            self._listening.add(over)
        try:
            with self._watching(there.web, lambda: _set(over, False)):
                await asyncio.wait(set[asyncio.Future[Any]]((relaying, hanging_up, over)), return_when=asyncio.FIRST_COMPLETED)
            if relaying.done():
                return relaying.result()
            if hanging_up.done():
                return True
        finally:
            self._listening.discard(over)
            for task in (relaying, hanging_up):
                task.cancel()
            await asyncio.gather(relaying, hanging_up, return_exceptions=True)
        return await relay.cut(is_clean=over.result())

    def _request(self, there: There, scope: Scope, body: bytes, silence: float) -> httpx.Request:
        headers = Headers(scope=scope)
        named = {name.strip().lower() for name in ",".join(headers.getlist("connection")).split(",")}
        dropped = (HOP_BY_HOP | OURS | named | {"content-length", HEADER.lower()}) - {
            "host"
        }  # else our own name for the other web
        # Spaces around a value mean nothing, and uvicorn's parser leaves those behind it, which h11 does not send.
        kept = [(name, value.strip(b" \t")) for name, value in scope["headers"] if name.decode("latin-1") not in dropped]
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        # As it came, but for what h11 does not send: httpx would leave out dots, and so ask for another thing than was judged here.
        target = quote(target, safe=PRINTABLE).encode()
        # Of its answer the first byte has to come in that time, and each next one that this web is ready to take.
        timeout = {"connect": CONNECTING_SECONDS, "write": SENDING_SECONDS, "read": silence, "pool": None}
        content = body if body or scope["method"] not in ("GET", "HEAD") else None
        extensions = {"timeout": timeout, "target": target}
        request = httpx.Request(scope["method"], there.address or "", headers=kept, content=content, extensions=extensions)
        client: Client = scope["state"]["client"]
        request.headers[HEADER] = self._signature.sign(
            scope["method"],
            target,
            body,
            client.requester.visitor,
            client.requester.address,
            is_operator=client.is_operator,
            scheme=client.scheme,
        )
        return request


class _Relay:
    """One request on its way to another web, and the answer back."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._connection: dict[str, Any] = scope["extensions"][FOLLOWS]
        self._send = send
        self._has_begun = False
        self._is_safe = scope["method"] in ("GET", "HEAD")
        """Whether it may be asked twice."""
        self.is_stream = scope["path"].endswith("/events")
        self.only_listens = self.is_stream or scope["path"].endswith("/state")

    async def carry(self, transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> bool:
        """Whether it was answered."""
        try:
            response = await transport.handle_async_request(request)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            return False
        except httpx.LocalProtocolError:  # nothing was sent
            raise _not_http() from None
        except httpx.TransportError:
            return self._lost()
        try:
            if MOVED in response.headers:
                return False
            await self._begin(response)
            async for piece in response.stream:  # type: ignore[union-attr]  # it is the transport's
                await self._send({"type": "http.response.body", "body": piece, "more_body": True})
            await self._end()
        except httpx.TransportError:
            self._connection["hang_up"]()
        finally:
            await response.aclose()
        return True

    async def cut(self, *, is_clean: bool) -> bool:
        """End it before the other web does. Whether there is an answer."""
        if not self._has_begun:
            return self._lost()
        if is_clean:
            await self._end()
        else:
            self._connection["hang_up"]()
        return True

    def _lost(self) -> bool:
        if not self._is_safe:
            raise errors.answer_lost()
        return False

    async def _begin(self, response: httpx.Response) -> None:
        named = {name.strip().lower() for name in response.headers.get("connection", "").split(",")}
        dropped = HOP_BY_HOP | THEIRS | named
        raw = [(name.lower(), value) for name, value in response.headers.raw if name.decode("latin-1").lower() not in dropped]
        if self.is_stream and response.headers.get("content-type", "").startswith(EVENTS):
            raw.append((b"connection", b"close"))
            self._connection["hold_little"]()
        self._has_begun = True
        await self._send({"type": "http.response.start", "status": response.status_code, "headers": raw})

    async def _end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _not_http() -> Problem:
    """What uvicorn's parser lets through and h11 does not: a second Host behind the body, say."""
    message = "The headers of this request are none of HTTP/1.1, so it is not passed on to the server of its room."
    return Problem(400, "not_http", message, "Send a request in HTTP/1.1.")


def _set(over: asyncio.Future[bool], is_clean: bool) -> None:
    if not over.done():
        over.set_result(is_clean)
