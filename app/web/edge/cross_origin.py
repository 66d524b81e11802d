"""CORS: lets other origins read links by GET, without cookies and without side effects.

This module does not use Starlette's CORSMiddleware, which grants every path, and every method that needs no preflight. Without
a grant CORSMiddleware omits `Vary`, so a cache would send the refusal to granted origins.
"""

import re
from collections.abc import Set as AbstractSet
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.edge.prefix import API

READABLE: Final = re.compile(
    rf"{API}/snippets/[^/]+(/qr\.svg|/recording\.html)?|{API}/recordings/[^/]+|/s/[^/]+(/picture\.png)?|/oembed"
)
"""Paths of a link's document, text, pictures, files, pieces of its recording, and oEmbed."""

READING: Final = ("GET", "HEAD")
PREFLIGHT_SECONDS: Final = 600
ANY: Final = "*"


class ReadAcrossOrigins:
    """Grants scripts of `origins` access to READABLE; `*` means all origins, including sandboxed pages and files."""

    def __init__(self, app: ASGIApp, origins: AbstractSet[str] = frozenset()) -> None:
        self.app = app
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self.origins or scope["type"] != "http" or READABLE.fullmatch(scope["path"]) is None:
            return await self.app(scope, receive, send)
        method, headers = scope["method"], Headers(scope=scope)
        granted = self._granted(headers)
        if method == "OPTIONS" and granted is not None and headers.get("access-control-request-method") in READING:
            return await _preflight(granted)(scope, receive, send)
        if method not in READING:
            return await self.app(scope, receive, send)

        async def send_granted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._grant(MutableHeaders(scope=message), granted, scope["path"])
            await send(message)

        await self.app(scope, receive, send_granted)

    def _granted(self, headers: Headers) -> str | None:
        """The value of Access-Control-Allow-Origin."""
        if ANY in self.origins:
            return ANY
        origin = headers.get("origin", "").lower()
        return origin if origin in self.origins else None

    def _grant(self, answer: MutableHeaders, granted: str | None, path: str) -> None:
        if ANY not in self.origins:
            answer.add_vary_header("Origin")
        is_page = path.startswith("/s/") and answer.get("content-type", "").startswith("text/html")
        if granted is None or is_page:  # a page contains the name of its visitor
            return
        del answer["set-cookie"]
        answer["Access-Control-Allow-Origin"] = granted
        answer["Access-Control-Expose-Headers"] = "Retry-After"
        answer["Cross-Origin-Resource-Policy"] = "cross-origin"


def _preflight(granted: str) -> Response:
    headers = {
        "Access-Control-Allow-Origin": granted,
        "Access-Control-Allow-Methods": ", ".join(READING),
        "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
        "Cache-Control": "no-store",
        "Vary": "Origin",
    }
    return Response(status_code=204, headers=headers)
