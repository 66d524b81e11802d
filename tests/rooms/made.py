"""Operate rooms directly, without a web server."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import select

from app.questions.asked import Answer, Asked, Legal, Question
from app.questions.posed import Posed
from app.rooms.credentials import Credentials
from app.rooms.room import Document, Follower, Room, RoomClient
from app.rooms.room_record import ShownLink
from app.rooms.rooms import Opened, RoomLimits, Rooms
from app.store import Store, tables
from tests.sandbox.processes import PATIENCE

LINK = ShownLink(id="link", recording="0" * 64, title="Week 3")
DOCUMENT = Document(recording="0" * 64, content=b"packed", tag="tag")
LIMITS = RoomLimits(members=5, of_address=3, in_all=4, hours=24)
YES, NO = (Answer(kind="whether", whether=whether) for whether in (True, False))
RAISES = Posed(
    asked=Asked(question=Question(kind="raises", after=1, until=2), legal=Legal(form="whether"), right=[NO]), names=[]
)


class Clock:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.today = datetime.fromisoformat("2026-01-02T03:04:05")

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def rooms_over(store: Store, clock: Clock | None = None, limits: RoomLimits = LIMITS) -> AsyncIterator[Rooms]:
    """Yield the rooms in a database."""
    clock = clock or Clock()
    rooms = Rooms(store.rooms, Credentials(b"key"), limits, lambda: clock.today, clock)
    async with rooms.working():
        yield rooms


async def states(store: Store) -> list[str]:
    """Return the stored state of each room."""
    async with store._database.reading() as connection:
        return list((await connection.execute(select(tables.rooms.c.state))).scalars())


async def opened(rooms: Rooms, address: str = "192.0.2.1") -> tuple[Room, Opened, RoomClient]:
    """Open a room. Return the room, its secrets, and its teacher."""
    told = await rooms.open(LINK, address, is_owned=True)
    room = await rooms.find(told.code)
    return room, told, rooms.who(room, told.secret, "")


def joined(rooms: Rooms, room: Room, visitor: str) -> RoomClient:
    """Add a member who follows, and return it."""
    member = rooms.who(room, "", rooms.join(room, visitor))
    rooms.follow(room, member).close()
    return member


async def heard(follower: Follower) -> dict[str, Any]:
    """Return the next change that a follower receives."""
    told = await follower.news(PATIENCE)
    assert told is not None
    return dict(json.loads(told))


async def heard_until(follower: Follower, key: str, value: object) -> dict[str, Any]:
    """Merge changes that a follower receives, until a key has a value."""
    state: dict[str, Any] = {}
    while key not in state or state[key] != value:
        state |= await heard(follower)
    return state
