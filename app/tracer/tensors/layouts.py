"""Layouts of strided tensors: whether two tensors read a common byte, and fingerprints of their elements."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash
from numpy.exceptions import TooHardError

Array = npt.NDArray[Any]

Layout = tuple[tuple[int, ...], tuple[int, ...], int, int]
"""Shape, stride and storage_offset in elements, and the size of an element in bytes."""

MOST_WORK = 10_000
"""Limit for NumPy's search for a common byte of two layouts: 0.3 ms (measured)."""
_WORDS = {1: "u1", 2: "<u2", 4: "<u4", 8: "<u8", 16: "<c16"}
"""For each element size in bytes, a NumPy dtype that copies elements without interpreting them."""

memory_at: Callable[[int, int, int], memoryview] = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int
)(("PyMemoryView_FromMemory", ctypes.pythonapi))
"""`memory_at(address, nbytes, READ_ONLY)` returns a view of this process's memory, not a copy."""
READ_ONLY = 0x100


def layout_of(look: tuple[Any, ...]) -> Layout | None:
    """Return the layout of a strided tensor from its `adapter.Look`; None for other tensors."""
    _, dtype, shape, stride, first, _, _ = look
    return None if stride is None or first is None else (tuple(shape), tuple(stride), first, dtype.itemsize)


def extent_of(look: tuple[Any, ...]) -> tuple[int, int]:
    """Return the range of bytes [begin, end) from the first to the last element of a strided tensor with this look."""
    layout = layout_of(look)
    return (0, 0) if layout is None else _extent(layout)


def _extent(layout: Layout) -> tuple[int, int]:
    shape, stride, first, size = layout
    if 0 in shape:
        return 0, 0
    last = first
    for count, step in zip(shape, stride, strict=True):
        last += (count - 1) * step
    return first * size, (last + 1) * size


class _Placed:
    """Describes an array to NumPy by `__array_interface__`, at an arbitrary address. NumPy computes with the positions of the
    elements, but does not read them."""

    __slots__ = ("__array_interface__",)

    def __init__(self, layout: Layout, begin: int) -> None:
        shape, stride, first, size = layout
        self.__array_interface__ = {
            "version": 3,
            "typestr": f"|V{size}",
            "shape": shape,
            "strides": tuple([step * size for step in stride]),
            "data": (first * size - begin + 1, True),  # NumPy takes an address of 0 as NULL
        }


def overlap(one: Layout, other: Layout) -> bool:
    """Whether two tensors on one storage read a common byte; True if the comparison takes more than MOST_WORK."""
    (begin, end), (other_begin, other_end) = _extent(one), _extent(other)
    if begin >= other_end or other_begin >= end:
        return False
    start = min(begin, other_begin)
    try:
        return bool(np.shares_memory(_Placed(one, start), _Placed(other, start), max_work=MOST_WORK))  # type: ignore[arg-type]
    except TooHardError:
        return True


Fingerprint = tuple[tuple[int, ...], int, bytes]
"""Shape, size of an element in bytes, and the XXH3 hash of the elements in row-major order."""


def fingerprint(memory: bytes | memoryview, layout: Layout) -> Fingerprint | None:
    """Return the fingerprint of the elements that a tensor of this layout reads in the `memory` of its storage.

    None if the layout extends beyond the memory. Elements that `expand` repeats are read once, because they may be repeated any
    number of times.
    """
    shape, stride, first, size = layout
    counts = tuple([1 if step == 0 and count else count for count, step in zip(shape, stride, strict=True)])
    if 0 in counts:
        return shape, size, b""
    _, end = _extent(layout)
    if end > len(memory):
        return None
    steps = tuple([step * size for step in stride])
    elements: Array = np.ndarray(counts, _WORDS[size], memory, first * size, steps)
    return shape, size, xxhash.xxh3_128_digest(np.ascontiguousarray(elements).data)
