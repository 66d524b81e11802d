"""The changes of a room, as server-sent events or as a long-polling response."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from typing import ClassVar, Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.asgi import disconnected
from app.rooms.room import Follower, Room
from app.web.edge.http import FOLLOWS
from app.web.runs.run_streams import EVENTS

HEARTBEAT_SECONDS: Final = 10.0
"""Interval of the comments that a stream sends while nothing changes."""


LAST_SECONDS: Final = 2.0
"""Time for a client to read the end of a stream before the connection is closed."""


class _Following(Response):
    """A response that follows a room until the room ends or the client disconnects."""

    holds_little: ClassVar[bool]
    """Whether the send buffers are reduced, because only the latest data is worth sending."""

    def __init__(self, room: Room, follow: Callable[[], AbstractContextManager[Follower]]) -> None:
        super().__init__()
        self._room = room
        self._follow = follow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to the request of `scope`. Raises RoomRefused before the response begins."""
        with self._follow() as follower:
            connection = scope["extensions"][FOLLOWS]
            if self.holds_little:
                connection["hold_little"]()
            ending: list[asyncio.TimerHandle] = []
            loop = asyncio.get_running_loop()
            follower.when_over = lambda: ending.append(loop.call_later(LAST_SECONDS, connection["hang_up"]))
            sending = asyncio.ensure_future(self._answer(follower, send))
            hanging_up = asyncio.ensure_future(disconnected(receive))
            try:
                await asyncio.wait({sending, hanging_up}, return_when=asyncio.FIRST_COMPLETED)
                if sending.done():
                    sending.result()
            finally:
                follower.when_over = None
                for timer in ending:
                    timer.cancel()
                sending.cancel()
                hanging_up.cancel()
                await asyncio.gather(sending, hanging_up, return_exceptions=True)

    def _answer(self, follower: Follower, send: Send) -> Coroutine[None, None, None]:
        raise NotImplementedError


class RoomStream(_Following):
    """Streams the whole state of a room, then its changes. The stream is not compressed, because a compressor per follower
    would take 256 KiB."""

    media_type = EVENTS
    holds_little = True

    async def _answer(self, follower: Follower, send: Send) -> None:
        headers = {
            "content-type": f"{EVENTS}; charset=utf-8",
            "cache-control": "no-store, no-transform",
            "connection": "close",
            "x-accel-buffering": "no",  # nginx would buffer the events
        }
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        event = b"state"
        while True:
            news = await follower.news(HEARTBEAT_SECONDS)
            if news is None and follower.is_over:
                break
            content = b": still here\n\n" if news is None else b"event: %s\ndata: %s\n\n" % (event, news)
            await send({"type": "http.response.body", "body": content, "more_body": True})
            event = b"change"
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class RoomNews(_Following):
    """Answers a poll with the changes after a known number, as soon as there is one, or with none after a timeout."""

    holds_little = False  # the same connection may transfer the document, which needs normal buffers

    def __init__(self, room: Room, follow: Callable[[], AbstractContextManager[Follower]], seconds: float) -> None:
        super().__init__(room, follow)
        self._seconds = seconds

    async def _answer(self, follower: Follower, send: Send) -> None:
        news = await follower.news(self._seconds) or b'{"n":%d}' % self._room.state.n
        headers = {"content-type": "application/json", "cache-control": "no-store", "content-length": str(len(news))}
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        await send({"type": "http.response.body", "body": news, "more_body": False})
