"""Requests about rooms that live elsewhere, before the routes: when they are passed on, looked for again, and refused."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from app.rooms import errors
from app.rooms.leases import There
from app.web import elsewhere
from app.web.elsewhere import ReachRooms
from app.web.errors import Problem
from app.web.forwarded import Sender
from tests.sandbox.processes import PATIENCE

pytestmark = pytest.mark.asyncio
THERE = There(web="other", address="http://127.0.0.1:1")
SENDER = Sender(at=0, visitor="visitor", address="192.0.2.1", is_operator=False, scheme="http", body="")


class Web:
    """One request at a web: where its rooms are, one look after the other, and what the others answer."""

    def __init__(self, *found: There | Exception | None, forwards: tuple[bool, ...] = (), is_here: bool = True) -> None:
        self.reach = AsyncMock(side_effect=found)
        self.forward = AsyncMock(side_effect=forwards)
        self.is_guessing = AsyncMock(return_value=False)
        self.bodies: list[bytes] = []
        """What the routes were asked."""
        self.is_stopping = False
        self._is_here = is_here

    async def __call__(
        self, path: str = "/api/v1/rooms/ABCDEF/poll", body: tuple[bytes, ...] = (b"bo", b"dy"), **more: Any
    ) -> Any:
        """Status and word of the answer, or None where the routes were asked or another web answered."""
        services = SimpleNamespace(
            rooms=SimpleNamespace(reach=self.reach, find=self._find),
            room_access=SimpleNamespace(is_guessing=self.is_guessing),
            forwarder=SimpleNamespace(forward=self.forward),
        )
        state = SimpleNamespace(services=services, is_stopping=self.is_stopping)
        client = SimpleNamespace(requester=SimpleNamespace(address="192.0.2.1"))
        scope = {"type": "http", "method": "POST", "path": path, "headers": [], "app": SimpleNamespace(state=state)}
        scope |= {"state": {"client": client, **more.pop("state", {})}, **more}
        arriving = [{"type": "http.request", "body": piece, "more_body": piece != body[-1]} for piece in body]
        sent: list[Message] = []

        async def receive() -> Message:
            return arriving.pop(0) if arriving else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)

        def tell(_: Request, problem: Problem) -> Response:
            return problem.response()

        async with asyncio.timeout(PATIENCE):
            await ReachRooms(self._routes, tell)(scope, receive, send)
        return (sent[0]["status"], json.loads(sent[1]["body"])["error"]) if sent else None

    async def _routes(self, _: Scope, receive: Receive, send: Send) -> None:
        read = b""
        while (message := await receive())["type"] == "http.request":
            read += message["body"]
            if not message["more_body"]:
                break
        self.bodies.append(read)

    def _find(self, _: str) -> None:
        if not self._is_here:
            raise errors.unknown_room()


async def test_what_is_here_goes_to_the_routes_as_it_comes() -> None:
    web = Web(None)
    assert await web() is None and web.bodies == [b"body"] and web.reach.await_args_list[0].args == ("ABCDEF",)
    for path in ("/api/v1/rooms", "/r/ABCDEF", "/api/v1/traces", "/"):
        other = Web()
        assert await other(path) is None and other.bodies == [b"body"] and not other.reach.await_count


async def test_what_is_elsewhere_is_passed_on_whole() -> None:
    web = Web(THERE, forwards=(True,))
    assert await web() is None and web.bodies == []
    there, _, body, *_ = web.forward.await_args_list[0].args
    assert (there, body) == (THERE, b"body")


async def test_a_room_that_is_on_its_way_is_looked_for_again_and_the_request_is_whole_still() -> None:
    gone = There(web="gone", address=None)
    web = Web(THERE, gone, THERE, None, forwards=(False, False))
    assert await web() is None and web.bodies == [b"body"] and web.forward.await_count == 2


async def test_a_room_that_is_nowhere_for_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "LOOKING_SECONDS", 0.3)
    web = Web(*[THERE] * 99, forwards=(False,) * 99)
    assert await web() == (503, "room_unreachable") and 2 <= web.forward.await_count <= 5


async def test_what_cannot_be_reached_is_told_at_once() -> None:
    nowhere = There(web="other", address="")
    for found in (nowhere, errors.unknown_holder()):
        web = Web(found)
        assert await web() == (503, "room_unreachable") and not web.forward.await_count
    web = Web(THERE, forwards=(False,))
    web.is_stopping = True
    assert await web() == (503, "stopping")


async def test_a_request_that_breaks_off_goes_nowhere() -> None:
    web = Web(THERE)
    assert await web(body=()) is None and web.bodies == [] and not web.forward.await_count


async def test_what_was_passed_on_is_passed_on_no_further() -> None:
    for is_here, answer in ((True, None), (False, (421, "room_unreachable"))):
        web = Web(is_here=is_here)
        assert await web(state={"forwarded": SENDER}) == answer
        assert len(web.bodies) == is_here and not web.reach.await_count


async def test_of_those_who_guess_no_code_is_looked_up() -> None:
    web = Web(None)
    web.is_guessing.return_value = True
    assert await web() is None and web.bodies == [b"body"] and not web.reach.await_count
    assert await web(headers=[(b"x-room-token", b"t")]) is None
    web.reach.assert_awaited_once()  # the room is its own
