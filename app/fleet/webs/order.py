"""The admission that all webs of a fleet share: its order is in Redis, and what a web knows of it is what it was told."""

import asyncio
import hashlib
import hmac
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final, cast

import structlog
from redis.commands.core import AsyncScript
from redis.exceptions import OutOfMemoryError, ResponseError

from app.engine import Capacity, EngineUnavailable, Refused, Requester, Withdrawn
from app.engine.admission import POSITION_SECONDS, POSITIONS_AT_ONCE
from app.engine.refusing import Refusing
from app.fleet.connection import TROUBLE, sentence_of
from app.fleet.names import Keys
from app.fleet.webs import order_scripts
from app.fleet.webs.this_web import ThisWeb
from app.networks import networks_of

NEWS_SECONDS: Final = 1.0
"""How long to wait for a word at a time."""

PAUSE_SECONDS: Final = 0.1
"""Before it listens again where Redis was away."""

PLACE, WANTED, GONE, LOST = "place", "wanted", "gone", "lost"
"""What becomes of a ticket: a place is theirs; a visitor waits for it; another address has its turn; Redis knows it no more."""


@dataclass(eq=False)
class _Ticket:
    id: str
    visitor: str
    address: str
    """The digests of its networks, the narrowest first. Empty where it is for a place to spare."""
    on_position: Callable[[int], None]
    fate: asyncio.Future[str]
    """Done when it waits no more: its place is there, or will never be."""
    wanted: asyncio.Future[None]
    position: int = 0
    has_entered: bool = False
    """Whether Redis has said so."""
    is_missed: bool = False
    """Whether it waits, and was not there at the last look. Word of what became of it may be on its way."""

    @property
    def has_place(self) -> bool:
        return self.fate.done() and self.fate.result() == PLACE

    @property
    def is_lost(self) -> bool:
        return self.fate.done() and self.fate.result() == LOST


