"""uvicorn's HTTP parser with limits on sizes, times and numbers of connections.

uvicorn limits the size of a head only for its other parser. uvicorn limits neither the time that a head takes to arrive, nor
the time that a response stays unsent, nor the connections of one client.
"""

import asyncio
import socket
from http import HTTPStatus
from typing import Any, ClassVar, Final, cast

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.networks import networks_of
from app.web.edge.addresses import address_of, is_proxy
from app.web.edge.connections import Connections
from app.web.edge.errors import Problem, too_many_connections, too_slow
from app.web.edge.middleware import SECURITY_HEADERS, SecurityHeaders

FOLLOWS: Final = "stepgrad.follows"
"""The key, in the `extensions` of a request's ASGI scope, of two functions of the connection.

`hold_little` reduces the send buffers of a long response in which only the latest state matters. `hang_up` closes the connection
if the client does not read the response to its end.
"""

FOLLOWER_BYTES: Final = 16 << 10
"""Size of the send buffers after `hold_little`: of the buffer in this process and of the buffer in the kernel, which doubles
the value."""

FOLLOWER_MILLISECONDS: Final = 30_000
"""TCP_USER_TIMEOUT after `hold_little`: how long the client may leave sent data unacknowledged."""

MOST_HEAD_BYTES: Final = 64 << 10
"""Maximum size of a request line with its headers. The parser has no limit, and the parser's time is quadratic in the size."""

MOST_HEADERS: Final = 100
"""Maximum number of headers and trailers of a request. Browsers send 20 headers, and proxies add 10."""

MOST_UNDER_WAY: Final = 8
"""Maximum number of pipelined requests of a connection. 256 KiB can contain thousands of requests, and a request takes 3 KiB of
memory."""

MOST_DISCARDED_BYTES: Final = 16 << 20
"""Maximum bytes of a body that are read and discarded after the response, so that the client can still read the response."""

SURPLUS_CONNECTIONS: Final = 200
"""Connections above the limit that still get an error response. Further connections are aborted."""


