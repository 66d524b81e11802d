"""One-time codes with which a teacher adds another device. A code is valid for two minutes and a few attempts."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.rooms.codes import ONE_TIME_LENGTH, new_code, normal

OFFERED_SECONDS: Final = 120
MOST_TRIES: Final = 5


@dataclass
class _Offer:
    code: str
    until: float
    tries: int = 0


class Devices:
    """The valid codes, one per room."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._offers: dict[str, _Offer] = {}

    def offer(self, room_id: str) -> str:
        """Create a code for a room. The new code replaces an earlier code."""
        code = new_code(ONE_TIME_LENGTH)
        self._offers[room_id] = _Offer(code, self._clock() + OFFERED_SECONDS)
        return code

    def claim(self, room_id: str, typed: str) -> bool:
        """Whether `typed` is the valid code of the room.

        After a correct attempt, or after `MOST_TRIES` attempts, the code becomes invalid.
        """
        offer = self._offers.get(room_id)
        if offer is None:
            return False
        is_right = hmac.compare_digest(offer.code, normal(typed, ONE_TIME_LENGTH) or "")
        offer.tries += 1
        if is_right or offer.tries == MOST_TRIES or self._clock() > offer.until:
            del self._offers[room_id]
        return is_right and self._clock() <= offer.until

    def forget(self, room_id: str) -> None:
        """Invalidate the code of a room."""
        self._offers.pop(room_id, None)
