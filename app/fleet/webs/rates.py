"""How often one client may ask, counted by all webs together: buckets of tokens in Redis, filled up by its clock.

Redis holds no name of a client: each bucket is named by a hash with a key that the webs share.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from redis.asyncio import Redis

from app.fleet import names
from app.fleet.webs.asking import Asking, Away

WITHIN_SECONDS: Final = 0.1
"""Whoever asks is kept waiting no longer; then each web counts alone for a while."""

MOST_MILLISECONDS: Final = 7 * 24 * 3600 * 1000
"""No bucket lives longer."""

TAKE: Final = f"""
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function keep(key, tokens, missing, per_second)
  local full = math.max(1, math.min({MOST_MILLISECONDS}, math.ceil(missing / per_second * 1000)))
  redis.call('SET', key, string.format('%.6f %.3f', tokens, now), 'PX', full)
end
for number, key in ipairs(KEYS) do
  local per_second, burst, taken = tonumber(ARGV[3 * number - 2]), tonumber(ARGV[3 * number - 1]), tonumber(ARGV[3 * number])
  local tokens, counted = string.match(redis.call('GET', key) or '', '^(%S+) (%S+)$')
  if tokens and tonumber(counted) > now then  -- the clock went back, and nothing would come in until it is there again
    keep(key, tokens, burst - tokens, per_second)
    counted = now
  end
  tokens = tokens and math.min(burst, tokens + (now - counted) / 1000 * per_second) or burst
  if tokens < 1 then return string.format('%.6f', (1 - tokens) / per_second) end
  if taken > 0 then keep(key, tokens - taken, burst - tokens + taken, per_second) end
end
return '0'
"""
"""'0', or the seconds until the first bucket that has no token has one; those before it have given theirs.

A bucket dies when it is full again. KEYS: buckets. ARGV, for each: tokens a second, tokens at most, how many to take."""


class SharedRates:
    """The buckets of all webs that share a Redis. `key` is the same in each."""

    def __init__(self, redis: Redis, key: bytes) -> None:
        self._asking = Asking(redis, "rates", WITHIN_SECONDS)
        self._key = key

    async def take(self, buckets: Sequence[tuple[str, str, float, float]], tokens: int = 1) -> float | None:
        """Take tokens of buckets, one after the other: 0, or the seconds until the first that has none has one.

        Each is a kind of request, a client, what comes in a second, and what there is at most. None where each web counts alone.
        """
        keys = [names.rate(kind, self._hashed(kind, client)) for kind, client, _, _ in buckets]
        arguments: list[str | bytes | int | float] = []
        for _, _, per_second, burst in buckets:
            arguments += [per_second, burst, tokens]
        try:
            return float(await self._asking.run(TAKE, keys, arguments))
        except Away:
            return None

    def _hashed(self, kind: str, client: str) -> str:
        return hashlib.blake2b(f"{kind}\0{client}".encode(errors="replace"), key=self._key, digest_size=16).hexdigest()
