"""Requests about rooms that live in another web: they are passed on to it, whichever web a proxy chose."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.rooms import errors
from app.rooms.errors import RoomRefused
from app.rooms.leases import There
from app.store import StoreError
from app.web.bodies import again, whole
from app.web.errors import Problem, as_problem, stopping
from app.web.forwarded import not_here, sender_of
from app.web.prefix import API

ROOMS: Final = f"{API}/rooms/"

LOOKING_SECONDS: Final = 4.0
"""So long it is looked where a room is that is on its way: what a web held that died is free after 2.5."""

AGAIN_SECONDS: Final = 0.1


class Forwards(Protocol):
    """Passes requests on to other webs."""

    async def forward(self, there: There, scope: Scope, body: bytes, receive: Receive, send: Send) -> bool:
        """Whether the other web answered; False where nothing was done: look again. Raises RoomRefused and Problem."""

    def end_streams(self) -> None:
        """This web stops: end what only listens."""

    async def close(self) -> None:
        """Close every connection."""


class ReachRooms:
    """Passes on what is about a room that lives elsewhere; what cannot be done is told by what `tell` makes."""

    def __init__(self, app: ASGIApp, tell: Callable[[Request, Problem], Response]) -> None:
        self.app = app
        self.tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(ROOMS):
            return await self.app(scope, receive, send)
        code = scope["path"].removeprefix(ROOMS).partition("/")[0]
        try:
            if sender_of(scope) is not None:
                answered = await self._is_moved(code, scope, receive, send)
            else:
                answered, receive = await self._forward(code, scope, receive, send)
        except (RoomRefused, StoreError, Problem) as error:
            return await self.tell(Request(scope, receive), as_problem(error))(scope, receive, send)
        if not answered:
            await self.app(scope, receive, send)

    async def _is_moved(self, code: str, scope: Scope, receive: Receive, send: Send) -> bool:
        """Answer what was forwarded here and is to be forwarded on: nobody does that."""
        try:
            scope["app"].state.services.rooms.find(code)
        except RoomRefused:
            await not_here().response()(scope, receive, send)
            return True
        return False

    async def _forward(self, code: str, scope: Scope, receive: Receive, send: Send) -> tuple[bool, Receive]:
        """Whether another web answered, and how the request is read from now on."""
        services = scope["app"].state.services
        headers = Headers(scope=scope)
        has_credential = "x-room-secret" in headers or "x-room-token" in headers
        if not has_credential and await services.room_access.is_guessing(scope["state"]["client"].requester.address):
            return False, receive  # no code of theirs is looked up
        body: bytes | None = None
        give_up = asyncio.get_running_loop().time() + LOOKING_SECONDS
        while (there := await services.rooms.reach(code)) is not None:
            if there.address == "":
                raise errors.no_way_there()
            if body is None and (body := await whole(receive)) is None:
                return True, receive  # nobody listens any more
            if there.address is not None and await services.forwarder.forward(there, scope, body, receive, send):
                return True, receive
            if scope["app"].state.is_stopping:
                raise stopping()
            if asyncio.get_running_loop().time() > give_up:
                raise errors.moved()
            await asyncio.sleep(AGAIN_SECONDS)
        return False, receive if body is None else again(body, receive)
