"""Responses about rooms: documents for clients without gzip, event streams that hang, and QR codes."""

import asyncio
import gzip
import threading
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest
import segno
from starlette.datastructures import Headers
from starlette.requests import Request

from app.rooms.room import Document, Follower
from app.rooms.room_record import Shown, ShownLink
from app.web.edge.errors import Problem
from app.web.edge.http import FOLLOWS
from app.web.links import sharing
from app.web.rooms import room_routes as rooms
from app.web.rooms import room_streams
from app.web.rooms.room_models import NewPoll
from app.web.rooms.room_recordings import document_answer
from app.web.rooms.room_streams import RoomStream
from app.web.runs.large import Turns
from tests.rooms.made import LINK, RAISES
from tests.sandbox.processes import PATIENCE

pytestmark = pytest.mark.asyncio


async def forever() -> Any:
    await asyncio.Event().wait()


async def test_a_document_is_unpacked_off_the_event_loop_and_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    content = bytes(300_000)
    threads = set()

    def opened(*given: Any) -> Any:
        threads.add(threading.current_thread())
        return gzip.GzipFile(fileobj=given[0])

    monkeypatch.setattr(gzip, "open", opened)
    turns = Turns(most=1, of_address=1, waiting_seconds=0.05)
    document = Document(recording="0" * 64, content=gzip.compress(content), tag="tag")
    answer = document_answer(document, Headers({"accept-encoding": "identity"}), turns, "192.0.2.1")
    sent: list[Any] = []
    scope = {"type": "http", "headers": [(b"accept-encoding", b"identity")]}
    await answer(scope, forever, AsyncMock(side_effect=sent.append))
    assert b"".join(message.get("body", b"") for message in sent) == content and len(sent) > 4
    assert threads and threading.current_thread() not in threads
    async with turns.turn("192.0.2.2"):
        with pytest.raises(Problem) as refused:
            await answer(scope, forever, AsyncMock())
    assert refused.value.status_code == 503


async def test_a_stream_that_nobody_reads_is_hung_up_on_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room_streams, "LAST_SECONDS", 0.05)
    hung_up = asyncio.Event()
    sending = asyncio.Event()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            sending.set()
            await forever()

    async def receive() -> dict[str, str]:
        await hung_up.wait()
        return {"type": "http.disconnect"}

    room = SimpleNamespace(state=SimpleNamespace(has_news=lambda *_: True, since=lambda *_: b"{}", n=1))
    follower = Follower(cast(Any, room), SimpleNamespace(role="member"), 0, lambda _: None)  # type: ignore[arg-type]
    stream = RoomStream(cast(Any, room), lambda: nullcontext(follower))
    scope = {"extensions": {FOLLOWS: {"hold_little": lambda: None, "hang_up": hung_up.set}}}
    async with asyncio.timeout(PATIENCE):
        answering = asyncio.ensure_future(stream(scope, receive, send))
        await sending.wait()
        assert not hung_up.is_set()
        follower.end()
        await answering
    assert hung_up.is_set() and follower.when_over is None


async def test_a_code_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    make = segno.make

    def noted(link: str, **given: Any) -> Any:
        drawn.append(link)
        return make(link, **given)

    monkeypatch.setattr(segno, "make", noted)
    links = [f"https://stepgrad.example/r/{code}" for code in ("ABCDEF", "FEDCBA", "ABCDEF")]
    answers = [(await sharing.drawn_code(link)).body for link in links]
    assert drawn == links[:2] and answers[0] == answers[2] != answers[1]


async def test_a_question_is_asked_at_the_step_where_it_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Computing the correct answer takes time, in which the teacher may change the step or the link."""
    room = SimpleNamespace(shown=Shown(snippet=LINK, at="step=3"))
    ask = AsyncMock(return_value=1)
    posed = AsyncMock(return_value=RAISES)
    services = SimpleNamespace(
        room_access=SimpleNamespace(teach=AsyncMock(return_value=room)),
        room_recordings=SimpleNamespace(posed=posed),
        rooms=SimpleNamespace(ask=ask, who=lambda *_: None),
    )
    monkeypatch.setattr(rooms, "services_of", lambda _: services)
    monkeypatch.setattr(rooms, "client_of", lambda _: SimpleNamespace(requester=SimpleNamespace(address="192.0.2.1")))
    new = NewPoll.model_validate({"question": {"kind": "raises", "after": 1, "until": 2}})
    request = Request({"type": "http"})

    async def step_on(*_: object) -> Any:
        room.shown = Shown(snippet=room.shown.snippet, at="step=4")
        return RAISES

    posed.side_effect = step_on
    await rooms.ask("ABCDEF", new, request)
    assert ask.await_args is not None and ask.await_args.args[1:3] == ("step=3", RAISES)

    async def show_another(*_: object) -> Any:
        room.shown = Shown(snippet=ShownLink(id="other", recording=LINK.recording, title=""))
        return RAISES

    posed.side_effect = show_another
    with pytest.raises(Problem) as refused:
        await rooms.ask("ABCDEF", new, request)
    assert refused.value.status_code == 404 and ask.await_count == 1
