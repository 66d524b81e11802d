"""What holds for every bus. A test of one derives from `BusContract` and says how to make it."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from app.rooms.bus import Bus
from tests.sandbox.processes import PATIENCE


class Heard:
    """Hears what is told, and waits for it."""

    def __init__(self) -> None:
        self.all: list[bytes] = []
        self._news = asyncio.Event()

    def __call__(self, change: bytes) -> None:
        """Hear."""
        self.all.append(change)
        self._news.set()

    async def until(self, last: bytes) -> list[bytes]:
        """Everything up to `last`, once that was heard."""
        async with asyncio.timeout(PATIENCE):
            while last not in self.all:
                self._news.clear()
                await self._news.wait()
        return self.all


class BusContract(ABC):
    """The tests, each over a bus and over another end of it: what one process publishes, all hear."""

    @abstractmethod
    def ends(self) -> AsyncIterator[tuple[Bus, Bus]]:
        """Two ends of one bus, as two processes have them; in one process twice the same."""

    @pytest_asyncio.fixture(name="buses")
    async def _buses(self) -> AsyncIterator[tuple[Bus, Bus]]:
        async for pair in self.ends():
            yield pair

    async def test_all_hear_everything_once_and_in_order(self, buses: tuple[Bus, Bus]) -> None:
        here, there = buses
        heard = [Heard() for _ in range(3)]
        for number, each in enumerate(heard):
            await (here, there)[number % 2].subscribe("room", each)
        told = [b"%d" % number for number in range(100)]
        for change in told:
            await here.publish("room", change)
        for each in heard:
            assert await each.until(told[-1]) == told

    async def test_rooms_are_apart(self, buses: tuple[Bus, Bus]) -> None:
        here, there = buses
        one, other = Heard(), Heard()
        await there.subscribe("one", one)
        await there.subscribe("other", other)
        await here.publish("one", b"1")
        await here.publish("other", b"2")
        assert (await one.until(b"1"), await other.until(b"2")) == ([b"1"], [b"2"])

    async def test_nothing_is_kept_for_those_who_come_later(self, buses: tuple[Bus, Bus]) -> None:
        here, there = buses
        await here.publish("room", b"before")
        late = Heard()
        await there.subscribe("room", late)
        await here.publish("room", b"after")
        assert await late.until(b"after") == [b"after"]

    async def test_whoever_closed_hears_no_more(self, buses: tuple[Bus, Bus]) -> None:
        here, there = buses
        gone, stays = Heard(), Heard()
        subscription = await there.subscribe("room", gone)
        await there.subscribe("room", stays)
        await here.publish("room", b"1")
        await gone.until(b"1")
        await subscription.close()
        await subscription.close()  # twice is as good as once
        await here.publish("room", b"2")
        await stays.until(b"2")
        assert gone.all == [b"1"]

    async def test_an_error_of_one_keeps_nobody_else_from_it(self, buses: tuple[Bus, Bus]) -> None:
        here, there = buses

        def fails(_: bytes) -> None:
            raise ValueError("a bug")

        heard = Heard()
        await there.subscribe("room", fails)
        await there.subscribe("room", heard)
        for change in (b"1", b"2"):
            await here.publish("room", change)
        assert await heard.until(b"2") == [b"1", b"2"]

    async def test_whoever_hears_may_close_meanwhile(self, buses: tuple[Bus, Bus]) -> None:
        here, there = buses
        heard = Heard()
        closing: list[asyncio.Future[None]] = []

        def once(_: bytes) -> None:
            closing.append(asyncio.ensure_future(subscription.close()))

        subscription = await there.subscribe("room", once)
        await there.subscribe("room", heard)
        await here.publish("room", b"1")
        await heard.until(b"1")
        await asyncio.gather(*closing)
        await here.publish("room", b"2")
        assert await heard.until(b"2") == [b"1", b"2"]
        assert len(closing) == 1

    @pytest.mark.parametrize("size", [0, 1, 100_000])
    async def test_bytes_arrive_as_they_are(self, buses: tuple[Bus, Bus], size: int) -> None:
        here, there = buses
        change = bytes(range(256)) * (size // 256) + bytes(size % 256)
        heard = Heard()
        await there.subscribe("room", heard)
        await here.publish("room", change)
        assert await heard.until(change) == [change]
