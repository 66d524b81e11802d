"""The bus of one process."""

from collections.abc import AsyncIterator

from app.rooms.bus import Bus, LocalBus
from tests.rooms.bus_contract import BusContract


class TestLocalBus(BusContract):
    async def ends(self) -> AsyncIterator[tuple[Bus, Bus]]:
        bus = LocalBus()
        yield bus, bus

    async def test_nothing_is_remembered_of_a_room_that_nobody_hears(self) -> None:
        bus = LocalBus()
        subscriptions = [await bus.subscribe("room", lambda _: None) for _ in range(3)]
        for each in subscriptions:
            await each.close()
        assert bus._hearing == {}
