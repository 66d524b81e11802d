"""How often one client may ask: a bucket of tokens for each, filled up again at a steady rate, for all webs together.

Written here: `limits` has windows and no bucket, and keeps a counter for as many clients as an attacker makes up.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

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

    def wait(self, client: str) -> float:
        """The seconds until `client` has a token; none is taken."""
        now = self._clock()
        tokens, counted = self._buckets.get(client, (self._burst, now))
        tokens += (now - counted) * self._per_second
        return 0.0 if tokens >= 1 else (1 - tokens) / self._per_second

    def take(self, client: str) -> float:
        """Take a token of `client`: 0, or the seconds until there is one."""
        now = self._clock()
        tokens, counted = self._buckets.pop(client, (self._burst, now))
        tokens = min(self._burst, tokens + (now - counted) * self._per_second)
        wait = 0.0 if tokens >= 1 else (1 - tokens) / self._per_second
        self._buckets[client] = (tokens if wait else tokens - 1, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return wait


class SharedRate:
    """The same for one `kind` of request as all webs count it together; where they cannot, this one does alone."""

    def __init__(self, kind: str, per_second: float, burst: float, shared: SharedBuckets | None = None) -> None:
        self._bucket = (kind, per_second, burst)
        self._shared = shared
        self._alone = Rates(per_second, burst)

    async def wait(self, client: str) -> float:
        """The seconds until `client` has a token; none is taken."""
        seconds = None if self._shared is None else await self._shared.take([self._of(client)], 0)
        return self._alone.wait(client) if seconds is None else seconds

    async def take(self, client: str) -> float:
        """Take a token of `client`: 0, or the seconds until there is one."""
        return await take_each((self, client))

    def _of(self, client: str) -> tuple[str, str, float, float]:
        kind, per_second, burst = self._bucket
        return kind, client, per_second, burst


async def take_each(*asked: tuple[SharedRate, str]) -> float:
    """Take a token of each client, of one after the other, with one question: 0, or the seconds until one has one that has none."""
    shared = asked[0][0]._shared
    seconds = None if shared is None else await shared.take([rate._of(client) for rate, client in asked], 1)
    if seconds is not None:
        return seconds
    return next((wait for rate, client in asked if (wait := rate._alone.take(client)) > 0), 0.0)
