"""Reads the elements of a tensor from its bytes, as values of the trace, without running a torch operator."""

import ctypes
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import orjson

from app.trace.records import Cells, Contents, Image, Record, Summary, Unknown, Value
from app.tracer.tensors.elements import NUMPY, itemsize, unread, widen
from app.tracer.tensors.layouts import READ_ONLY, memory_at

Array = npt.NDArray[Any]

SIDE = 32
"""Maximum number of evenly spaced rows and columns from which a Summary's histogram is computed."""
PICTURE = 16
"""Maximum number of elements per side of a Summary's picture."""
IMAGE = 32
"""Maximum number of pixels per side of an image."""
LEAST_SIDE = 8
"""Minimum number of pixels per side of a tensor that is shown as an image. Weights of convolutions are smaller."""
BINS = 16
"""Number of bins of a Summary's histogram."""
EXACT = 2**53
"""Integers beyond this are written as decimal strings, because JSON readers store numbers as float64."""
_AS_THEY_ARE = {
    dtype for dtype, code in NUMPY.items() if code[1:] in ("f4", "f8", "i2", "i4", "i8") or dtype in ("int8", "uint8")
}
"""The dtypes that NumPy can read and compare directly."""
SUMMARISED_ELEMENTS = 1 << 22
"""Maximum number of summarised elements (16 MiB of float32). A Summary of more elements would take longer than the operator
that wrote them."""

read_bytes: Callable[[int, int], bytes] = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t)(
    ("PyBytes_FromStringAndSize", ctypes.pythonapi)
)
"""`read_bytes(address, nbytes)` returns a copy of bytes of this process's memory. If `nbytes` is 0, it does not read `address`.

Not wrapped, because it is called for every list of every variable after every statement."""


def difference(before: bytes, after: bytes) -> tuple[int, int]:
    """Return the smallest range [begin, end) that contains all differences of two unequal byte strings of the same length."""
    unequal = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    return ((unequal & -unequal).bit_length() - 1) // 8, (unequal.bit_length() + 7) // 8


class _Written(Record, frozen=True, kw_only=True, tag_field="kind", tag="cells"):
    """`Cells` with values that are already JSON, which makes encoding them 10 times as fast (measured)."""

    dtype: str
    values: msgspec.Raw


