"""Overwrites freed memory. Python does not clear the memory of a freed object, and a run can read all memory that it inherits
from the zygote."""

import gc
import sys
from typing import Final

_SIZES: Final = range(48, 272, 16)
"""Sizes in bytes of the pymalloc blocks for the zygote's messages and strings. The zygote's numbers take blocks of 32 bytes,
or of 48 if json reads them from 19 decimal digits."""
_TAKEN_BYTES: Final = 64 << 10
"""Bytes of blocks to allocate of each size: several times the free memory after all imports."""
_DEPTH: Final = 64
_NUMBERS: Final = 512
"""Number of blocks of numbers to overwrite: three for each active run, and a dozen for each event."""

_HEADER_BYTES: Final = sys.getsizeof(b"")
_taken: list[object] = []


def take() -> None:
    """Allocate the free blocks of these sizes forever. Later objects of the zygote then reuse the same few blocks.

    Every second of the last blocks is freed again. pymalloc gives a pool without used blocks to another size, with its old
    content, so a pool that later objects reuse must keep a used block.
    """
    for size in _SIZES:
        _taken.extend(_bytes(size) for _ in range(_TAKEN_BYTES // size))
        _taken.extend([_bytes(size) for _ in range(2 * _NUMBERS)][::2])
    _taken.extend(_numbers(_TAKEN_BYTES // 32))
    _taken.extend([*_numbers(2 * _NUMBERS)][::2])


def overwrite_texts() -> None:
    """Overwrite the most recently freed blocks of the sizes of messages. pymalloc reuses these blocks first."""
    for size in _SIZES:
        [_bytes(size) for _ in range(_DEPTH)]


def overwrite_numbers() -> None:
    """Overwrite the most recently freed blocks of numbers."""
    gc.collect()  # empties the free lists of floats; the collection is quick, because all other objects are frozen
    list(_numbers(_NUMBERS))
    [_bytes(48) for _ in range(_NUMBERS)]


def _bytes(size: int) -> bytes:
    return bytes(size - _HEADER_BYTES)


def _numbers(count: int) -> range:
    """Integers of two internal digits, because such an integer fills its whole block."""
    return range(1 << 40, (1 << 40) + count)
