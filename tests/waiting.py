"""Waits for conditions without an event: polls every 20 ms, with a timeout."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from tests.sandbox.processes import PATIENCE

LOOK_SECONDS = 0.02

T = TypeVar("T")


async def until(look: Callable[[], T]) -> T:
    """What `look` gives as soon as it is true. Raises TimeoutError after PATIENCE seconds."""
    async with asyncio.timeout(PATIENCE):
        while not (found := look()):  # noqa: ASYNC110 - the kernel and other processes send no event
            await asyncio.sleep(LOOK_SECONDS)
    return found


def wait_until(look: Callable[[], T], seen: Callable[[], object] = lambda: None) -> T:
    """The same without an event loop. Raises AssertionError with the last value `seen`."""
    give_up = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < give_up, seen()
        time.sleep(LOOK_SECONDS)  # noqa: TID251 - what all others use
    return found
