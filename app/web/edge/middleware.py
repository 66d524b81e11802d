"""The outermost ASGI layers: security headers, error handling, access, and body limits.

This module does not use Starlette's middleware, because every refusal here has the JSON form of `errors.py`. Starlette's
RequestBodyLimitMiddleware does not limit all bodies together, and closes the connection before the client reads the response.
Starlette's TrustedHostMiddleware accepts two Host headers, and does not check the origin of requests. The library `secure` is
not used either, because it would only set ten constant headers.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.networks import is_loopback
from app.web.edge.addresses import Host
from app.web.edge.errors import (
    Problem,
    bug,
    cross_site,
    not_declared_as_json,
    stopping,
    too_large,
    too_much_at_once,
)
from app.web.edge.prefix import API

HEALTH: Final = f"{API}/health"
NO_FRAMES: Final = "frame-ancestors 'none'"
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        NO_FRAMES,
    )
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Frame-Options": "DENY",  # for browsers without support for frame-ancestors
    "X-Permitted-Cross-Domain-Policies": "none",
    "X-DNS-Prefetch-Control": "off",
}

EMBEDS: Final = "/embed/"
"""Path prefix of pages for frames of other sites."""

FILE_HEADERS = {name: SECURITY_HEADERS[name] for name in ("X-Content-Type-Options", "Cross-Origin-Resource-Policy")}
"""Headers for static files. The other headers only apply to documents."""
WORKER_HEADERS = {name: SECURITY_HEADERS[name] for name in ("Content-Security-Policy", "Cross-Origin-Embedder-Policy")}
"""Headers that a web worker of the browser takes from its script instead of its document."""


DRAIN = 8
"""A body above its limit is read and discarded up to this multiple of the limit, so that the client can read the response."""


class SecurityHeaders:
    """Adds the security headers to every response. A static file gets only the headers that apply to files.

    Pages of `ancestors` may frame only pages below EMBEDS.
    """

    def __init__(self, app: ASGIApp, ancestors: tuple[str, ...] = ()) -> None:
        self.app = app
        self.of_embeds = embed_headers(ancestors) if ancestors else SECURITY_HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers(scope["path"], message["status"]).items():
                    headers.setdefault(name, value)  # a file may have a stricter policy
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _headers(self, path: str, status: int) -> dict[str, str]:
        if path.startswith("/static/") and status in (200, 304):
            return FILE_HEADERS
        return self.of_embeds if path.startswith(EMBEDS) else SECURITY_HEADERS


def embed_headers(ancestors: tuple[str, ...]) -> dict[str, str]:
    """Headers of a page that `ancestors` may frame, including frames with COEP."""
    policy = CONTENT_SECURITY_POLICY.replace(NO_FRAMES, f"frame-ancestors {' '.join(ancestors)}")
    kept = {name: value for name, value in SECURITY_HEADERS.items() if name != "X-Frame-Options"}
    return kept | {"Content-Security-Policy": policy, "Cross-Origin-Resource-Policy": "cross-origin"}


class CountAnswers:
    """Counts the responses of the server by status, for the metrics."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                scope["app"].state.services.metrics.answers(message["status"])
            await send(message)

        await self.app(scope, receive, counting if scope["type"] == "http" else send)


class CatchBugs:
    """Responds with 500 in JSON to unexpected exceptions, and logs each exception once.

    If the server stops first, the status is 503.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_started = False

        async def watch(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except asyncio.CancelledError:
            if scope["type"] != "http" or not scope["app"].state.is_stopping:
                raise
            if not has_started:
                await stopping().response()(scope, receive, send)
        except Exception:
            if scope["type"] != "http":
                raise
            structlog.get_logger().exception("bug", method=scope["method"], path=scope["path"])
            if not has_started:
                await bug().response()(scope, receive, send)


class RefuseWhileStopping:
    """Refuses new requests while the server stops.

    Requests that began before may finish. The health check fails from the stop signal on, so that a proxy selects another
    server.
    """

    def __init__(self, app: ASGIApp, tell: Callable[[Request, Problem], Response]) -> None:
        self.app = app
        self.tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_refused = scope["type"] == "http" and (
            scope["app"].state.is_stopping or (scope["app"].state.is_leaving and scope["path"] == HEALTH)
        )
        answer = self.tell(Request(scope, receive), stopping()) if is_refused else self.app
        await answer(scope, receive, send)


class SameSiteOnly:
    """Refuses foreign host names (DNS rebinding) and cross-site requests.

    The middleware accepts loopback's names, `hosts`, and the IP address of the connection.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] = frozenset()) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            arrived_at = scope["server"][0] if scope.get("server") else ""
            problem = _refusal(scope["method"], Headers(scope=scope), self.hosts | {arrived_at})
            if problem is not None:
                return await problem.response()(scope, receive, send)
        await self.app(scope, receive, send)


def _refusal(method: str, headers: Headers, hosts: frozenset[str]) -> Problem | None:
    named = headers.getlist("host")
    if len(named) != 1:
        return Problem(400, "foreign_host", "The request must have exactly one Host header.", "Send one Host header.")
    host = Host.parse(named[0])
    if host is None or not (is_loopback(host.name) or host.name in hosts):
        hint = "Use a host name from the server's setting STEPGRAD_HOSTS."
        return Problem(400, "foreign_host", "This server does not accept this host name.", hint)
    if method in ("GET", "HEAD", "OPTIONS"):
        return None
    if is_cross_site(headers):
        return cross_site()
    if method == "POST" and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return not_declared_as_json()
    return None


def is_cross_site(headers: Headers) -> bool:
    """Whether the request is cross-site."""
    origin = headers.get("origin")
    is_foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    return is_foreign or (origin is not None and _host_of(origin) != Host.parse(headers.get("host", "")))


def _host_of(origin: str) -> Host | None:
    """The host of a serialised http or https origin (RFC 6454, 6.2); None for any other origin."""
    scheme, _, host = origin.partition("://")
    return Host.parse(host) if scheme in ("http", "https") else None


MOST_HELD_BYTES: Final = 256 << 20
"""Maximum bytes of bodies in memory, of all unanswered requests."""


class BodyLimit:
    """Limits a request's body to `max_bytes`, with or without a Content-Length, and limits the memory of all bodies together.

    The body of a GET or HEAD request is discarded, because no route reads such a body, and a stream may last for hours.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, most_held_bytes: int = MOST_HELD_BYTES) -> None:
        self.app = app
        self.max_bytes = max_bytes
        self.most_held_bytes = most_held_bytes
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        read = held = 0
        is_kept = scope["method"] not in ("GET", "HEAD")

        async def limited() -> Message:
            nonlocal read, held
            message = await receive()
            if message["type"] == "http.request":
                piece = len(message.get("body", b""))
                read += piece
                if is_kept:
                    held += piece
                    self._held += piece
                if read > self.max_bytes:
                    await self._drain(message, receive)
                    raise too_large(self.max_bytes)
                if self._held > self.most_held_bytes:
                    raise too_much_at_once()
                if not is_kept:
                    return {**message, "body": b""}
            return message

        try:
            await self.app(scope, limited, send)
        finally:
            self._held -= held

    async def _drain(self, message: Message, receive: Receive) -> None:
        left = DRAIN * self.max_bytes
        while left > 0 and message["type"] == "http.request" and message.get("more_body", False):
            message = await receive()
            left -= len(message.get("body", b""))


class HeadAsGet:
    """Answers HEAD as GET without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            return await self.app(scope, receive, send)

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, without_body)
