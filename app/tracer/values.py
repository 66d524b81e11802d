"""Reads the elements of a tensor from its bytes, as values of the trace, without running a torch operator."""

import ctypes
import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from app.trace.records import Cells, Contents, Summary, Unknown, Value

Array = npt.NDArray[Any]

PICTURE = 16
"""Tiles per side of a Summary's picture, at most."""
BINS = 16
"""Bars of a Summary's histogram."""
EXACT = 2**53
"""Integers beyond it are written as decimal strings: JSON readers hold doubles."""
SUMMARISED_ELEMENTS = 1 << 22
"""Above it (16 MiB of float32) a Summary would cost more than the operator that wrote the bytes."""

_NUMPY: dict[str, str] = {
    "float32": "<f4",
    "float64": "<f8",
    "float16": "<f2",
    "bfloat16": "<u2",  # widened by hand below: numpy has no bfloat16
    "int8": "i1",
    "uint8": "u1",
    "int16": "<i2",
    "uint16": "<u2",
    "int32": "<i4",
    "uint32": "<u4",
    "int64": "<i8",
    "uint64": "<u8",
    "bool": "?",
    "complex64": "<c8",
    "complex128": "<c16",
}


def itemsize(dtype: str) -> int | None:
    """Bytes of one element, or None for a dtype whose cells are not read (float8, quantised, sub-byte)."""
    code = _NUMPY.get(dtype)
    return None if code is None else np.dtype(code).itemsize


def read_bytes(address: int, nbytes: int) -> bytes:
    """A copy of `nbytes` bytes of this process's memory at `address`."""
    return ctypes.string_at(address, nbytes) if nbytes else b""


Layout = tuple[tuple[int, ...], tuple[int, ...], int, int]
"""Shape, stride and storage_offset in elements, and the bytes of one element."""


def differ(before: bytes, layout_before: Layout, after: bytes, layout_after: Layout) -> bool:
    """Whether the elements looked at have other bytes, or are others."""
    try:
        return not np.array_equal(_elements(before, layout_before), _elements(after, layout_after))
    except TypeError:  # beyond the end of its bytes
        return True


def _elements(raw: bytes, layout: Layout) -> Array:
    shape, stride, first, size = layout
    steps = (*(step * size for step in stride), 1)
    return np.ndarray((*shape, size), "u1", raw or b"\0", first * size if raw else 0, steps)


@lru_cache(maxsize=64)  # a gradient passes along several edges as it is, and ends in a `.grad`
def cells(raw: bytes, dtype: str) -> Contents:
    """Every element of `raw`, read as `dtype`; a rest too short for an element is left out."""
    size = itemsize(dtype)
    if size is None:
        return Unknown(reason=f"Cells of {dtype} are not read.")
    array = np.frombuffer(raw[: len(raw) // size * size], dtype=_NUMPY[dtype])
    return Cells(dtype=dtype, values=_values(_widen(array, dtype)))


def summary(address: int, nbytes: int, dtype: str) -> Contents:
    """The shape of `nbytes` bytes at `address` read as `dtype`: range, mean, histogram and a coarse picture."""
    size = itemsize(dtype)
    if size is None:
        return Unknown(reason=f"Values of {dtype} are not read.")
    count = nbytes // size
    if count > SUMMARISED_ELEMENTS:
        return Unknown(reason=f"{count} elements are too many to summarise at every write.")
    return _summary(_widen(_in_place(address, count * size, dtype), dtype), dtype)


def strided(
    address: int,
    dtype: str,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    limit: int,
) -> Contents:
    """The elements a tensor looks at, row-major; `address` is that of its first element, `stride` counts elements.

    At most `limit` elements are kept one by one; more are summarised.
    """
    size = itemsize(dtype)
    if size is None:
        return Unknown(reason=f"Values of {dtype} are not read.")
    count = int(np.prod(shape, dtype=np.int64)) if shape else 1
    if count == 0:
        return Cells(dtype=dtype, values=[])
    if count > SUMMARISED_ELEMENTS:
        return Unknown(reason=f"{count} elements are too many to summarise.")
    if count <= limit and (count == 1 or _is_contiguous(shape, stride)):
        return cells(read_bytes(address, count * size), dtype)
    span = 1 + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))
    flat = _in_place(address, span * size, dtype)
    view = np.lib.stride_tricks.as_strided(flat, shape, [s * size for s in stride], writeable=False)
    array = _widen(view, dtype)
    if count <= limit:
        return Cells(dtype=dtype, values=_values(array.reshape(-1)))
    return _summary(array, dtype)