class SharedAdmission:
    """One web's part in the order of a queue. It decides nothing: every decision is one script, and so one for all webs.

    The order is `app.engine.Admission`'s. Use it while it is `working`. `secret` is the same in each web, and Redis has it not.
    """

    def __init__(self, web: ThisWeb, keys: Keys, capacity: Capacity, secret: bytes) -> None:
        self.capacity = capacity
        self._web = web
        self._redis = web.redis
        self._secret = hmac.digest(secret, b"order", hashlib.sha256)
        self._key = keys.order
        self._news = keys.news(web.id)
        self._enter, self._spare, self._leave, self._hold, self._look, self._anew = (
            self._redis.register_script(script)
            for script in (
                order_scripts.ENTER,
                order_scripts.SPARE,
                order_scripts.LEAVE,
                order_scripts.HOLD,
                order_scripts.TICK,
                order_scripts.ANEW,
            )
        )
        self._numbers = count()
        self._tickets: dict[str, _Ticket] = {}
        """Those of this web, from before Redis knows them until it is told to forget them."""
        self._leaving: dict[str, asyncio.Task[None]] = {}
        """Of those that Redis is being told to forget."""
        self._refusing = Refusing(waiting=0, places=capacity.places, usual_seconds=0.05)
        """How things stood when Redis spoke last."""
        self._moved_at = time.monotonic()
        self._soon = asyncio.Event()
        """Set where a look is not to be put off."""
        self._trouble = ""

    @property
    def running(self) -> int:
        """Places that this web holds."""
        return sum(ticket.has_place for ticket in self._tickets.values())

    @property
    def waiting(self) -> int:
        """Visitors' runs that wait in this web."""
        return sum(bool(ticket.address) and ticket.has_entered and not ticket.fate.done() for ticket in self._tickets.values())

    @property
    def standstill_seconds(self) -> float:
        """For how long nobody in the whole fleet has got a place or given one back, while some of this web go or wait."""
        return time.monotonic() - self._moved_at if self.running or self.waiting else 0.0

    def resize(self, places: int) -> None:
        """From now on this web sees so many places."""
        if places != self.capacity.places:
            self.capacity = replace(self.capacity, places=places)
            self._soon.set()

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """Hear what becomes of the tickets meanwhile."""
        tasks: list[asyncio.Task[None]] = [asyncio.create_task(self._listen()), asyncio.create_task(self._tick())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks + list(self._leaving.values()))

    # --- coming and going -----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def place(
        self,
        requester: Requester,
        on_position: Callable[[int], None] = lambda _: None,
        stop: asyncio.Future[None] | None = None,
    ) -> AsyncIterator[None]:
        """Hold one place. While there is none, `on_position` is told how many are to go before this one is (1: the next).

        Raises Refused at once when there is no room to wait, or after the longest wait; Withdrawn when `stop` is done first;
        EngineUnavailable where Redis is away.
        """
        address = "".join(self._hashed(name) for name, _ in networks_of(requester.address))
        async with self._ticket(self._hashed(requester.visitor), address, on_position) as ticket:
            word, number = await self._ask_in_time(self._enter, ticket.id, ticket.visitor, ticket.address)
            ticket.has_entered = True
            if word == "wait":
                self._hear(ticket.id, str(number))
                ends: set[asyncio.Future[Any]] = {ticket.fate} if stop is None else {ticket.fate, stop}
                await asyncio.wait(ends, timeout=self.capacity.queue_seconds, return_when=asyncio.FIRST_COMPLETED)
                if not ticket.fate.done() and stop is not None and stop.done():
                    raise Withdrawn
            elif word == PLACE:
                self._hear(ticket.id, PLACE)
            else:
                del self._tickets[ticket.id]  # it never was in the order
                raise self._refusal(word, number)
            self._refuse_without_place(ticket)
            yield

    @asynccontextmanager
    async def spare(self, requester: Requester) -> AsyncIterator[asyncio.Future[None]]:
        """Hold a place that no visitor waits for, but never all places. What it yields is done once a visitor waits for it.

        Raises as `place` does.
        """
        async with self._ticket(self._hashed(requester.visitor), "", lambda _: None) as ticket:
            word, _ = await self._ask_in_time(self._spare, ticket.id, ticket.visitor)
            ticket.has_entered = True
            if word == "wait":
                await asyncio.wait({ticket.fate}, timeout=self.capacity.queue_seconds)
            elif word == PLACE:
                self._hear(ticket.id, PLACE)
            else:
                del self._tickets[ticket.id]
                raise self._refusing.nothing_to_spare()
            self._refuse_without_place(ticket)
            yield ticket.wanted

    @asynccontextmanager
    async def _ticket(self, visitor: str, address: str, on_position: Callable[[int], None]) -> AsyncIterator[_Ticket]:
        """One in the order, until the block ends: then its place is the next one's."""
        loop = asyncio.get_running_loop()
        ticket = _Ticket(
            id=f"{self._web.id}.{next(self._numbers)}",
            visitor=visitor,
            address=address,
            on_position=on_position,
            fate=loop.create_future(),
            wanted=loop.create_future(),
        )
        self._tickets[ticket.id] = ticket
        try:
            yield ticket
        finally:
            if self._tickets.pop(ticket.id, None) is not None:
                leaving = self._leave_soon(ticket.id)
                # Whoever asked may ask again as soon as this ends, at another web perhaps. Redis that is away is not waited for.
                if ticket.has_entered and not ticket.is_lost:
                    await asyncio.shield(leaving)

    def _refuse_without_place(self, ticket: _Ticket) -> None:
        fate = ticket.fate.result() if ticket.fate.done() else ""
        if fate == PLACE:
            return
        if fate == LOST:
            raise EngineUnavailable("queue_unavailable")
        if fate == GONE:
            raise self._refusing.displaced()
        if not ticket.address:
            raise self._refusing.nothing_was_to_spare()
        raise self._refusing.waited(self.capacity.queue_seconds)

    def _refusal(self, word: str, number: int) -> Refused:
        match word:
            case "visitor":
                return self._refusing.visitor()
            case "address":
                return self._refusing.address(number)
            case _:
                return self._refusing.full()

    def _leave_soon(self, ticket: str) -> asyncio.Task[None]:
        """Tell Redis to forget a ticket. Where that fails, the next look finds it there, and tells it again."""

        async def leave() -> None:
            try:
                await self._ask(self._leave, ticket)
            except TROUBLE:
                pass
            finally:
                del self._leaving[ticket]

        self._leaving[ticket] = task = asyncio.create_task(leave())
        return task

    # --- hearing --------------------------------------------------------------------------------------------------------

    def _hear(self, ticket_id: str, word: str) -> None:
        """A word about a ticket, from whichever side it comes first: as news, or at a look."""
        ticket = self._tickets.get(ticket_id)
        if ticket is None:
            return
        if word.isdecimal():
            position = int(word)
            if position and position != ticket.position and not ticket.fate.done():
                ticket.position = position
                ticket.on_position(position)
            return
        if not ticket.fate.done():
            ticket.fate.set_result(PLACE if word == WANTED else word)
        if word == WANTED and not ticket.wanted.done():
            ticket.wanted.set_result(None)

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_once()
            except TROUBLE:
                await asyncio.sleep(PAUSE_SECONDS)  # the next look tells what was missed, or that Redis is away

    async def _listen_once(self) -> None:
        found = await cast("Awaitable[list[bytes] | None]", self._redis.blpop([self._news], NEWS_SECONDS))
        if found:
            word, _, ticket = found[1].decode("ascii").partition(" ")
            self._hear(ticket, word)

    async def _tick(self) -> None:
        while True:
            self._soon.clear()
            try:
                await self.look()
            except OutOfMemoryError:
                pass  # those who wait hear the reason after the longest wait, and nobody new comes in
            except TROUBLE as error:
                self._lose_all(error)
                await self._begin_anew_after(error)
            else:
                self._trouble = ""
            try:
                async with asyncio.timeout(POSITION_SECONDS):
                    await self._soon.wait()
            except TimeoutError:
                pass

    def _lose_all(self, error: Exception) -> None:
        """Redis is away: nobody waits for it."""
        sentence = sentence_of(error)
        if sentence != self._trouble:
            structlog.get_logger().warning("order", error=sentence)
        self._trouble = sentence
        for ticket in list(self._tickets.values()):
            self._hear(ticket.id, LOST)

    async def _begin_anew_after(self, error: Exception) -> None:
        """Forget what a script stumbled over, or every look would, of every web and for ever: a Redis that evicts keys takes one of
        those that belong together."""
        if isinstance(error, ResponseError) and "user_script" in str(error):
            try:
                await self._ask(self._anew)
            except TROUBLE:
                pass  # the next look stumbles again

    async def look(self) -> None:
        """Ask what has become of the tickets of this web: what was not heard is known then. Raises TROUBLE.

        A run that has a place and of which Redis knows nothing (this web was silent for too long, or Redis began anew) goes on,
        for its worker is busy with it: Redis is told of it again. One that waited has lost its turn.
        """
        mine = [(ticket, ticket.has_place) for ticket in self._tickets.values() if ticket.has_entered]
        told = await self._ask(self._look)
        known = dict(zip(told[::2], told[1::2], strict=True))
        for number, (ticket, had_place) in enumerate(mine):
            if ticket.id not in self._tickets:
                continue
            word = known.get(ticket.id, LOST)
            if had_place and word not in (PLACE, WANTED):
                await self._ask(self._hold, ticket.id, ticket.visitor, ticket.address)
            elif word != LOST or ticket.is_missed:
                self._hear(ticket.id, word)
            ticket.is_missed = word == LOST
            if number % POSITIONS_AT_ONCE == POSITIONS_AT_ONCE - 1:
                await asyncio.sleep(0)
        for ticket_id in known.keys() - self._tickets.keys() - self._leaving.keys():
            self._leave_soon(ticket_id)

    # --- Redis ----------------------------------------------------------------------------------------------------------

    async def _ask_in_time(self, script: AsyncScript, *arguments: str) -> tuple[str, int]:
        """The word of an answer, and its number. Raises EngineUnavailable."""
        try:
            word, number = await self._ask(script, *arguments)
        except OutOfMemoryError:
            raise EngineUnavailable("queue_full") from None
        except TROUBLE as error:
            structlog.get_logger().warning("order", error=sentence_of(error))
            raise EngineUnavailable("queue_unavailable") from error
        return word, int(number)

    async def _ask(self, script: AsyncScript, *arguments: str) -> list[str]:
        """The answer to a script, without how things stand. Raises TROUBLE."""
        capacity = self.capacity
        given: list[str | int] = [self._web.id, capacity.places, capacity.queue_length, capacity.of_one_address, *arguments]
        answer = cast("list[Any]", await script(keys=[self._key], args=given))
        word, number, waiting, places, usual, still = answer[:6]
        self._refusing = Refusing(waiting=waiting, places=places, usual_seconds=float(usual))
        self._moved_at = time.monotonic() - still / 1000
        rest = [each.decode("ascii") for each in answer[6:]]
        return rest if word == b"tick" else [word.decode("ascii"), str(number)]

    def _hashed(self, text: str) -> str:
        """What stands in Redis for a visitor or an address: of one length, and nobody finds an address there by trying them all."""
        return hashlib.blake2b(text.encode(), key=self._secret, digest_size=16).hexdigest()
