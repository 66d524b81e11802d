"""HTTP as it arrives: uvicorn's parser, with bounds on what is sent, how slowly, and how slowly answers are taken.

Written here, because uvicorn bounds the head of a request for its other parser alone, and neither how long one takes to arrive nor
how long an answer lies about.
"""

import asyncio
from http import HTTPStatus
from typing import Any, ClassVar, Final, cast

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.web.errors import Problem, too_many_connections, too_slow
from app.web.middleware import SECURITY_HEADERS, SecurityHeaders

MOST_HEAD_BYTES: Final = 64 << 10
"""Bytes of an address with its headers. The parser itself takes any number, and puts a long one together in quadratic time."""

MOST_DISCARDED_BYTES: Final = 16 << 20
"""Bytes of a body that are still taken, and thrown away, once its request has been answered: so its sender hears the answer."""

SURPLUS_CONNECTIONS: Final = 200
"""So many beyond the bound still get an answer that says so; any more are hung up on at once."""


class BoundedHttp(HttpToolsProtocol):
    """Answers what is no HTTP, a head that does not end and a request that does not come, and hangs up.

    The bound on connections is uvicorn's `limit_concurrency`.
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

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._most_connections = self.limit_concurrency
        self.limit_concurrency = None  # uvicorn's own answer has another shape
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
        self._expect(self.head_seconds)
        if self._is_beyond(SURPLUS_CONNECTIONS):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is here any more."""
        self._expect(None)
        self._is_taken()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived."""
        self._unused_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._unused_bytes > MOST_HEAD_BYTES:
            message = f"The address and headers of the request have more than {MOST_HEAD_BYTES} bytes."
            self._refuse(Problem(431, "too_large", message, "Send fewer headers."))
        elif self._arriving is None and self.timeout_keep_alive_task is None and not self._is_answering:
            self._expect(self.head_seconds)  # blank lines, which are no request yet

    def on_message_begin(self) -> None:
        """The first byte of a request is here."""
        super().on_message_begin()
        self._expect(self.head_seconds)
        if not self.flow.write_paused:
            self._is_taken()  # whoever asks again has read the last answer

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._unused_bytes = 0
        self._expect(self.body_seconds)
        self.app = SecurityHeaders(_too_many) if self._is_beyond(0) else self.config.loaded_app
        super().on_headers_complete()

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

    def send_400_response(self, msg: str) -> None:
        """What arrived is no HTTP."""
        self._refuse(Problem(400, "not_http", msg, "Send a request in HTTP/1.1."))

    def _is_beyond(self, surplus: int) -> bool:
        return self._most_connections is not None and len(self.connections) > self._most_connections + surplus

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
        if self._unused_bytes or (self._latest is not None and self._latest.more_body):
            self._refuse(too_slow(seconds))
        else:
            self._hang_up()  # a browser opens connections before it needs them

    def _refuse(self, problem: Problem) -> None:
        latest = self._latest
        if latest is not None and (latest.response_started if latest.more_body else not latest.response_complete):
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


async def _too_many(scope: Scope, receive: Receive, send: Send) -> None:
    await too_many_connections().response()(scope, receive, send)
