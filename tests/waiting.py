"""Wait until a condition becomes true, by checking it every 20 ms."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from tests.sandbox.processes import PATIENCE

LOOK_SECONDS = 0.02
SOON = 10
"""A timeout in seconds for conditions within this process. Other processes get PATIENCE: on two cores that run three test
processes, starting a process with torch takes 30 s.
"""

T = TypeVar("T")


async def until(look: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Wait until `look` returns a true value, and return it. Raises TimeoutError after `seconds`."""
    async with asyncio.timeout(seconds):
        while not (found := look()):  # noqa: ASYNC110 - the kernel and other processes send no event
            await asyncio.sleep(LOOK_SECONDS)
    return found


async def soon(look: Callable[[], T]) -> T:
    """Like `until`, for conditions within this process."""
    return await until(look, SOON)


def wait_until(look: Callable[[], T], seen: Callable[[], object] = lambda: None) -> T:
    """Like `until`, without an event loop. Raises AssertionError with the result of `seen`."""
    give_up = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < give_up, seen()
        time.sleep(LOOK_SECONDS)  # noqa: TID251 - the only sleep, which all other tests use
    return found
