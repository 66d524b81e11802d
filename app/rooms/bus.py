"""How a change of a room is told to every process in which somebody follows it. `tests/rooms/bus_contract.py` says what holds."""

from collections.abc import Callable
from typing import Protocol

import structlog

Hear = Callable[[bytes], None]


class Subscription(Protocol):
    """Somebody who hears what is told to a room."""

    async def close(self) -> None:
        """Hear no more."""


class Bus(Protocol):
    """Tells changes on: to all who subscribed before, in the order in which they were published, once, and to nobody later."""

    async def publish(self, room_id: str, change: bytes) -> None:
        """Tell all who hear this room, the publisher too."""

    async def subscribe(self, room_id: str, hear: Hear) -> Subscription:
        """Call `hear` with what is published from now on. It must return soon, and no error of one keeps it from the others."""


class LocalBus:
    """The bus of a server that is one process."""

    def __init__(self) -> None:
        self._hearing: dict[str, list[_Hearing]] = {}

    async def publish(self, room_id: str, change: bytes) -> None:
        for each in tuple(self._hearing.get(room_id, ())):
            try:
                each.hear(change)
            except Exception:  # the edge between rooms: a bug in one is for the log
                structlog.get_logger().exception("bug", bus="hear")

    async def subscribe(self, room_id: str, hear: Hear) -> Subscription:
        hearing = _Hearing(self, room_id, hear)
        self._hearing.setdefault(room_id, []).append(hearing)
        return hearing

    def _leave(self, hearing: "_Hearing") -> None:
        row = self._hearing.get(hearing.room_id, [])
        if hearing in row:
            row.remove(hearing)
            if not row:
                del self._hearing[hearing.room_id]


class _Hearing:
    """One subscription."""

    def __init__(self, bus: LocalBus, room_id: str, hear: Hear) -> None:
        self._bus = bus
        self.room_id = room_id
        self.hear = hear

    async def close(self) -> None:
        self._bus._leave(self)
