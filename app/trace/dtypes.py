"""The element sizes of dtypes in bytes, without importing torch."""

from typing import Final

_NAMES_BY_SIZE: Final = {
    1: "bool uint8 int8 qint8 quint8 quint4x2 quint2x4 bits8 bits1x8 bits2x4 bits4x2 float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
    "float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 "
    "int1 int2 int3 int4 int5 int6 int7 uint1 uint2 uint3 uint4 uint5 uint6 uint7",
    2: "float16 half bfloat16 int16 short uint16 bits16",
    4: "float32 float int32 int uint32 qint32 complex32 chalf bcomplex32",
    8: "float64 double int64 long uint64 complex64 cfloat",
    16: "complex128 cdouble",
}
_SIZES: Final = {name: size for size, names in _NAMES_BY_SIZE.items() for name in names.split()}


def itemsize(dtype: str) -> int | None:
    """Return the bytes per element, like `torch.dtype.itemsize`; None for an unknown dtype.

    The name may begin with "torch.".
    """
    return _SIZES.get(dtype.removeprefix("torch."))
