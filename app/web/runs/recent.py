"""Recent recordings, in the memory of this web, and in the database that all webs share."""

import asyncio
from contextlib import suppress
from typing import Final

import structlog
from cachetools import LRUCache
from msgspec.structs import replace

from app.store import Recording, StoreError
from app.store.recent_recordings import RecentRows
from app.trace.records import FORMAT

MOST_TIMED: Final = 10_000
"""Maximum number of recordings for which the duration of the run is known."""

SETTLE_SECONDS: Final = 2.0
"""Maximum time that a run's response waits until other webs can find the recording."""


class Recent:
    """A cache of recent recordings, limited in bytes, so that Share stores the run that the visitor saw."""

    def __init__(self, max_bytes: int, shared: RecentRows | None = None) -> None:
        self._max_bytes = max_bytes
        self._shared = shared
        self._recordings: LRUCache[str, Recording] = LRUCache(max_bytes, lambda each: min(len(each.trace), max_bytes))
        """Recordings by hash. The latest recording stays, regardless of its size."""
        self._latest: LRUCache[str, str] = LRUCache(MOST_TIMED)
        """For the key of each request, the hash of its latest recording."""
        self._seconds: LRUCache[str, float] = LRUCache(MOST_TIMED)
        """The duration of a run, by the hash of its recording."""
        self._sharing_bytes = 0
        self._sharing: dict[str, asyncio.Task[None]] = {}
        """Uploads in progress, by the hash of the recording."""

    def add(self, recording: Recording, seconds: float, *, is_answer: bool) -> None:
        """Store `recording` and the duration of its run.

        With `is_answer`, the recording replaces the earlier answer to its request. See `app.trace.ends.is_deterministic`.
        """
        self._keep(recording, seconds, is_answer=is_answer)
        # The number of uploads is limited, so that uploads do not fill the memory while the database hangs.
        if self._shared is not None and self._sharing_bytes <= self._max_bytes:
            self._sharing_bytes += len(recording.trace)
            self._sharing[recording.hash] = task = asyncio.create_task(self._share(self._shared, recording, seconds))
            task.add_done_callback(lambda done: self._is_shared(recording, done))

    async def settle(self, recording_hash: str) -> None:
        """Wait until other webs can find the recording, at most `SETTLE_SECONDS`."""
        task = self._sharing.get(recording_hash)
        if task is not None:
            await asyncio.wait([task], timeout=SETTLE_SECONDS)

    def seconds_of(self, recording_hash: str) -> float | None:
        """The duration of a recording's run; None if the duration is not cached."""
        return self._seconds.get(recording_hash)

    def latest(self, request: str) -> Recording | None:
        """This web's latest cached recording for the request with this key, or None."""
        mine = self._latest.get(request)
        return None if mine is None else self._recordings.get(mine)

    async def get(self, recording_hash: str, request: str) -> Recording | None:
        """The recording with this hash for the request with this key, from this web or another."""
        mine = self._recordings.get(recording_hash)
        if mine is not None:  # the recording may be cached without its request
            return replace(mine, request=request or mine.request)
        found = None
        if self._shared is not None:
            with suppress(StoreError):  # if the store is unavailable, the snippet runs again
                found = await self._shared.get(recording_hash)
        if found is None:
            return None
        recording = Recording(hash=recording_hash, request=request, format=FORMAT, trace=found[0])
        self._keep(recording, found[1], is_answer=False)
        return recording

    async def may_be_fetched(self, recording_hash: str) -> bool | None:
        """Whether the database allows access to the recording by its hash; None if the database is unavailable."""
        if self._shared is not None:
            with suppress(StoreError):
                return await self._shared.may_be_fetched(recording_hash)
        return None

    async def forget(self, recording_hash: str) -> None:
        """Forbid access to the recording by its hash, because a link to the recording was deleted. Raises StoreError."""
        if self._shared is not None:
            await self._shared.forget(recording_hash)

    async def _share(self, shared: RecentRows, recording: Recording, seconds: float) -> None:
        try:
            await shared.add(recording.hash, recording.trace, seconds, self._max_bytes)
        except StoreError as error:
            structlog.get_logger().warning("recording not shared", error=error.for_operators())

    def _keep(self, recording: Recording, seconds: float, *, is_answer: bool) -> None:
        self._seconds[recording.hash] = seconds
        self._recordings[recording.hash] = recording
        if is_answer:
            self._latest[recording.request] = recording.hash

    def _is_shared(self, recording: Recording, done: asyncio.Task[None]) -> None:
        self._sharing_bytes -= len(recording.trace)
        if self._sharing.get(recording.hash) is done:
            del self._sharing[recording.hash]
