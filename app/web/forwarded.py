"""A request that another web of this Stepgrad passes on: who sent it, in a header that only webs with our key can sign."""

import hashlib
import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Final

import msgspec
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.bodies import again, whole
from app.web.errors import MOVED, Problem

HEADER: Final = "X-Stepgrad-Forwarded"

MOST_SECONDS: Final = 30.0
"""So far the clocks of two webs may be apart, with the way between them."""

LONGEST: Final = 1000
"""Characters of what is signed; a longer one is none of ours."""


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """Who sent a request, as the web found it that they reached."""

    at: float
    """When it was passed on, in seconds since 1970."""
    visitor: str
    address: str
    is_operator: bool
    scheme: str
    """By which they reached that web."""
    body: str
    """The SHA-256 of the request's body, in hexadecimal."""

    def sent(self, body: bytes) -> bool:
        """Whether this is the body that they sent."""
        return self.body == _hash(body)


class Signature:
    """Signs what is passed on, and knows what a web with one of the same keys signed: the first of `keys` signs."""

    def __init__(self, keys: Callable[[], tuple[bytes, ...]], clock: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._clock = clock

    def sign(
        self, method: str, target: bytes, body: bytes, visitor: str, address: str, *, is_operator: bool, scheme: str
    ) -> str:
        """The header of a request for `target`, which is its path with the query, as they are sent."""
        sender = Sender(
            at=self._clock(),
            visitor=visitor,
            address=address,
            is_operator=is_operator,
            scheme=scheme,
            body=_hash(body),
        )
        said = urlsafe_b64encode(_ENCODER.encode(sender)).decode()
        return f"{said}.{_mac(self._keys()[0], method, target, said)}"

    def sender(self, method: str, target: bytes, header: str) -> Sender | None:
        """Who sent a request with this header; None where no web with our key signed it, just now and for this request.

        Whether its body is theirs, too, the sender knows.
        """
        if len(header) > LONGEST or not header.isascii():
            return None
        said, _, mac = header.rpartition(".")
        if not any(hmac.compare_digest(mac, _mac(key, method, target, said)) for key in self._keys()):
            return None
        try:
            sender = _DECODER.decode(urlsafe_b64decode(said))
        except (ValueError, msgspec.DecodeError):  # of another version
            return None
        return sender if abs(self._clock() - sender.at) <= MOST_SECONDS else None


class BelieveWebs:
    """Notes who sent a request that another web passes on, in `forwarded` of its state. What claims that falsely is refused."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope).getlist(HEADER) if scope["type"] == "http" else []
        if not headers:
            return await self.app(scope, receive, send)
        signature: Signature = scope["app"].state.services.signature
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        sender = signature.sender(scope["method"], target, headers[0]) if len(headers) == 1 else None
        if sender is None:
            return await not_forwarded().response()(scope, receive, send)
        try:
            body = await whole(receive)
        except Problem as problem:  # it is too large
            return await problem.response()(scope, receive, send)
        if body is None:
            return None  # nobody listens any more
        if not sender.sent(body):
            return await not_forwarded().response()(scope, receive, send)
        scope = {**scope, "scheme": sender.scheme, "state": {**scope.get("state", {}), "forwarded": sender}}
        await self.app(scope, again(body, receive), send)


def sender_of(scope: Scope) -> Sender | None:
    """Who sent a request that another web passed on; None of one that came by itself."""
    return scope.get("state", {}).get("forwarded")  # type: ignore[no-any-return]


def not_forwarded() -> Problem:
    """Somebody speaks for others who may not, or a web with another key or another clock."""
    message = f"This request has the header {HEADER}, and no server of this Stepgrad sent it just now."
    return Problem(403, "not_forwarded", message, "Send it without that header.")


def not_here() -> Problem:
    """What a forwarded request is about is here no more: the web that passed it on looks again where it is."""
    message = "What this request is about is on another server now."
    return Problem(421, "room_unreachable", message, "Try again in a second.", {MOVED: "1", "Retry-After": "1"})


def _hash(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _mac(key: bytes, method: str, target: bytes, said: str) -> str:
    derived = hmac.digest(key, b"forwarded request", hashlib.sha256)
    return hmac.new(derived, b"\0".join((method.encode(), target, said.encode())), hashlib.sha256).hexdigest()


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Sender)