def _is_contiguous(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    expected = 1
    for size, step in zip(reversed(shape), reversed(stride), strict=True):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


def _in_place(address: int, nbytes: int, dtype: str) -> Array:
    """This process's memory itself, not a copy: to be read at once."""
    memory: Any = (ctypes.c_char * nbytes).from_address(address)
    array: Array = np.frombuffer(memory, dtype=_NUMPY[dtype])
    return array


def _widen(array: Array, dtype: str) -> Array:
    if dtype == "bfloat16":
        return (array.astype("<u4") << 16).view("<f4")
    return array


def _values(array: Array) -> list[Value]:
    kind = array.dtype.kind
    if kind == "b":
        return [bool(value) for value in array.tolist()]
    if kind in "iu":
        return [value if -EXACT <= value <= EXACT else str(value) for value in array.tolist()]
    if kind == "c":
        return [(_real(real), _real(imag)) for real, imag in zip(array.real, array.imag, strict=True)]
    # The shortest decimal that reads back as the same value in its own dtype: `str` of a numpy scalar gives it.
    numbers: list[float] = array.tolist() if array.dtype == np.float64 else list(map(float, map(str, array)))
    if all(map(math.isfinite, numbers)):
        return list(numbers)
    return [value if math.isfinite(value) else _nonfinite(value) for value in numbers]


def _real(value: Any) -> float | str:
    return float(str(value)) if math.isfinite(value) else _nonfinite(value)


def _nonfinite(value: Any) -> str:
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _summary(array: Array, dtype: str) -> Summary:
    if array.dtype.kind == "c":
        array = np.abs(array)
    numbers, finite = array, array
    if array.size and not np.isfinite(float(array.max()) - float(array.min())):  # a NaN or an infinity shows in one of them
        numbers = array.astype(np.float64)
        finite = numbers[np.isfinite(numbers)]
    none = finite.size == 0
    low, high = (0.0, 0.0) if none else (float(finite.min()), float(finite.max()))
    with np.errstate(over="ignore", invalid="ignore"):
        mean = None if none else _json(float(finite.mean(dtype=np.float64)))
    nan_count = 0 if finite is array else int(np.isnan(numbers).sum())
    return Summary(
        dtype=dtype,
        count=int(array.size),
        min=None if none else _json(low),
        max=None if none else _json(high),
        mean=mean,
        nan_count=nan_count,
        inf_count=int(array.size) - int(finite.size) - nan_count,
        histogram=[] if none else _histogram(finite, low, high),
        picture=_picture(numbers),
    )


def _histogram(finite: Array, low: float, high: float) -> list[int]:
    """Counts in equal-width bins. None of them for a range too wide for a double; all in one when there is no range."""
    if not np.isfinite(high - low):
        return []
    if low == high:
        return [finite.size if index == BINS // 2 else 0 for index in range(BINS)]
    kind = np.float32 if finite.dtype == np.float32 and 1e-30 < high - low < 1e30 else np.float64
    places = np.subtract(finite, low, dtype=kind)
    places *= BINS / (high - low)
    counts = np.bincount(places.reshape(-1).astype(np.intp), minlength=BINS)
    counts[BINS - 1] += counts[BINS:].sum()  # the largest value belongs to the last bin
    return [int(count) for count in counts[:BINS]]


def _json(value: float) -> Value:
    return float(f"{value:.6g}") if math.isfinite(value) else _nonfinite(value)


def _picture(numbers: Array) -> list[list[Value]]:
    """Means over a grid of tiles: the last dimension across, all others down."""
    rows = numbers.reshape(-1, numbers.shape[-1]) if numbers.ndim > 1 else _folded(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        (across, widths), (along, heights) = _tiles(rows.shape[1]), _tiles(rows.shape[0])
        down = np.add.reduceat(rows, along, axis=0, dtype=np.float64)
        means = np.add.reduceat(down, across, axis=1) / np.outer(heights, widths)
    return _rounded(means)


def _rounded(means: Array) -> list[list[Value]]:
    """To six digits: all at once where they are of usual size, which is what makes a picture cheap."""
    sizes = np.abs(means)
    if not ((sizes == 0) | ((sizes > 1e-12) & (sizes < 1e12))).all():
        return [[_json(value) for value in row] for row in means.tolist()]
    digits = 5 - np.floor(np.log10(np.where(sizes == 0, 1.0, sizes)))
    up, down = 10.0 ** np.maximum(digits, 0), 10.0 ** np.maximum(-digits, 0)
    rounded: list[list[Value]] = (np.rint(means * up / down) / up * down).tolist()
    return rounded


def _folded(numbers: Array) -> Array:
    """A flat storage has no shape of its own: fold it to about square, and leave an incomplete last row out."""
    width = max(1, int(np.sqrt(numbers.size)))
    return numbers[: numbers.size // width * width].reshape(-1, width)


@lru_cache(maxsize=64)
def _tiles(length: int) -> tuple[Array, Array]:
    """Where each tile of a side of this length begins, and how long it is."""
    count = min(PICTURE, length)
    begins = np.arange(count) * length // count
    return begins, np.diff(np.append(begins, length))
