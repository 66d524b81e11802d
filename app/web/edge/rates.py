"""Rate limits: a token bucket for each client.

This module does not use the library `limits`, which has windows but no token bucket, and does not limit the number of counters,
so an attacker could create any number of counters.
"""

import time
from collections.abc import Callable
from typing import Final

from cachetools import LRUCache

from app.networks import networks_of

MOST_CLIENTS: Final = 20_000
"""Maximum number of buckets. The least recently used bucket is dropped, so its client starts again with a full bucket."""


class Rates:
    """At most `per_second` requests of each client on average, and `burst` at once."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._buckets: LRUCache[str, tuple[float, float]] = LRUCache(MOST_CLIENTS)
        """Each client's number of tokens, and the time at which the tokens were counted."""

    def wait(self, client: str, times: int = 1) -> float:
        """Return the seconds until `client` has a token, without taking it. The client's rate and burst are multiplied by
        `times`."""
        return self._count(client, times)[1]

    def take(self, client: str, times: int = 1) -> float:
        """Take a token of `client` and return 0, or return the seconds until a token is available."""
        tokens, wait, now = self._count(client, times)
        self._buckets[client] = (tokens if wait else tokens - 1, now)
        return wait

    def _count(self, client: str, times: int) -> tuple[float, float, float]:
        """The client's tokens, the seconds until a whole token, and the current time."""
        now, burst, per_second = self._clock(), self._burst * times, self._per_second * times
        tokens, counted = self._buckets.get(client, (burst, now))
        tokens = min(burst, tokens + (now - counted) * per_second)
        return tokens, 0.0 if tokens >= 1 else (1 - tokens) / per_second, now


class NetworkRates:
    """Rate limits of network addresses. A request counts for each network of its address (`app/networks.py`)."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._rates = Rates(per_second, burst)

    def wait(self, address: str) -> float:
        """Return the seconds until every network of `address` has a token, without taking one."""
        return max(self._rates.wait(name, times) for name, times in networks_of(address))

    def take(self, address: str) -> float:
        """Take a token from the bucket of each network and return 0.

        If a network lacks a token, return the seconds until the first such network has a token.
        """
        taken = (self._rates.take(name, times) for name, times in networks_of(address))
        return next((wait for wait in taken if wait > 0), 0.0)
