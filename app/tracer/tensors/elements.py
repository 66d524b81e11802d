"""Converts the bytes of each dtype to numbers."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

NUMPY: dict[str, str] = {
    "float32": "<f4",
    "float64": "<f8",
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
    # These dtypes are read as codes, which `widen` converts to numbers.
    "float16": "<f2",
    "bfloat16": "<u2",
    "complex32": "<u4",
    "bcomplex32": "<u4",
    "float8_e4m3fn": "u1",
    "float8_e4m3fnuz": "u1",
    "float8_e5m2": "u1",
    "float8_e5m2fnuz": "u1",
    "float8_e8m0fnu": "u1",
}
"""The dtypes that are read, with the NumPy dtype for their bytes."""


itemsize: Callable[[str], int | None] = {dtype: np.dtype(code).itemsize for dtype, code in NUMPY.items()}.get
"""Bytes of one element; None for a dtype that is not read."""


def unread(dtype: str) -> str:
    """Return one sentence that explains why the elements of a dtype are not read."""
    if dtype.startswith(("quint", "qint")):
        return f"{dtype} holds integers. Their scale and zero point belong to the Tensor, not to the bytes."
    return f"{dtype} packs its elements, and torch has no way to read a single one."


def widen(array: Array, dtype: str) -> Array:
    """Return the elements as numbers that NumPy can process. Floats narrower than float32 become float32, exactly."""
    if dtype == "float16":
        return array.astype("<f4")
    if dtype == "bfloat16":
        return (array.astype("<u4") << 16).view("<f4")
    if dtype == "complex32":
        pairs: Array = np.ascontiguousarray(array).reshape(-1).view("<f2").astype("<f4").view("<c8")
        return pairs.reshape(array.shape)
    if dtype == "bcomplex32":  # two bfloat16, each the upper half of a float32
        parts = np.ascontiguousarray(array).reshape(-1).view("<u2").astype("<u4") << 16
        return parts.view("<c8").reshape(array.shape)
    return _float8(dtype)[array] if dtype.startswith("float8") else array


@cache
def _float8(dtype: str) -> Array:
    """Return the values of the 256 codes of an 8-bit float, in the formats of the Open Compute Project (fn) or Graphcore (fnuz)."""
    codes = np.arange(256)
    if dtype == "float8_e8m0fnu":  # only an exponent
        return np.asarray(np.where(codes == 255, np.nan, np.ldexp(1.0, codes - 127)), "<f4")
    bits = 3 if "e4m3" in dtype else 2
    bias = (7 if bits == 3 else 15) + dtype.endswith("fnuz")
    exponent, mantissa = (codes & 127) >> bits, codes & ((1 << bits) - 1)
    sizes = np.ldexp((mantissa + ((exponent > 0) << bits)).astype("<f4"), np.maximum(exponent, 1) - bias - bits)
    if dtype.endswith("fnuz"):  # the code of a negative zero is the only NaN
        sizes[128] = np.nan
    elif bits == 3:
        sizes[(codes & 127) == 127] = np.nan
    else:
        sizes[exponent == 31] = np.where(mantissa[exponent == 31] == 0, np.inf, np.nan)
    return np.asarray(np.where(codes < 128, sizes, -sizes), "<f4")
