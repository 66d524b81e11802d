"""HTTP as it arrives: uvicorn's parser, with bounds on what is sent and taken, how slowly, and on how many connections.

Written here, because uvicorn bounds the head of a request for its other parser alone, and neither how long one takes to arrive nor
how long an answer lies about, nor how many connections one client holds.
"""

import asyncio
import socket
from http import HTTPStatus
from typing import Any, ClassVar, Final, cast

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.networks import networks_of
from app.web.addresses import address_of, is_proxy
from app.web.connections import Connections
from app.web.errors import Problem, too_many_connections, too_slow
from app.web.middleware import SECURITY_HEADERS, SecurityHeaders

FOLLOWS: Final = "stepgrad.follows"
"""Of a request's extensions: `hold_little` is for an answer that goes on for hours, of which only the latest is worth sending.

`hang_up` is for one that is not taken to its end.
"""

FOLLOWER_BYTES: Final = 16 << 10
"""So much of such an answer may lie here, and as much (the kernel takes it double) in the kernel."""

FOLLOWER_MILLISECONDS: Final = 30_000
"""After so long without a sign from the client's machine the connection is given up."""

MOST_HEAD_BYTES: Final = 64 << 10
"""Bytes of an address with its headers. The parser itself takes any number, and puts a long one together in quadratic time."""

MOST_HEADERS: Final = 100
"""Headers of a request with those behind its body: browsers send 20, proxies add 10."""

MOST_UNDER_WAY: Final = 8
"""Requests that one connection may send before the first is answered; 256 KiB may hold thousands, of 3 KiB of memory each."""

MOST_DISCARDED_BYTES: Final = 16 << 20
"""Bytes of a body that are still taken, and thrown away, once its request has been answered: so its sender hears the answer."""

SURPLUS_CONNECTIONS: Final = 200
"""So many beyond the bound still get an answer that says so; any more are hung up on at once."""


