"""The latest recordings of all webs, in Redis: so that Share keeps the very run that was seen, whichever web ran it.

They are bounded in bytes, those of all webs together, and die by the clock of Redis. What is read here another web wrote: it is
believed no further than its hash says, and nothing of it is unpacked beyond the size that it is said to have.
"""

import asyncio
import hashlib
import secrets
import zlib
from typing import Any, Final, cast

from redis.asyncio import Redis

from app.fleet import names
from app.fleet.webs.asking import Asking, Away

LIFE_MILLISECONDS: Final = 30 * 60_000
"""How long a recording is remembered."""

PIECES_MILLISECONDS: Final = 10 * 60_000
"""How long that of a run can be fetched by its hash without a link that shows it, as at the web that ran it."""

PIECE_BYTES: Final = 512 << 10
PIECES_AT_ONCE: Final = 4
"""Of an answer, of which at most 4 MiB are read."""

MOST_BYTES: Final = 512 << 20
"""Of one recording, once it is unpacked."""

AROUND: Final = 600
"""Bytes that a recording counts for besides its own."""

LARGE_BYTES: Final = 100 << 10
"""Bytes from which on packing and unpacking are left to a thread."""

WITHIN_SECONDS: Final = 2.0
"""How long Redis may take over one piece."""

ADD_SECONDS: Final = 10.0
"""And over the whole of one that is added."""

ADD: Final = f"""
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local order, sizes, entry, whole, flag = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local budget, number, piece, count = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local function count_more(key, bytes)
  for _, each in ipairs({{key, 'all'}}) do redis.call('HINCRBY', sizes, each, string.format('%d', bytes)) end
end
local function drop(key)
  count_more(key, -(redis.call('HGET', sizes, key) or 0))
  redis.call('HDEL', sizes, key)
  redis.call('ZREM', order, key)
  redis.call('UNLINK', key)
end
for _, ahead in ipairs(redis.call('ZRANGEBYSCORE', order, string.format('(%d', now), '+inf', 'LIMIT', 0, 100)) do
  redis.call('ZADD', order, now - 1, ahead)  -- the clock went back, and what was added before would outlive what comes
end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', order, 0, now - {LIFE_MILLISECONDS}, 'LIMIT', 0, 100)) do drop(old) end
if number == count then drop(whole) end
local bytes = #piece + (number == 1 and {AROUND} or 0)
while (redis.call('HGET', sizes, 'all') or 0) + bytes > budget do
  local oldest = redis.call('ZRANGE', order, 0, 0)[1]
  if not oldest then return 0 end
  drop(oldest)
  if oldest == entry then return 0 end
end
if number > 1 and redis.call('EXISTS', entry) == 0 then return 0 end
redis.call('HSET', entry, number, piece)
redis.call('ZADD', order, now, entry)
count_more(entry, bytes)
if number == count then
  local total = redis.call('HGET', sizes, entry)
  redis.call('HSET', entry, 'hash', ARGV[5], 'size', ARGV[6], 'seconds', ARGV[7], 'count', count)
  redis.call('RENAME', entry, whole)
  redis.call('ZREM', order, entry)
  redis.call('HDEL', sizes, entry)
  redis.call('ZADD', order, now, whole)
  redis.call('HSET', sizes, whole, total)
  redis.call('SET', flag, whole, 'PX', {PIECES_MILLISECONDS})
  if KEYS[6] then redis.call('SET', KEYS[6], ARGV[5], 'PX', {LIFE_MILLISECONDS}) end
  entry = whole
end
for _, key in ipairs({{order, sizes, entry}}) do redis.call('PEXPIRE', key, {LIFE_MILLISECONDS}) end
return 1
"""
"""1 where the piece was taken; with the last one the recording is the latest answer to its request, if it has one. The oldest of
others make room.

KEYS: order, sizes, this recording until it is whole, and then, whether it may be fetched, the latest answer. ARGV: budget, number
of the piece from 1, piece, how many there are, hash, size, seconds."""


