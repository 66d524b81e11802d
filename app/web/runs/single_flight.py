"""Runs a job once for all concurrent requests with the same key."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Results by key. A job is cancelled when no request waits for its result any more."""

    def __init__(self) -> None:
        self._working: dict[Hashable, tuple[asyncio.Future[T], list[object]]] = {}

    def is_working(self, key: Hashable) -> bool:
        """Whether a job with this key is already running."""
        return key in self._working

    async def result(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        """The result of the job with this key. Starts `work` unless the job is already running."""
        if key not in self._working:
            begun = asyncio.ensure_future(work())
            begun.add_done_callback(lambda done: self._over(key, done))
            self._working[key] = begun, []
        working, waiting = self._working[key]
        waiting.append(mine := object())
        try:
            return await asyncio.shield(working)
        finally:
            waiting.remove(mine)
            if not waiting and not working.done():
                working.cancel()
                self._working.pop(key, None)

    def _over(self, key: Hashable, done: asyncio.Future[T]) -> None:
        if key in self._working and self._working[key][0] is done:
            del self._working[key]
        if not done.cancelled():
            done.exception()  # marks the exception as retrieved, because the requests may be gone
