"""HTTP as it arrives: uvicorn's parser, with a bound on what stands before a body, and errors in the one shape."""

from http import HTTPStatus
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.web.edge import SECURITY_HEADERS
from app.web.errors import Problem

MOST_HEAD_BYTES: Final = 64 << 10
"""Bytes of an address with its headers. The parser itself takes any number, and puts a long one together in quadratic time."""

MOST_DISCARDED_BYTES: Final = 16 << 20
"""Bytes of a body that are still taken, and thrown away, once its request has been answered: so its sender hears the answer."""


class BoundedHttp(HttpToolsProtocol):
    """Answers what is no HTTP, and a head that does not end, and hangs up."""

    _unused_bytes = 0
    """Bytes that arrived since the last head or piece of a body was whole."""
    _discarded_bytes = 0
    """Bytes of the present body that arrived after the answer."""

    def data_received(self, data: bytes) -> None:
        """Parse what arrived."""
        self._unused_bytes += len(data)
        super().data_received(data)
        if self._unused_bytes > MOST_HEAD_BYTES and not self.transport.is_closing():
            message = f"The address and headers of the request have more than {MOST_HEAD_BYTES} bytes."
            self._refuse(Problem(431, "too_large", message, "Send fewer headers."))

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._unused_bytes = 0
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
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What arrived is no HTTP."""
        self._refuse(Problem(400, "not_http", msg, "Send a request in HTTP/1.1."))

    def _refuse(self, problem: Problem) -> None:
        response = problem.response()
        response.headers.update({**SECURITY_HEADERS, "Connection": "close"})
        status = HTTPStatus(problem.status_code)
        head = [f"HTTP/1.1 {status.value} {status.phrase}".encode(), *(b"%s: %s" % header for header in response.raw_headers)]
        self.transport.write(b"\r\n".join([*head, b"", bytes(response.body)]))
        self.transport.close()
