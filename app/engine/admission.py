"""Admission: how many runs go at once, how many may wait and for how long; everything else is refused at once."""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Refused(Exception):
    """There was no place for this run. The text is one sentence for the visitor.

    `retry_after` is the number of seconds after which a place is likely.
    """

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Admission:
    """A bounded number of places and a bounded queue in front of them, served in the order of arrival."""

    def __init__(self, places: int, queue_length: int, queue_seconds: float) -> None:
        self.places = places
        self.running = 0
        self.waiting = 0
        self._queue_length = queue_length
        self._queue_seconds = queue_seconds
        self._semaphore = asyncio.Semaphore(places)
        self._usual_seconds = 0.05
        """How long a place is held: a moving average, from which `retry_after` follows."""

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold one place. Raises Refused when the queue is full, or when none came free in time."""
        await self._acquire()
        self.running += 1
        began = time.monotonic()
        try:
            yield
        finally:
            self._usual_seconds += (time.monotonic() - began - self._usual_seconds) / 8
            self.running -= 1
            self._semaphore.release()

    async def _acquire(self) -> None:
        if self._semaphore.locked() and self.waiting >= self._queue_length:
            raise Refused(f"The queue is full: {self.waiting} runs are waiting already.", self._retry_after())
        self.waiting += 1
        try:
            async with asyncio.timeout(self._queue_seconds):
                await self._semaphore.acquire()
        except TimeoutError:
            message = f"No place came free within {self._queue_seconds:g} seconds."
            raise Refused(message, self._retry_after()) from None
        finally:
            self.waiting -= 1

    def _retry_after(self) -> int:
        return min(60, math.ceil((self.waiting + 1) / self.places * self._usual_seconds) + 1)
