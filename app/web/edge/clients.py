"""Identifies the visitor and the address of each request, and applies rate limits."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.engine import Requester
from app.store import Reporter
from app.web.edge.addresses import Network, address_of, hides_its_client, is_from, scheme_of
from app.web.edge.errors import Problem
from app.web.edge.prefix import API
from app.web.edge.rates import NetworkRates, Rates
from app.web.edge.visitors import COOKIE, Visitors

FILES: Final = ("/static/", "/words/", "/robots.txt", "/.well-known/")
"""Paths of files served from memory. A page fetches dozens of these files, so files have a separate limit."""

FILES_PER_SECOND: Final = 300
FILE_BURST: Final = 8000
"""Files that one address may load at once, per web: a class of 300 opens the page together, and a first visit loads 21 files."""


LEADING = f"{API}/rooms/"
"""Path prefix of requests of a teacher who leads a room."""

COOKIELESS = ("/embed/", "/oembed")
"""Path prefixes for frames and scripts of other sites."""


@dataclass(frozen=True, kw_only=True)
class Client:
    """The sender of a request."""

    requester: Requester
    page_token: str
    cookie: str | None
    """The cookie to set, because the client sent no cookie or an earlier key signed it; None if the sent cookie is current."""
    is_new: bool
    """Whether the visitor has no valid cookie or page token yet."""
    is_operator: bool
    """Whether the request comes from an operator's network."""
    scheme: str
    """The scheme of the request to the server, or to the proxy in front of the server: https or http."""


class Clients:
    """Identifies the clients of one application and counts their requests."""

    def __init__(
        self,
        visitors: Visitors,
        proxies: Sequence[Network],
        operators: Sequence[Network],
        *,
        of_visitor: Rates,
        of_address: NetworkRates,
    ) -> None:
        self._visitors = visitors
        self._proxies = proxies
        self._operators = operators
        self._of_visitor = of_visitor
        self._of_address = of_address
        self._files = NetworkRates(FILES_PER_SECOND, FILE_BURST)

    def recognise(self, scope: Scope) -> Client:
        """The sender of a request. A sender without a valid cookie or page token is a new visitor."""
        headers = Headers(scope=scope)
        peer = scope["client"][0] if scope.get("client") else ""
        opened = ((each, self._visitors.of_cookie(each)) for each in _cookies(headers))
        ours, known = next((each for each in opened if each[1]), (None, None))
        known = known or self._visitors.of_token(headers.get("x-page-token", ""))
        visitor = known or self._visitors.new()
        scheme = scheme_of(peer, headers, self._proxies, scope["scheme"])
        cookie, signed = None, self._visitors.cookie(visitor)
        if known is None or ours not in (None, signed):
            cookie = f"{COOKIE}={signed}; HttpOnly; SameSite=Lax; Path=/"
            cookie += "; Secure" if scheme == "https" else ""
        forwarded = headers.getlist("x-forwarded-for")
        return Client(
            requester=Requester(visitor=visitor, address=address_of(peer, forwarded, self._proxies)),
            page_token=self._visitors.token(visitor),
            cookie=cookie,
            is_new=known is None,
            is_operator=is_from(peer, forwarded, self._proxies, self._operators) and not hides_its_client(headers.keys()),
            scheme=scheme,
        )

    def wait_for_file(self, scope: Scope) -> float:
        """Count the request of `scope` for a file. Return 0, or the seconds after which the client may send the request again."""
        peer = scope["client"][0] if scope.get("client") else ""
        return self._files.take(address_of(peer, Headers(scope=scope).getlist("x-forwarded-for"), self._proxies))

    def wait(self, client: Client, *, is_leading: bool = False) -> float:
        """Count one request of `client` in the rate limits.

        Return 0, or the seconds after which the client may send the request again. With `is_leading`, the request counts only
        for the address, not for the visitor: a teacher who moves the pointer sends ten requests a second, and `room_access`
        limits these per room.
        """
        # A new visitor has no count yet. The limit of the address also limits many new visitors.
        seconds = 0.0 if client.is_new or is_leading else self._of_visitor.take(client.requester.visitor)
        return seconds or self._of_address.take(client.requester.address)


class KnowClients:
    """Adds the client to requests, sets cookies of new visitors, and refuses requests above the rate limit."""

    def __init__(self, app: ASGIApp, tell: Callable[[Request, Problem], Response]) -> None:
        self.app = app
        self.tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        services = scope["app"].state.services
        if scope["path"].startswith(FILES):
            seconds = services.clients.wait_for_file(scope)
            answer = self.app if seconds == 0 else self._refusal(scope, receive, seconds)
            return await answer(scope, receive, send)
        client: Client = services.clients.recognise(scope)
        scope["state"] = {**scope.get("state", {}), "client": client}

        is_cookieless = scope["path"].startswith(COOKIELESS)

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and client.cookie is not None and not is_cookieless:
                MutableHeaders(scope=message).append("Set-Cookie", client.cookie)
            await send(message)

        is_leading = scope["method"] == "PATCH" and scope["path"].startswith(LEADING)
        if (seconds := services.clients.wait(client, is_leading=is_leading)) > 0:
            return await self._refusal(scope, receive, seconds)(scope, receive, send)
        await self.app(scope, receive, send_with_cookie)

    def _refusal(self, scope: Scope, receive: Receive, seconds: float) -> ASGIApp:
        scope["app"].state.services.metrics.refused("rate")
        return self.tell(Request(scope, receive), too_often(math.ceil(seconds)))


def client_of(request: Request) -> Client:
    """The sender of `request`."""
    return cast(Client, request.state.client)


def reporter_of(client: Client) -> Reporter:
    """The key of a reporter: the visitor or, for a client without a cookie, the address.

    A client without a cookie is a new visitor at each request.
    """
    address = client.requester.address
    return Reporter(address=address, visitor=f"address {address}" if client.is_new else client.requester.visitor)


def too_often(seconds: int) -> Problem:
    """The error of a client that exceeds its rate limit."""
    hint = f"Try again in {seconds} second{'s' if seconds > 1 else ''}."
    return Problem(
        429,
        "too_often",
        "You send more requests than this server accepts from one client.",
        hint,
        {"Retry-After": str(seconds)},
    )


def _cookies(headers: Headers) -> Iterator[str]:
    """All values of Stepgrad's cookie.

    A browser sends several values if another server on this host also sets a cookie of this name. Starlette's parser keeps only
    the last value; Werkzeug's parser blocks the event loop for 40 ms at a header of 64 KiB.
    """
    for cookie in ";".join(headers.getlist("cookie")).split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == COOKIE:
            yield value
