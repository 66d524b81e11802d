"""Returns memory to the system after large recordings."""

import asyncio
import ctypes
import gc
import time
from typing import Final

from app.web.runs.documents import run_in_thread

ARENAS: Final = 2
OWN_BYTES: Final = 1 << 20
ALL_SECONDS: Final = 20.0
"""Interval of full collections: with seven long runs in progress one took 0.2 s, measured."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8


def give_back_what_is_freed() -> None:
    """Make malloc map large blocks separately, so that freeing them returns the memory. Call it once, at the start.

    glibc otherwise raises its threshold to the largest block that was ever freed, and keeps the next ones in between small ones:
    120 MB for a recording of 24 MB, as measured. Where there is no mallopt, nothing is lost but that.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        for option, value in ((_M_MMAP_THRESHOLD, OWN_BYTES), (_M_TRIM_THRESHOLD, OWN_BYTES), (_M_ARENA_MAX, ARENAS)):
            libc.mallopt(ctypes.c_int(option), ctypes.c_int(value))


class _Searching:
    """Runs the cycle collector. Survivors belong to large work, too (`app.sandbox.recording`), and are frozen."""

    def __init__(self) -> None:
        self.all_due = 0.0
        """Time of the next or last full collection, by monotonic()."""

    def search(self) -> None:
        """Collect objects that are not frozen."""
        gc.collect()
        gc.freeze()

    def search_all(self) -> None:
        """Collect all objects. This blocks the process for 0.1 s or more."""
        gc.unfreeze()
        self.search()

    def search_all_later(self) -> None:
        """Once for all large work within ALL_SECONDS."""
        if time.monotonic() >= self.all_due:
            self.all_due = time.monotonic() + ALL_SECONDS
            loop = asyncio.get_running_loop()
            loop.call_later(ALL_SECONDS, loop.run_in_executor, None, self.search_all)


_searching: Final = _Searching()


async def forget() -> None:
    """After large work: trim the heap and collect cycles; frozen objects a little later."""
    _searching.search_all_later()
    await run_in_thread(True, _searching.search)
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        await run_in_thread(True, lambda: libc.malloc_trim(ctypes.c_size_t(0)))
