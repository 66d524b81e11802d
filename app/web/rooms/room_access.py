"""Permissions and rate limits for all paths below /api/v1/rooms and for /r/."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

from fastapi import Header, Request

from app.networks import NetworkCounts
from app.rooms.errors import RoomRefused, not_allowed, too_fast, too_many_streams
from app.rooms.room import Follower, Room, RoomClient
from app.rooms.rooms import Rooms
from app.web.edge.clients import client_of
from app.web.edge.errors import Problem
from app.web.edge.rates import NetworkRates, Rates
from app.web.operations.metrics import Metrics

Secret = Annotated[str, Header(alias="X-Room-Secret", max_length=100, description="The teacher's secret, or the projector's.")]
Token = Annotated[str, Header(alias="X-Room-Token", max_length=100, description="The token of a member.")]

GUESSES: Final = (1.0, 100.0)
"""Rate limit of wrong codes, secrets and tokens per address, high enough for the typing errors of a class."""
JOINS_PER_SECOND: Final = 20.0
"""Rate limit of joins per address. The burst is the number of members of all rooms that one address may open."""
OPENINGS: Final = (0.5, 30.0)
"""Rate limit and minimum burst of new rooms per address.

The burst is at least the number of rooms that one address may have open.
"""
TIMES_A_ROOM: Final = 2
"""Limit of streams and polls per address, as a multiple of a full room.

The factor is above 1, because members reconnect before their lost connections time out.
"""
WRONG: Final = ("unknown_room", "not_allowed")
"""The codes of errors that count as wrong guesses."""
LED: Final = (15.0, 45.0)
"""Rate limit of a teacher in a room, high enough for steps and for ten pointer positions per second."""
SENT: Final = (2.0, 12.0)
"""Rate limit of a member."""


class RoomAccess:
    """The rooms of a server, with access checks. Every method may raise RoomRefused and Problem.

    Each web counts rates, and streams per address, separately.
    """

    def __init__(self, rooms: Rooms, metrics: Metrics) -> None:
        self.rooms = rooms
        self._metrics = metrics
        limits = rooms.limits
        self._guesses = NetworkRates(*GUESSES)
        self._joins = NetworkRates(JOINS_PER_SECOND, limits.of_address * limits.members)
        self._openings = NetworkRates(OPENINGS[0], max(OPENINGS[1], limits.of_address))
        self._led = Rates(*LED)
        self._sent = Rates(*SENT)
        self._following = NetworkCounts()
        """The number of streams and polls of each address."""

    async def visit(self, code: str, request: Request) -> Room:
        """The room with a typed code. Wrong codes are counted. Above the limit of wrong codes, no code is looked up."""
        address = client_of(request).requester.address
        seconds = self._guesses.wait(address)
        if seconds > 0:
            raise self._too_many_guesses(seconds)
        try:
            return await self.rooms.find(code)
        except RoomRefused as error:
            if error.kind in WRONG:
                self._guesses.take(address)
            raise

    async def enter(self, code: str, secret: str, token: str, request: Request) -> tuple[Room, RoomClient]:
        """The room, and the role of the client.

        A valid secret or token is accepted even if other clients at the address guess codes.
        """
        if not secret and not token:
            await self.visit(code, request)
            await self.count_guess(request)
            raise not_allowed()
        try:
            room = await self.rooms.find(code)
            return room, self.rooms.who(room, secret, token)
        except RoomRefused as error:
            seconds = self._guesses.take(client_of(request).requester.address) if error.kind in WRONG else 0
            if seconds > 0:
                raise self._too_many_guesses(seconds) from None
            raise

    async def teach(self, code: str, secret: str, request: Request) -> Room:
        """Return a room if the client is its teacher; otherwise raise RoomRefused."""
        room, who = await self.enter(code, secret, "", request)
        if who.role != "teacher":
            raise not_allowed()
        self._check(self._led.take(room.row.id))
        return room

    async def take_part(self, code: str, token: str, request: Request) -> tuple[Room, RoomClient]:
        """Return a room and the member that sends a vote, a variant or a press of "I am lost"."""
        room, who = await self.enter(code, "", token, request)
        self._check(self._sent.take(who.name))
        return room, who

    @contextmanager
    def following(self, room: Room, who: RoomClient, request: Request, after: int = 0) -> Iterator[Follower]:
        """Follow the room's changes while the block lasts."""
        address = client_of(request).requester.address
        most = TIMES_A_ROOM * self.rooms.limits.members
        if self._following.reached(address, most):
            raise too_many_streams(most)
        follower = self.rooms.follow(room, who, after)
        self._following.add(address)
        try:
            yield follower
        finally:
            follower.close()
            self._following.remove(address)

    async def count_join(self, request: Request) -> None:
        """Count a join."""
        self._check(self._joins.take(client_of(request).requester.address))

    async def count_opening(self, request: Request) -> None:
        """Count a new room."""
        self._check(self._openings.take(client_of(request).requester.address))

    async def count_guess(self, request: Request) -> None:
        """Count a wrong code, secret or token."""
        self._guesses.take(client_of(request).requester.address)

    def _check(self, seconds: float) -> None:
        if seconds > 0:
            self._metrics.refused("rate")
            raise too_fast(math.ceil(seconds))

    def _too_many_guesses(self, seconds: float) -> Problem:
        self._metrics.refused("guesses")
        message = "Your network has sent too many wrong room codes."
        headers = {"Retry-After": str(math.ceil(seconds))}
        return Problem(429, "too_many_guesses", message, f"Try again in {math.ceil(seconds)} seconds.", headers)
