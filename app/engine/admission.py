"""Admission limits concurrent runs, queues further runs in fair order, and refuses runs above the limits."""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from app.engine.refusing import Refusing
from app.networks import NetworkCounts, widest_of

MOST_OF_ONE_VISITOR: Final = 2
"""Maximum number of runs of one visitor: one active, one queued."""

POSITION_SECONDS: Final = 0.25
"""Minimum interval between updates of queue positions.

Without this interval, 300 waiting clients would get an update after every run.
"""

POSITIONS_AT_ONCE: Final = 32
"""Number of clients that get their position in one step of the event loop."""


@dataclass(frozen=True, kw_only=True)
class Requester:
    """The client of a run.

    `visitor` identifies one browser; `address` is the browser's network, which a whole class may share.
    """

    visitor: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """The limits of an admission."""

    slots: int
    """Number of runs at the same time."""
    queue_length: int
    queue_seconds: float
    of_one_address: int
    """Maximum number of active and queued runs of one address. A wider IPv6 network may have more runs (`app/networks.py`)."""


class Withdrawn(Exception):
    """Raised if the client stopped the run before the run got a slot."""


@dataclass(eq=False)
class _Waiting:
    requester: Requester
    on_position: Callable[[int], None]
    slot: asyncio.Future[None]
    """Done when the run gets its slot; cancelled when a run of another address displaces this run from the queue."""
    position: int = 0