class SharedRecent:
    """The latest recordings of the webs that share a Redis, up to a number of bytes as they are packed.

    Nothing here raises: what cannot be kept or found is made again.
    """

    def __init__(self, redis: Redis, max_bytes: int) -> None:
        self._asking = Asking(redis, "recent recordings", WITHIN_SECONDS)
        self._max_bytes = max_bytes

    async def add(self, request: str | None, recording_hash: str, trace: bytes, seconds: float) -> None:
        """Store a recording and the seconds of its run. With a `request`, it becomes the latest answer to that request."""
        packed = await _in_thread(len(trace), zlib.compress, trace, 1)
        pieces = [packed[start : start + PIECE_BYTES] for start in range(0, len(packed), PIECE_BYTES)]
        if len(packed) + AROUND > self._max_bytes or len(trace) > MOST_BYTES:
            return
        unfinished = names.recent(f"unfinished:{secrets.token_hex(8)}")
        whole, flag = names.recent(recording_hash), names.recorded(recording_hash)
        keys = [names.RECENT_ORDER, names.RECENT_SIZES, unfinished, whole, flag]
        keys += [] if request is None else [names.latest(request)]
        about: list[str | bytes | int | float] = [len(pieces), recording_hash, len(trace), seconds]
        try:
            async with asyncio.timeout(ADD_SECONDS):
                for number, piece in enumerate(pieces, 1):
                    if not await self._asking.run(ADD, keys, [self._max_bytes, number, piece, *about]):
                        return
        except (Away, TimeoutError):
            return

    async def hash_of(self, request: str) -> str | None:
        """The hash of the latest answer to the request with this key, if it is remembered."""
        try:
            found = await self._asking.ask(lambda: cast("Any", self._asking.redis.get(names.latest(request))))
        except Away:
            return None
        return None if found is None else _text(found)

    async def get(self, recording_hash: str) -> tuple[bytes, float] | None:
        """The recording with this hash, if it is remembered: its bytes, how long its run took."""
        found = await self._read(names.recent(recording_hash))
        return found[1:] if found is not None and found[0] == recording_hash else None

    async def may_be_fetched(self, recording_hash: str) -> bool | None:
        """Whether its run was in the last minutes and no link to it was deleted since; None where that is not known."""
        try:
            key = await self._asking.ask(lambda: cast("Any", self._asking.redis.get(names.recorded(recording_hash))))
        except Away:
            return None
        return None if key is None else bool(key)

    async def forget(self, recording_hash: str) -> None:
        """Let nobody fetch the recording by its hash, until the same is recorded again."""
        key = names.recorded(recording_hash)
        try:
            await self._asking.ask(lambda: cast("Any", self._asking.redis.set(key, b"", px=PIECES_MILLISECONDS)))
        except Away:
            return

    async def _read(self, key: str) -> tuple[str, bytes, float] | None:
        try:
            head = await self._fields(key, "hash", "size", "seconds", "count", 1)
            if head is None:
                return None
            recording_hash, size, seconds, count = _text(head[0]), int(head[1]), float(head[2]), int(head[3])
            if not 0 < size <= MOST_BYTES or not 0 < count <= self._max_bytes // PIECE_BYTES + 1:
                return None
            pieces = [head[4]]
            while len(pieces) < count:
                numbers = range(len(pieces) + 1, min(count, len(pieces) + PIECES_AT_ONCE) + 1)
                more = await self._fields(key, *numbers)
                if more is None:
                    return None
                pieces += more
            trace = await _in_thread(size, _unpacked, b"".join(pieces), size)
        except (Away, ValueError, OverflowError, zlib.error):
            return None
        is_whole = await _in_thread(size, lambda: hashlib.sha256(trace).hexdigest()) == recording_hash
        return (recording_hash, trace, seconds) if is_whole else None  # else another one took its place meanwhile

    async def _fields(self, key: str, *fields: str | int) -> list[bytes] | None:
        """These of a recording; None where one is not there. Raises Away."""
        found = await self._asking.ask(lambda: cast("Any", self._asking.redis.hmget(key, [str(field) for field in fields])))
        return None if None in found else cast("list[bytes]", found)


def _unpacked(packed: bytes, size: int) -> bytes:
    """Raises ValueError and zlib.error."""
    unpacking = zlib.decompressobj()
    trace = unpacking.decompress(packed, size + 1)
    if len(trace) != size or not unpacking.eof:
        raise ValueError("a recording has another size than it is said to have")
    return trace


async def _in_thread(size: int, work: Any, *arguments: Any) -> Any:
    return await asyncio.to_thread(work, *arguments) if size > LARGE_BYTES else work(*arguments)


def _text(told: bytes) -> str:
    return told.decode("ascii", "replace")
