"""Overwrites what was freed: Python leaves in its memory what an object held, and a run can read all of its memory."""

import gc
import sys
from typing import Final

_SIZES: Final = range(48, 272, 16)
"""Bytes of the blocks that pymalloc gives out for what the zygote reads, says and formats. Its numbers take blocks of 32."""
_TAKEN_BYTES: Final = 64 << 10
"""Of each size: several times what is free after all imports."""
_DEPTH: Final = 64
_NUMBERS: Final = 512
"""Three for each run in flight, and a dozen for each event."""

_HEADER_BYTES: Final = sys.getsizeof(b"")
_taken: list[object] = []


def take() -> None:
    """Take the free blocks of these sizes for good: what the zygote makes from now on lies together, and is soon overwritten."""
    _taken.extend(_bytes(size) for size in _SIZES for _ in range(_TAKEN_BYTES // size))
    _taken.extend(_numbers(_TAKEN_BYTES // 32))


def overwrite_texts() -> None:
    """Overwrite the blocks that were freed last, of each size that a message has: pymalloc gives out those first."""
    for size in _SIZES:
        [_bytes(size) for _ in range(_DEPTH)]


def overwrite_numbers() -> None:
    """The same for the size of a number."""
    gc.collect()  # gives back what Python keeps of freed numbers in lists of its own; it is quick because the rest is frozen
    list(_numbers(_NUMBERS))


def _bytes(size: int) -> bytes:
    return bytes(size - _HEADER_BYTES)


def _numbers(count: int) -> range:
    """Ints of two digits, which fill their blocks."""
    return range(1 << 40, (1 << 40) + count)
