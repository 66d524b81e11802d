"""How often one client may ask: a bucket of tokens for each, filled up again at a steady rate, for all webs together.

Written here: `limits` has windows and no bucket, and keeps a counter for as many clients as an attacker makes up.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from app.networks import networks_of
from app.web.shared import SharedBuckets

MOST_CLIENTS: Final = 20_000
"""Buckets that are kept; the one that was used least lately goes first, and its client begins anew with a full one."""


class Rates:
    """At most `per_second` requests of each client in the long run, and `burst` at once, as this web alone counts them."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Tokens, and when they were counted; the latest used last."""

    def wait(self, client: str, times: int = 1) -> float:
        """The seconds until `client` has a token, with `times` the rate and burst. Takes no token."""
        return self._count(client, times)[1]

    def take(self, client: str, times: int = 1) -> float:
        """Take a token of `client`: 0, or the seconds until there is one."""
        tokens, wait, now = self._count(client, times)
        self._buckets.pop(client, None)
        self._buckets[client] = (tokens if wait else tokens - 1, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return wait

    def _count(self, client: str, times: int) -> tuple[float, float, float]:
        """The tokens of `client`, the seconds until there is a whole one, and the moment."""
        now, burst, per_second = self._clock(), self._burst * times, self._per_second * times
        tokens, counted = self._buckets.get(client, (burst, now))
        tokens = min(burst, tokens + (now - counted) * per_second)
        return tokens, 0.0 if tokens >= 1 else (1 - tokens) / per_second, now


class SharedRate:
    """The same for one `kind` of request as all webs count it together; where they cannot, this one does alone.

    A client that is an address counts in each of its networks (`app/networks.py`).
    """

    def __init__(self, kind: str, per_second: float, burst: float, shared: SharedBuckets | None = None) -> None:
        self._bucket = (kind, per_second, burst)
        self._shared = shared
        self._alone = Rates(per_second, burst)

    async def wait(self, client: str) -> float:
        """The seconds until `client` has a token; none is taken."""
        seconds = None if self._shared is None else await self._shared.take(self._of(client), 0)
        if seconds is not None:
            return seconds
        return max(self._alone.wait(name, times) for name, times in networks_of(client))

    async def take(self, client: str) -> float:
        """Take a token of `client`: 0, or the seconds until there is one."""
        return await take_each((self, client))

    def _of(self, client: str) -> list[tuple[str, str, float, float]]:
        kind, per_second, burst = self._bucket
        return [(kind, name, per_second * times, burst * times) for name, times in networks_of(client)]


async def take_each(*asked: tuple[SharedRate, str]) -> float:
    """Take a token of each client, of one after the other, with one question: 0, or the seconds until one has one that has none."""
    shared = asked[0][0]._shared
    seconds = None if shared is None else await shared.take([each for rate, client in asked for each in rate._of(client)], 1)
    if seconds is not None:
        return seconds
    taken = (rate._alone.take(name, times) for rate, client in asked for name, times in networks_of(client))
    return next((wait for wait in taken if wait > 0), 0.0)