@lru_cache(maxsize=64)  # a gradient passes along several edges unchanged, and ends in a `.grad`
def cells(raw: bytes, dtype: str) -> Contents:
    """Return Cells with every element of `raw`, read as `dtype`. An incomplete last element is left out."""
    size = itemsize(dtype)
    if size is None:
        return Unknown(reason=unread(dtype))
    return _cells(np.frombuffer(raw, _KINDS[dtype], len(raw) // size), dtype)


def wire_bytes(contents: object) -> int:
    """Return the approximate size of encoded Contents."""
    return memoryview(contents.values).nbytes if isinstance(contents, _Written) else 1024


class Pixels(NamedTuple):
    """The first image of a tensor (N, 1 or 3, H, W): channels, rows and columns, their strides, and an offset, in elements."""

    shape: tuple[int, int, int]
    stride: tuple[int, int, int]
    offset: int


def pixels(shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Pixels | None:
    """Return the first image of a tensor; None for another shape, and for images as small as the weight of a convolution."""
    if len(shape) != 4 or shape[0] == 0 or shape[1] not in (1, 3) or min(shape[2:]) < LEAST_SIDE:
        return None
    return Pixels(shape[1:], stride[1:], offset)  # type: ignore[arg-type]


def summary(address: int, nbytes: int, dtype: str, image: Pixels | None = None) -> Contents:
    """Return a Summary of `nbytes` bytes at `address`, read as `dtype`."""
    size = itemsize(dtype)
    if size is None:
        return Unknown(reason=unread(dtype))
    count = nbytes // size
    if count > SUMMARISED_ELEMENTS:
        return Unknown(reason=f"{count} elements are too many to summarise at every write.")
    flat = _in_place(address, (count,), (size,), dtype)
    rows = _folded(flat)
    whole = _summary(flat, rows[:: -(-rows.shape[0] // SIDE), :: -(-rows.shape[1] // SIDE)], dtype)
    return whole if image is None else msgspec.structs.replace(whole, image=_image(address, count, dtype, image, whole))


def strided(
    address: int,
    dtype: str,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    limit: int,
) -> Contents:
    """Return the elements of a tensor in row-major order. `address` is the address of the first element; `stride` counts
    elements.

    More than `limit` elements are summarised by range, mean and counts only, because there may be thousands of gradients.
    """
    size = itemsize(dtype)
    if size is None:
        return Unknown(reason=unread(dtype))
    count = math.prod(shape)
    if count == 0:
        return Cells(dtype=dtype, values=[])
    if count > SUMMARISED_ELEMENTS:
        return Unknown(reason=f"{count} elements are too many to summarise.")
    if count <= limit and (count == 1 or _is_contiguous(shape, stride)):
        return cells(read_bytes(address, count * size), dtype)
    array = _in_place(address, shape, tuple([step * size for step in stride]), dtype)
    if count <= limit:
        return _cells(array.reshape(-1), dtype)
    return _summary(array, None, dtype)


def _is_contiguous(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    expected = 1
    for size, step in zip(reversed(shape), reversed(stride), strict=True):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


_KINDS = {dtype: np.dtype(code) for dtype, code in NUMPY.items()}


def _in_place(address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: str) -> Array:
    """Return a view of this process's memory, which must be read immediately. `strides` count bytes."""
    kind = _KINDS[dtype]
    nbytes = kind.itemsize
    for size, step in zip(shape, strides, strict=True):
        nbytes += (size - 1) * step
    return np.ndarray(shape, kind, memory_at(address, nbytes, READ_ONLY), 0, strides)


def _cells(flat: Array, dtype: str) -> Contents:
    """Return Cells. orjson writes a float as the shortest decimal that reads back as the same float32 or float64."""
    if dtype not in _AS_THEY_ARE:
        flat = widen(flat, dtype)
    if not flat.flags.c_contiguous:
        flat = np.ascontiguousarray(flat)
    kind = flat.dtype.kind
    if kind == "c" or (kind in "iu" and flat.itemsize == 8 and not _is_exact(flat)):
        return Cells(dtype=dtype, values=_values(flat))
    written = orjson.dumps(flat, option=orjson.OPT_SERIALIZE_NUMPY)
    if kind == "f" and b"null" in written:
        between = written.split(b"null")
        words = [f'"{_nonfinite(value)}"'.encode() for value in flat[~np.isfinite(flat)]]
        written = b"".join(part for pair in zip(between, [*words, b""], strict=True) for part in pair)
    return _Written(dtype=dtype, values=msgspec.Raw(written))  # type: ignore[return-value]


def _is_exact(flat: Array) -> bool:
    return flat.size == 0 or bool(int(flat.min()) >= -EXACT and int(flat.max()) <= EXACT)


def _values(array: Array) -> list[Value]:
    kind = array.dtype.kind
    if kind in "iu":
        return [_integer(value) for value in array.tolist()]
    return [(_real(real), _real(imag)) for real, imag in zip(array.real, array.imag, strict=True)]


def _integer(value: int) -> Value:
    return value if -EXACT <= value <= EXACT else str(value)


def _real(value: Any) -> float | str:
    return float(str(value)) if math.isfinite(value) else _nonfinite(value)


def _nonfinite(value: Any) -> str:
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


@np.errstate(all="ignore")
def _summary(array: Array, sample: Array | None, dtype: str) -> Summary:
    """Summarise all elements by range, mean and counts, and a two-dimensional sample by histogram and picture."""
    array = _ordered(array, dtype)
    low, high = np.minimum.reduce(array, axis=None), np.maximum.reduce(array, axis=None)
    finite, nan_count, inf_count = array, 0, 0
    if not (math.isfinite(low) and math.isfinite(high)):  # minimum and maximum propagate NaN and infinity
        finite = array[np.isfinite(array)]
        nan_count = int(np.isnan(array).sum())
        inf_count = array.size - finite.size - nan_count
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    if finite.size == 0:
        numbers: tuple[Value, ...] = ()
    else:
        mean = float(np.add.reduce(finite, axis=None, dtype=np.float64)) / finite.size
        if not math.isfinite(mean):  # the sum overflows
            mean = float(np.add.reduce(finite / finite.size, axis=None, dtype=np.float64))
        numbers = _numbers(low, high, mean, array.dtype)
    shares = (
        None if not numbers or sample is None else _shares(_ordered(sample, dtype), float(low), float(high), finite is array)
    )
    return Summary(
        dtype=dtype,
        count=array.size,
        min=numbers[0] if numbers else None,
        max=numbers[1] if numbers else None,
        mean=numbers[2] if numbers else None,
        nan_count=nan_count,
        inf_count=inf_count,
        histogram=[] if shares is None else _histogram(shares, finite is array),
        picture=[] if shares is None else _picture(shares),
    )


def _numbers(low: Any, high: Any, mean: float, kind: np.dtype[Any]) -> tuple[Value, ...]:
    """Return minimum, maximum and mean in a form that reads back as the same values."""
    if kind.kind in "iu":
        return _integer(int(low)), _integer(int(high)), _real(mean)
    if kind.itemsize == 8:
        return float(low), float(high), _real(mean)
    # All three numbers are converted at once, because three conversions take a sixth of a summary's time (measured).
    written = orjson.dumps(np.array((low, high, mean), np.float32), option=orjson.OPT_SERIALIZE_NUMPY)
    return tuple(orjson.loads(written))


def _ordered(array: Array, dtype: str) -> Array:
    """Return real numbers: the magnitudes of complex elements, 0 and 1 for bools."""
    if dtype in _AS_THEY_ARE:
        return array
    array = widen(array, dtype)
    if array.dtype.kind == "c":
        magnitudes: Array = np.abs(array)
        return magnitudes
    return array.view("u1") if array.dtype.kind == "b" else array


def _shares(rows: Array, low: float, high: float, all_finite: bool) -> Array | None:
    """Return the position of each element between min (0) and max (1); 2 if the element is not finite. None if the range
    overflows."""
    width = high - low
    if not math.isfinite(width):
        return None
    if not all_finite:
        outside = ~np.isfinite(rows)
        rows = np.where(outside, low, rows)
    shares: Array = np.subtract(rows, low, dtype=np.float64)
    shares *= 1 / width if width > 1e-300 else 0.0
    if not all_finite:
        shares[outside] = 2.0
    return shares


def _histogram(shares: Array, all_finite: bool) -> list[int]:
    """Return the numbers of elements in bins of equal width from min to max."""
    flat = shares.reshape(-1)
    places = flat * BINS
    np.minimum(places, BINS - 1, out=places)
    if not all_finite:
        places += flat == 2.0
    counts: list[int] = np.bincount(places.astype(np.intp), minlength=BINS)[:BINS].tolist()
    return counts


def _picture(shares: Array) -> list[str]:
    """Return a string per row with two hexadecimal digits per element: 00 to fe for min to max, ff for NaN and infinity."""
    tiles = shares[:: -(-shares.shape[0] // PICTURE), :: -(-shares.shape[1] // PICTURE)]
    scaled = tiles * 254.5
    levels = np.minimum(scaled, 255, out=scaled).astype(np.uint8).tobytes().hex()
    digits = 2 * tiles.shape[1]
    return [levels[start : start + digits] for start in range(0, len(levels), digits)]


def _image(address: int, count: int, dtype: str, image: Pixels, whole: Summary) -> Image | None:
    """Return evenly spaced pixels; None if the storage is shorter than the tensor, or if the range of the values is unknown."""
    size = _KINDS[dtype].itemsize
    last = image.offset + sum((length - 1) * step for length, step in zip(image.shape, image.stride, strict=True))
    low, high = whole.min, whole.max
    if last >= count or not (isinstance(low, int | float) and isinstance(high, int | float)):
        return None
    array = _in_place(address + image.offset * size, image.shape, tuple(step * size for step in image.stride), dtype)
    apart = -(-max(image.shape[1:]) // IMAGE)
    sample = _ordered(array[:, ::apart, ::apart].transpose(1, 2, 0), dtype)
    shares = _shares(sample, low, high, whole.nan_count + whole.inf_count == 0)
    if shares is None:
        return None
    rows = np.minimum(shares * 254.5, 255).astype(np.uint8)
    return Image(channels=image.shape[0], rows=[row.tobytes().hex() for row in rows])


def _folded(flat: Array) -> Array:
    """Reshape a flat storage to an approximate square, without the incomplete last row."""
    width = math.isqrt(flat.size)
    return flat[: flat.size // width * width].reshape(-1, width)