class Admission:
    """A limited number of slots and a limited queue. Addresses take turns. The runs of one address keep their order.

    All addresses of an IPv6 /48 share one turn, because a household may own 256 networks of length /64, and a site 65,536. A
    visitor has one active run at a time; the visitor's next run waits for the end of the active run. When the queue is full, a
    run from an address with fewer queued runs replaces the last run of the address with the most queued runs, so no address can
    fill the queue alone.
    """

    def __init__(self, capacity: Capacity) -> None:
        self.capacity = capacity
        self.running = 0
        self.waiting = 0
        self._rows: OrderedDict[str, deque[_Waiting]] = OrderedDict()
        """Waiting runs by the widest network of their address. The first network has the next turn."""
        self._busy: set[str] = set()
        """Visitors with a running run."""
        self._of_visitor: Counter[str] = Counter()
        self._of_address = NetworkCounts()
        self._spare_of: Counter[str] = Counter()
        self._spare_waiting: deque[asyncio.Future[None]] = deque()
        """Background runs that wait for a slot that no visitor needs."""
        self._spare_running = 0
        self._giving_way: list[asyncio.Future[None]] = []
        """One future per active background run that may give up its slot. The future is done when a visitor waits for a slot."""
        self._moved_at = time.monotonic()
        """The time at which a slot was last assigned or released."""
        self._notifying: asyncio.TimerHandle | None = None
        self._usual_seconds = 0.05
        """Moving average of the time for which a slot is held. The average determines `retry_after`."""

    @asynccontextmanager
    async def slot(
        self,
        requester: Requester,
        on_position: Callable[[int], None] = lambda _: None,
        stop: asyncio.Future[None] | None = None,
    ) -> AsyncIterator[None]:
        """Hold a slot. While waiting, `on_position` receives the position in the queue (1: next).

        Raises Refused immediately if the queue is full, or after `queue_seconds`; Withdrawn if `stop` is done first.
        """
        self._refuse_if_full(requester)
        self._of_visitor[requester.visitor] += 1
        self._of_address.add(requester.address)
        try:
            await self._acquire(requester, on_position, stop)
            began = time.monotonic()
            try:
                yield
            finally:
                self._usual_seconds += (time.monotonic() - began - self._usual_seconds) / 8
                self._release(requester)
        finally:
            _uncount(self._of_visitor, requester.visitor)
            self._of_address.remove(requester.address)

    @asynccontextmanager
    async def spare(self, requester: Requester) -> AsyncIterator[asyncio.Future[None]]:
        """Hold a background slot. If there are several slots, background runs leave one slot free for visitors.

        The yielded future is done when a visitor waits for a slot: then the background run may give up the slot. Background
        runs do not count as a visitor's runs. Raises Refused if too many background runs are waiting, of one visitor or in
        total, or after `queue_seconds`.
        """
        is_full = not self._has_spare and len(self._spare_waiting) >= self.capacity.queue_length
        if is_full or self._spare_of[requester.visitor] >= MOST_OF_ONE_VISITOR:
            raise self._refusing.nothing_to_spare()
        self._spare_of[requester.visitor] += 1
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        wanted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._spare_waiting.append(slot)
        try:
            self._fill()
            await asyncio.wait({slot}, timeout=self.capacity.queue_seconds)
            if not slot.done():
                raise self._refusing.nothing_was_to_spare()
            self._giving_way.append(wanted)
            yield wanted
        finally:
            if wanted in self._giving_way:
                self._giving_way.remove(wanted)
            if slot.done():
                self.running -= 1
                self._moved_at = time.monotonic()
                self._spare_running -= 1
                self._fill()
            else:
                self._spare_waiting.remove(slot)
            _uncount(self._spare_of, requester.visitor)

    def resize(self, slots: int) -> None:
        """Change the number of slots. Runs in removed slots may finish."""
        self.capacity = replace(self.capacity, slots=slots)
        self._fill()

    @property
    def standstill_seconds(self) -> float:
        """Seconds since a slot was last taken or released, while runs are active or queued."""
        return time.monotonic() - self._moved_at if self.running or self.waiting else 0.0

    def order(self) -> Iterator[Requester]:
        """The queued requesters in their current order."""
        return (waiting.requester for waiting in self._order())

    # --- queue ----------------------------------------------------------------------------------------------------------

    def _refuse_if_full(self, requester: Requester) -> None:
        if self._of_visitor[requester.visitor] >= MOST_OF_ONE_VISITOR:
            raise self._refusing.visitor()
        if number := self._of_address.reached(requester.address, self.capacity.of_one_address):
            raise self._refusing.address(number)
        is_free = self.running < self.capacity.slots and requester.visitor not in self._busy
        if not is_free and self.waiting >= self.capacity.queue_length and not self._displace_last(requester):
            raise self._refusing.full()

    def _displace_last(self, requester: Requester) -> bool:
        longest = max(self._rows.values(), key=len, default=deque[_Waiting]())
        if len(longest) <= len(self._rows.get(widest_of(requester.address), ())) + 1:
            return False
        last = longest[-1]
        self._remove(last)
        last.slot.cancel()
        return True

    async def _acquire(
        self, requester: Requester, on_position: Callable[[int], None], stop: asyncio.Future[None] | None
    ) -> None:
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = _Waiting(requester, on_position, slot)
        self._rows.setdefault(widest_of(requester.address), deque()).append(waiting)
        self.waiting += 1
        self._fill()
        if slot.done():
            return
        self._changed()
        if self.running >= self.capacity.slots:
            for wanted in self._giving_way:
                if not wanted.done():
                    wanted.set_result(None)
        waiting.position = next(position for position, each in enumerate(self._order(), 1) if each is waiting)
        try:
            on_position(waiting.position)
            await asyncio.wait(
                {slot} if stop is None else {slot, stop},
                timeout=self.capacity.queue_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
        except BaseException:
            if not slot.done():
                self._remove(waiting)
            elif not slot.cancelled():  # the slot was assigned while the request was cancelled, so it is released
                self._release(requester)
            raise
        if slot.cancelled():
            raise self._refusing.displaced()
        if not slot.done():
            self._remove(waiting)
            if stop is not None and stop.done():
                raise Withdrawn
            raise self._refusing.waited(self.capacity.queue_seconds)

    def _fill(self) -> None:
        """Assign every free slot to the next run in the queue."""
        while self.running < self.capacity.slots and (waiting := self._next()) is not None:
            self._remove(waiting)
            network = widest_of(waiting.requester.address)
            if network in self._rows:
                self._rows.move_to_end(network)
            self.running += 1
            self._moved_at = time.monotonic()
            self._busy.add(waiting.requester.visitor)
            waiting.slot.set_result(None)
        while self._spare_waiting and self._has_spare:
            self.running += 1
            self._moved_at = time.monotonic()
            self._spare_running += 1
            self._spare_waiting.popleft().set_result(None)

    @property
    def _has_spare(self) -> bool:
        return self.running < self.capacity.slots and self._spare_running < max(1, self.capacity.slots - 1)

    def _next(self) -> _Waiting | None:
        for row in self._rows.values():
            for waiting in row:
                if waiting.requester.visitor not in self._busy:
                    return waiting
        return None

    def _remove(self, waiting: _Waiting) -> None:
        network = widest_of(waiting.requester.address)
        row = self._rows[network]
        row.remove(waiting)
        if not row:
            del self._rows[network]
        self.waiting -= 1
        self._changed()

    def _release(self, requester: Requester) -> None:
        self.running -= 1
        self._moved_at = time.monotonic()
        self._busy.remove(requester.visitor)
        self._fill()

    @property
    def _refusing(self) -> Refusing:
        return Refusing(waiting=self.waiting, slots=self.capacity.slots, usual_seconds=self._usual_seconds)

    # --- positions ------------------------------------------------------------------------------------------------------

    def _order(self) -> Iterator[_Waiting]:
        rows = deque(deque(row) for row in self._rows.values())
        while rows:
            row = rows.popleft()
            yield row.popleft()
            if row:
                rows.append(row)

    def _changed(self) -> None:
        if self.waiting and self._notifying is None:
            self._notifying = asyncio.get_running_loop().call_later(POSITION_SECONDS, self._notify_all)

    def _notify_all(self) -> None:
        self._notifying = None
        self._notify(enumerate(list(self._order()), 1))

    def _notify(self, positions: Iterator[tuple[int, _Waiting]]) -> None:
        some = list(islice(positions, POSITIONS_AT_ONCE))
        for position, waiting in some:
            if not waiting.slot.done() and waiting.position != position:
                waiting.position = position
                waiting.on_position(position)
        if some:
            asyncio.get_running_loop().call_soon(self._notify, positions)


def _uncount(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