class BoundedHttp(HttpToolsProtocol):
    """Answers what is no HTTP, a head that does not end and a request that does not come, and hangs up.

    When there are too many connections, those on which nothing is being answered give way: the longest idle of the address that
    has most. Only when there are none, whoever comes is refused.
    """

    head_seconds: ClassVar[float] = 10.0
    """How long a request's address and headers may take, from the connection or their first byte on."""
    body_seconds: ClassVar[float] = 20.0
    """How long a request's body may take."""
    taking_seconds: ClassVar[float] = 60.0
    """How long a client may leave more of an answer lying than its connection holds by itself."""
    most_untaken_bytes: ClassVar[int] = 256 << 20
    """Bytes of answers that lie about in all; beyond that, the client who has left theirs lying longest is hung up on."""

    _untaken: ClassVar[dict["BoundedHttp", None]] = {}
    """Whose answers lie about, longest first."""

    def __init__(self, bounds: Connections["BoundedHttp"], **named: Any) -> None:
        super().__init__(**named)
        self._bounds = bounds
        self._networks: tuple[tuple[str, int], ...] = ()
        """In which this connection counts, and how many times the bound of one address each has."""
        self._is_surplus = False
        """Whether it came when there were too many, and nobody could give way."""
        self._under_way: list[RequestResponseCycle] = []
        """Requests whose head is here and whose answer is not written; the first is being answered, others wait behind it."""
        self._unused_bytes = 0
        """Bytes that arrived since the last head or piece of a body was whole."""
        self._discarded_bytes = 0
        """Bytes of the present body that arrived after the answer."""
        self._arriving: asyncio.TimerHandle | None = None
        """When the present request, or the first one, has to be here."""
        self._taking: asyncio.TimerHandle | None = None
        """When the answers that were written have to be taken."""

    # --- what arrives ---------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is here."""
        super().connection_made(transport)
        peer = self.client[0] if self.client else ""
        self._networks = networks_of(address_of(peer, (), ()))
        self._expect(self.head_seconds)
        self._make_room(is_one_client=not is_proxy(peer, self._bounds.proxies))
        if not self._is_surplus:
            self._be_idle()

    def _make_room(self, *, is_one_client: bool) -> None:
        """Hang up on somebody who is idle, if this connection is one too many."""
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
        self.connections.discard(self)  # already: the next one who comes is to count who stays
        if not self.transport.is_closing():
            if self._unused_bytes or self._is_body_missing:
                self._refuse(too_many_connections())
            else:
                self._hang_up()
        if self.transport.get_write_buffer_size():
            self.transport.abort()  # this one would stay until it is taken

    def _be_idle(self) -> None:
        for name, _ in self._networks:
            self._bounds.idle.add(self, name)

    def _be_busy(self) -> None:
        for name, _ in self._networks:
            self._bounds.idle.discard(self, name)

    def eof_received(self) -> None:
        """Somebody sends no more, and may still listen: they count as gone, as whoever hung up, because both look the same here."""
        # Returning nothing closes the connection, after what was written.

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is here any more."""
        self._expect(None)
        self._is_taken()
        self._be_busy()
        for cycle in self._under_way:  # uvicorn tells the latest alone
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived."""
        self._unused_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._unused_bytes > MOST_HEAD_BYTES:
            self._refuse(_too_large(f"{MOST_HEAD_BYTES} bytes in its address and headers"))
        elif self._arriving is None and self.timeout_keep_alive_task is None and not self._is_answering:
            self._expect(self.head_seconds)  # blank lines, which are no request yet

    def on_message_begin(self) -> None:
        """The first byte of a request is here."""
        super().on_message_begin()
        self._expect(self.head_seconds)
        if not self.flow.write_paused:
            self._is_taken()  # whoever asks again has read the last answer
        self._sort()

    def on_header(self, name: bytes, value: bytes) -> None:
        """One more header is here."""
        super().on_header(name, value)
        if len(self.headers) > MOST_HEADERS:
            raise TooMany

    def on_headers_complete(self) -> None:
        """A head is whole."""
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
        """A piece of a body is here."""
        self._unused_bytes = 0
        super().on_body(body)
        if self.cycle.response_complete:
            self._discarded_bytes += len(body)
            if self._discarded_bytes > MOST_DISCARDED_BYTES:
                self.transport.close()

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._unused_bytes = self._discarded_bytes = 0
        self._expect(None)
        super().on_message_complete()
        self._sort()

    def send_400_response(self, msg: str) -> None:
        """What arrived is no HTTP, or has too many headers."""
        has_too_many = len(self.headers or ()) > MOST_HEADERS  # None before the first request
        is_no_http = Problem(400, "not_http", msg, "Send a request in HTTP/1.1.")
        self._refuse(_too_large(f"{MOST_HEADERS} headers") if has_too_many else is_no_http)

    def _sort(self) -> None:
        """Count this connection as idle from now on, or not at all."""
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
        """The latest request with its answer. (uvicorn's annotation knows no time before the first.)"""
        return cast(RequestResponseCycle | None, self.cycle)

    @property
    def _is_answering(self) -> bool:
        return self._latest is not None and not self._latest.response_complete

    def _expect(self, seconds: float | None) -> None:
        """Hang up when what is to arrive is not here after `seconds`."""
        if self._arriving is not None:
            self._arriving.cancel()
        self._arriving = None if seconds is None else self.loop.call_later(seconds, self._late, seconds)

    def _late(self, seconds: float) -> None:
        if self._unused_bytes or self._is_body_missing:
            self._refuse(too_slow(seconds))
        else:
            self._hang_up()  # a browser opens connections before it needs them

    def _refuse(self, problem: Problem) -> None:
        latest = self._latest
        is_answering = latest is not None and (latest.response_started if latest.more_body else not latest.response_complete)
        if is_answering or len(self._under_way) > 1:
            return self.transport.abort()  # an answer is on its way, into which nothing else may be written
        response = problem.response()
        response.headers.update({**SECURITY_HEADERS, "Connection": "close"})
        status = HTTPStatus(problem.status_code)
        head = [f"HTTP/1.1 {status.value} {status.phrase}".encode(), *(b"%s: %s" % header for header in response.raw_headers)]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self._hang_up()

    def _hang_up(self) -> None:
        self.transport.close()
        self._watch_untaken()

    # --- what is taken --------------------------------------------------------------------------------------------------

    def _hold_little(self) -> None:
        """Of what is written from now on, little may lie about; whoever writes waits before there is more."""
        self.transport.set_write_buffer_limits(high=FOLLOWER_BYTES)
        connected = self.transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, FOLLOWER_BYTES)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, FOLLOWER_MILLISECONDS)

    def pause_writing(self) -> None:
        """More was written than the connection holds."""
        super().pause_writing()
        self._watch_untaken()

    def resume_writing(self) -> None:
        """The client takes what was written."""
        super().resume_writing()
        self._is_taken()

    def on_response_complete(self) -> None:
        """An answer is written, and the connection may be closing already."""
        self._under_way.pop(0)
        self._sort()
        super().on_response_complete()
        self.loop.call_soon(self._watch_untaken)  # by then, what the connection takes at once is gone

    def timeout_keep_alive_handler(self) -> None:
        """No further request came."""
        super().timeout_keep_alive_handler()
        self._watch_untaken()

    def _watch_untaken(self) -> None:
        """What was written last may never be taken: wait for it, but neither for ever nor beside too much else."""
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
    """Tells the parser to stop."""


def _too_large(what: str) -> Problem:
    return Problem(431, "too_large", f"The request has more than {what}.", "Send fewer headers.")


async def _too_many(scope: Scope, receive: Receive, send: Send) -> None:
    await too_many_connections().response()(scope, receive, send)
