"""What this process gives back of the memory that large recordings took."""

import ctypes
import gc
from typing import Final

from app.web.documents import run_in_thread

ARENAS: Final = 2
OWN_BYTES: Final = 1 << 20
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8


def give_back_what_is_freed() -> None:
    """Let malloc map each large block by itself, so that freeing it gives it back. Call it once, at the start.

    glibc otherwise raises its threshold to the largest block that was ever freed, and keeps the next ones in between small ones:
    120 MB for a recording of 24 MB, as measured. Where there is no mallopt, nothing is lost but that.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        for option, value in ((_M_MMAP_THRESHOLD, OWN_BYTES), (_M_TRIM_THRESHOLD, OWN_BYTES), (_M_ARENA_MAX, ARENAS)):
            libc.mallopt(ctypes.c_int(option), ctypes.c_int(value))


async def forget() -> None:
    """After large work: find what refers to itself, and give back what lies between."""
    await run_in_thread(True, _collect)
    libc = ctypes.CDLL(None)
    if hasattr(libc, "malloc_trim"):
        await run_in_thread(True, lambda: libc.malloc_trim(ctypes.c_size_t(0)))


def _collect() -> None:
    """What is still there was large work, too (`app.sandbox.recording`): no search walks it until the next of these."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