class BoundedHttp(HttpToolsProtocol):
    """Rejects invalid HTTP with a response, and enforces header, body and send timeouts.

    Above the limit of connections, the address with the most idle connections loses its longest idle connection. If no
    connection is idle, the new connection is refused.
    """

    head_seconds: ClassVar[float] = 10.0
    """Timeout for the request line and the headers, from the connection or the first byte on."""
    body_seconds: ClassVar[float] = 20.0
    """Timeout for a request's body."""
    taking_seconds: ClassVar[float] = 60.0
    """Timeout for a client that does not read a response beyond the send buffer."""
    most_untaken_bytes: ClassVar[int] = 256 << 20
    """Maximum number of response bytes, of all clients together, that are not sent yet.

    Above this limit, the connection whose bytes have been unsent longest is closed.
    """

    _untaken: ClassVar[dict["BoundedHttp", None]] = {}
    """Connections with unsent bytes, longest unsent first."""

    def __init__(self, bounds: Connections["BoundedHttp"], **named: Any) -> None:
        super().__init__(**named)
        self._bounds = bounds
        self._networks: tuple[tuple[str, int], ...] = ()
        """The networks of the client, each with its multiple of the limit of one address."""
        self._is_surplus = False
        """Whether this connection exceeds the limit while no other connection is idle."""
        self._under_way: list[RequestResponseCycle] = []
        """Requests whose response is incomplete. The first request is being answered; the other requests are queued."""
        self._unused_bytes = 0
        """Bytes received since the last complete request head or part of a body."""
        self._discarded_bytes = 0
        """Bytes of the current request's body that arrived after its response."""
        self._arriving: asyncio.TimerHandle | None = None
        """Header or body timeout of the current request."""
        self._taking: asyncio.TimerHandle | None = None
        """The running send timeout, if any."""

    # --- receiving ------------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the header timeout and count the connection."""
        super().connection_made(transport)
        peer = self.client[0] if self.client else ""
        self._networks = networks_of(address_of(peer, (), ()))
        self._expect(self.head_seconds)
        self._make_room(is_one_client=not is_proxy(peer, self._bounds.proxies))
        if not self._is_surplus:
            self._be_idle()

    def _make_room(self, *, is_one_client: bool) -> None:
        """If this connection exceeds the limit of connections, close an idle one."""
        bounds, idle = self._bounds, self._bounds.idle
        for name, times in self._networks if is_one_client else ():
            if idle.number(name) >= bounds.most_idle_of_one_address * times:
                idle.longest(name)._give_way()
        if len(self.connections) > bounds.most:
            longest = idle.longest_where_most()
            if longest is not None:
                return longest._give_way()
            self._is_surplus = True
            if len(self.connections) > bounds.most + SURPLUS_CONNECTIONS:
                self.transport.abort()

    def _give_way(self) -> None:
        self._be_busy()
        self.connections.discard(self)  # now, so that the count for the next connection excludes this connection
        if not self.transport.is_closing():
            if self._unused_bytes or self._is_body_missing:
                self._refuse(too_many_connections())
            else:
                self._hang_up()
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # unsent bytes would keep the connection open

    def _be_idle(self) -> None:
        for name, _ in self._networks:
            self._bounds.idle.add(self, name)

    def _be_busy(self) -> None:
        for name, _ in self._networks:
            self._bounds.idle.discard(self, name)

    def eof_received(self) -> None:
        """Treat a connection whose client has closed its sending side as closed, because the server cannot distinguish the two
        states."""
        # Returning None closes the connection after the buffer is sent.

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop timers and notify running requests."""
        self._expect(None)
        self._is_taken()
        self._be_busy()
        for cycle in self._under_way:  # uvicorn itself notifies only the latest request
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the received bytes."""
        self._unused_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._unused_bytes > MOST_HEAD_BYTES:
            self._refuse(_too_large(f"{MOST_HEAD_BYTES} bytes in its address and headers"))
        elif self._arriving is None and self.timeout_keep_alive_task is None and not self._is_answering:
            self._expect(self.head_seconds)  # the client may send blank lines before a request

    def on_message_begin(self) -> None:
        """Handle the first byte of a request."""
        super().on_message_begin()
        self._expect(self.head_seconds)
        if not self.flow.write_paused:
            self._is_taken()  # a client that sends a request has read the last response
        self._sort()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Handle a header."""
        super().on_header(name, value)
        if len(self.headers) > MOST_HEADERS:
            raise TooMany

    def on_headers_complete(self) -> None:
        """Handle the end of the headers."""
        self._unused_bytes = 0
        self._expect(self.body_seconds)
        self._is_surplus = self._is_surplus and len(self.connections) > self._bounds.most
        self.app = SecurityHeaders(_too_many) if self._is_surplus else self.config.loaded_app
        self.scope["extensions"] = {FOLLOWS: {"hold_little": self._hold_little, "hang_up": self.transport.abort}}
        super().on_headers_complete()
        self._under_way.append(self.cycle)
        if len(self._under_way) > MOST_UNDER_WAY:
            raise TooMany

    def on_body(self, body: bytes) -> None:
        """Handle a part of a body."""
        self._unused_bytes = 0
        super().on_body(body)
        if self.cycle.response_complete:
            self._discarded_bytes += len(body)
            if self._discarded_bytes > MOST_DISCARDED_BYTES:
                self.transport.close()

    def on_message_complete(self) -> None:
        """Handle the end of a request."""
        self._unused_bytes = self._discarded_bytes = 0
        self._expect(None)
        super().on_message_complete()
        self._sort()

    def send_400_response(self, msg: str) -> None:
        """Refuse received bytes that are not valid HTTP, or have too many headers."""
        has_too_many = len(self.headers or ()) > MOST_HEADERS  # None before the first request
        is_no_http = Problem(400, "not_http", msg, "Send a request in HTTP/1.1.")
        self._refuse(_too_large(f"{MOST_HEADERS} headers") if has_too_many else is_no_http)

    def _sort(self) -> None:
        """Add this connection to the idle connections, or remove this connection while a complete request is being answered."""
        is_answered = any(not cycle.more_body for cycle in self._under_way)
        if is_answered and self not in self._untaken:
            self._be_busy()
        elif not self._is_surplus:
            self._be_idle()

    @property
    def _is_body_missing(self) -> bool:
        return self._latest is not None and self._latest.more_body

    @property
    def _latest(self) -> RequestResponseCycle | None:
        """The latest request with its response; None before the first request. uvicorn's annotation omits None."""
        return cast(RequestResponseCycle | None, self.cycle)

    @property
    def _is_answering(self) -> bool:
        return self._latest is not None and not self._latest.response_complete

    def _expect(self, seconds: float | None) -> None:
        """Restart the header or body timeout; None stops the timeout."""
        if self._arriving is not None:
            self._arriving.cancel()
        self._arriving = None if seconds is None else self.loop.call_later(seconds, self._late, seconds)

    def _late(self, seconds: float) -> None:
        if self._unused_bytes or self._is_body_missing:
            self._refuse(too_slow(seconds))
        else:
            self._hang_up()  # no error: a browser opens connections in advance

    def _refuse(self, problem: Problem) -> None:
        latest = self._latest
        is_answering = latest is not None and (latest.response_started if latest.more_body else not latest.response_complete)
        if is_answering or len(self._under_way) > 1:
            return self.transport.abort()  # another response is in progress, so no error may be written into it
        response = problem.response()
        response.headers.update({**SECURITY_HEADERS, "Connection": "close"})
        status = HTTPStatus(problem.status_code)
        head = [f"HTTP/1.1 {status.value} {status.phrase}".encode(), *(b"%s: %s" % header for header in response.raw_headers)]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self._hang_up()

    def _hang_up(self) -> None:
        self.transport.close()
        self._watch_untaken()

    # --- sending --------------------------------------------------------------------------------------------------------

    def _hold_little(self) -> None:
        """Reduce the send buffers, so that the application waits for a slow client."""
        self.transport.set_write_buffer_limits(high=FOLLOWER_BYTES)
        connected = self.transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, FOLLOWER_BYTES)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, FOLLOWER_MILLISECONDS)

    def pause_writing(self) -> None:
        """Start the send timeout when the buffer is full."""
        super().pause_writing()
        self._watch_untaken()

    def resume_writing(self) -> None:
        """Stop the send timeout."""
        super().resume_writing()
        self._is_taken()

    def on_response_complete(self) -> None:
        """Handle the end of a response. The connection may already be closing."""
        self._under_way.pop(0)
        self._sort()
        super().on_response_complete()
        self.loop.call_soon(self._watch_untaken)  # when this call runs, the kernel has taken the bytes that fit into its buffer

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle keep-alive connection."""
        super().timeout_keep_alive_handler()
        self._watch_untaken()

    def _watch_untaken(self) -> None:
        """Start the send timeout, and enforce the limit of unsent bytes of all clients."""
        is_gone = self not in self.connections
        if is_gone or self._taking is not None or not self.transport.get_write_buffer_size():
            return
        self._taking = self.loop.call_later(self.taking_seconds, self._never_taken)
        self._untaken[self] = None
        self._sort()
        while sum(each.transport.get_write_buffer_size() for each in self._untaken) > self.most_untaken_bytes:
            next(iter(self._untaken))._never_taken()

    def _never_taken(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        self._is_taken()

    def _is_taken(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None
            del self._untaken[self]
            if not self.transport.is_closing():
                self._sort()


class TooMany(Exception):
    """The request exceeds a limit. This exception stops the parser."""


def _too_large(what: str) -> Problem:
    return Problem(431, "too_large", f"The request has more than {what}.", "Send fewer headers.")


async def _too_many(scope: Scope, receive: Receive, send: Send) -> None:
    await too_many_connections().response()(scope, receive, send)
