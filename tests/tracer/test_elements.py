"""Recorded elements equal the elements that torch reads from the same bytes, for every dtype."""

import math
import warnings
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.trace.dtypes import itemsize
from app.trace.records import Cells, Contents, Image, Summary, Unknown, Value
from app.tracer.tensors import elements, values

READ = sorted(name for name in elements.NUMPY if hasattr(torch, name))  # torch 2.14 adds bcomplex32
NAMES = sorted({str(dtype).removeprefix("torch.") for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)})
warnings.filterwarnings("ignore", "ComplexHalf support")
warnings.filterwarnings("ignore", "BComplex32 support")


def dtype_of(name: str) -> torch.dtype:
    dtype = getattr(torch, name)
    assert isinstance(dtype, torch.dtype)
    return dtype


def written(contents: Contents) -> Contents:
    """Encode contents as JSON and decode them again."""
    read: Contents = msgspec.json.decode(msgspec.json.encode(contents), type=Contents)
    return read


def bits(tensor: torch.Tensor) -> list[Any]:
    """Return each element as a string that distinguishes 0.0 from -0.0. All NaNs become equal."""
    if tensor.dtype.is_complex:
        return list(zip(bits(torch.view_as_real(tensor.to(wide(tensor.dtype)))[..., 0]), imaginary(tensor), strict=True))
    if tensor.dtype.is_floating_point:
        return [str(value) for value in tensor.to(wide(tensor.dtype)).reshape(-1).tolist()]
    return [str(value) for value in tensor.reshape(-1).tolist()]


def imaginary(tensor: torch.Tensor) -> list[Any]:
    return bits(torch.view_as_real(tensor.to(wide(tensor.dtype)))[..., 1])


def wide(dtype: torch.dtype) -> torch.dtype:
    """Return a dtype that represents all values of `dtype` exactly, and whose decimal strings a trace contains."""
    if dtype.is_complex:
        return torch.complex128 if dtype == torch.complex128 else torch.complex64
    return torch.float64 if dtype == torch.float64 else torch.float32


def read_back(value: Any, dtype: torch.dtype) -> Any:
    """Return a value of a trace in the format of `bits`."""
    if dtype.is_complex:
        return tuple(read_back(part, dtype.to_real()) for part in value)
    if dtype.is_floating_point:
        return str(torch.tensor(float(value), dtype=wide(dtype)).item())
    assert isinstance(value, int) is (abs(int(value)) <= 2**53), "the page reads numbers as float64"
    return str(value)


def assert_same(contents: Contents, tensor: torch.Tensor) -> None:
    cells = written(contents)
    assert isinstance(cells, Cells)
    assert [read_back(value, tensor.dtype) for value in cells.values] == bits(tensor)


@pytest.mark.parametrize("name", [name for name in READ if name.startswith("float8")])
def test_all_codes_of_8_bit_floats(name: str) -> None:
    codes = torch.arange(256).to(torch.uint8)
    assert_same(values.cells(bytes(range(256)), name), codes.view(dtype_of(name)))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_all_codes_of_16_bit_floats(name: str) -> None:
    codes = torch.arange(-(2**15), 2**15).to(torch.int16)
    assert_same(values.cells(codes.numpy().tobytes(), name), codes.view(dtype_of(name)))


EXTREMES: dict[str, list[Any]] = {
    "int64": [2**53, 2**53 + 1, -(2**53), -(2**53) - 1, 2**63 - 1, -(2**63)],
    "uint64": [2**64 - 1, 2**53, 2**53 + 1, 0],
    "float32": [1e-45, -1e-45, 3.4028235e38, -0.0, math.nan, math.inf, -math.inf, 0.1, 16777216.0],
    "float64": [5e-324, 1.7976931348623157e308, -0.0, math.nan, -math.inf, 0.1, 2.0**53 + 2],
    "complex64": [complex(0.1, -0.0), complex(math.nan, math.inf), complex(-0.0, 1e-45)],
    "complex128": [complex(0.1, -0.0), complex(math.nan, -math.inf), complex(5e-324, 1e300)],
    "bool": [True, False],
    "int8": [-128, 127],
    "uint32": [2**32 - 1],
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(name: str) -> None:
    tensor = torch.tensor(EXTREMES[name], dtype=dtype_of(name))
    assert_same(values.cells(tensor.numpy().tobytes(), name), tensor)


def test_every_nan_is_nan() -> None:
    payloads = torch.tensor([0x7F800001, 0x7FC00000, -1, 0x7FFFFFFF], dtype=torch.int32)
    cells = written(values.cells(payloads.numpy().tobytes(), "float32"))
    assert isinstance(cells, Cells) and cells.values == ["nan"] * 4


@st.composite
def looks(draw: st.DrawFn) -> torch.Tensor:
    """Generate a tensor of random bytes with random shape and strides. Its elements may overlap."""
    name = draw(st.sampled_from(READ))
    dtype = dtype_of(name)
    raw = draw(st.binary(min_size=16, max_size=16 * 24))
    storage = torch.frombuffer(bytearray(raw[: len(raw) // 16 * 16]), dtype=torch.uint8)
    if dtype == torch.bool:
        storage = storage % 2  # torch reads other bytes as either True or False, inconsistently
    flat = storage.view(dtype)
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    left, stride = flat.numel() - 1, []
    for size in shape:
        step = draw(st.integers(0, left // (size - 1) if size > 1 else left))
        stride.append(step)
        left -= max(0, size - 1) * step
    return flat.as_strided(shape, stride, draw(st.integers(0, left)))


def test_a_brain_complex_is_two_brain_floats() -> None:
    parts = torch.tensor([1.5, -2.0, math.inf, 0.1], dtype=torch.bfloat16)
    cells = written(values.cells(parts.view(torch.uint8).numpy().tobytes(), "bcomplex32"))
    assert isinstance(cells, Cells) and cells.values == [(1.5, -2.0), ("inf", 0.100097656)]


@given(looks())
def test_any_look_at_any_bytes(look: torch.Tensor) -> None:
    name = str(look.dtype).removeprefix("torch.")
    assert_same(values.strided(look.data_ptr(), name, tuple(look.shape), look.stride(), 256), look)
    if look.numel() > 4:
        shape = values.strided(look.data_ptr(), name, tuple(look.shape), look.stride(), 4)
        assert isinstance(shape, Summary) and shape.count == look.numel()


@given(looks())
def test_a_summary_tells_range_and_what_is_not_finite(look: torch.Tensor) -> None:
    name = str(look.dtype).removeprefix("torch.")
    if look.numel() < 2 or name == "uint64":  # torch cannot compare uint64
        return
    wider = look.to(torch.complex64) if name in ("complex32", "bcomplex32") else look
    numbers = (wider.abs() if wider.dtype.is_complex else wider).double()
    finite = numbers[numbers.isfinite()]
    shape = values.strided(look.data_ptr(), name, tuple(look.shape), look.stride(), 1)
    assert isinstance(shape, Summary)
    assert (shape.nan_count, shape.inf_count) == (int(numbers.isnan().sum()), int(numbers.isinf().sum()))
    for said, torch_says in ((shape.min, finite.min), (shape.max, finite.max)) if finite.numel() else ():
        if wider.dtype.is_complex:
            assert said == pytest.approx(float(torch_says()), rel=1e-5)
        elif wider.dtype.is_floating_point:
            assert said == (torch_says().item() if name == "float64" else float(str(np.float32(torch_says().item()))))
    if not (wider.dtype.is_complex or wider.dtype.is_floating_point):
        exact = [int(value) for value in look.reshape(-1).tolist()]
        least, most = (value if abs(value) <= values.EXACT else str(value) for value in (min(exact), max(exact)))
        assert (shape.min, shape.max) == (least, most)


@pytest.mark.parametrize(
    ("of", "least", "most", "mean"),
    [
        (torch.tensor([0.1, 1.23456789]), 0.1, 1.2345679, 0.66728395),
        (torch.tensor([0.1, 1.23456789], dtype=torch.float64), 0.1, 1.23456789, 0.667283945),
        (torch.tensor([16777217, 16777219, 3]), 3, 16777219, 33554439 / 3),
        (torch.tensor([2**62 + 1, -(2**62) - 1]), str(-(2**62) - 1), str(2**62 + 1), 0.0),
        (torch.tensor([True, False]), 0, 1, 0.5),
    ],
)
def test_a_summary_has_values_that_read_back(of: torch.Tensor, least: Value, most: Value, mean: float) -> None:
    shape = values.strided(of.data_ptr(), str(of.dtype).removeprefix("torch."), tuple(of.shape), of.stride(), 1)
    assert isinstance(shape, Summary)
    assert (shape.min, shape.max, shape.mean) == (least, most, mean)


@pytest.mark.filterwarnings("ignore:.*quantized tensor creation:UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_each_dtype_is_read_as_torch_reads_it_or_not_at_all(name: str) -> None:
    dtype = dtype_of(name)
    if itemsize(name) is not None:
        assert itemsize(name) == dtype.itemsize
    spelt = str(dtype).removeprefix("torch.")
    if spelt in READ:
        assert elements.itemsize(spelt) == dtype.itemsize
        return
    contents = written(values.cells(bytes(16), spelt))
    assert isinstance(contents, Unknown) and spelt in contents.reason
    with pytest.raises(RuntimeError):
        torch.empty(2, dtype=dtype).tolist()


@pytest.mark.parametrize(
    ("of", "mean"),
    [
        (torch.tensor([8e307, 1.6e308], dtype=torch.float64), 1.2e308),
        (torch.zeros(4, dtype=torch.complex32)[::2], 0.0),
        (torch.tensor([1e308 + 1e308j, 0], dtype=torch.complex128), 1e308 / 2**0.5),
    ],
)
def test_a_summary_warns_of_nothing(of: torch.Tensor, mean: float) -> None:
    shape = values.strided(of.data_ptr(), str(of.dtype).removeprefix("torch."), tuple(of.shape), of.stride(), 1)
    assert isinstance(shape, Summary)
    assert shape.mean == pytest.approx(mean)


def image_of(images: torch.Tensor) -> Image | None:
    storage = images.untyped_storage()
    seen = values.pixels(tuple(images.shape), images.stride(), int(images.storage_offset()))
    name = str(images.dtype).removeprefix("torch.")
    summary = values.summary(storage.data_ptr(), storage.nbytes(), name, seen)
    assert isinstance(summary, Summary) and (summary.min, summary.max) != (None, None)
    return summary.image


@pytest.mark.parametrize(
    ("images", "apart"),
    [
        (torch.rand(2, 3, 64, 40), 2),
        (torch.rand(1, 1, 28, 28, dtype=torch.bfloat16), 1),
        (torch.randint(0, 256, (4, 3, 33, 70), dtype=torch.uint8), 3),
        (torch.rand(1, 3, 32, 32).to(memory_format=torch.channels_last), 1),
        (torch.rand(5, 3, 80, 80)[2:, :, 8:24, 4:20], 1),
        (torch.rand(1, 3, 40, 40).masked_fill_(torch.rand(1, 3, 40, 40) > 0.9, torch.nan), 2),
    ],
)
def test_an_image_has_the_pixels_that_torch_reads(images: torch.Tensor, apart: int) -> None:
    image = image_of(images)
    assert image is not None and image.channels == images.shape[1]
    flat = torch.as_strided(images, (images.untyped_storage().nbytes() // images.itemsize,), (1,), 0).double()
    finite = flat[flat.isfinite()]
    pixels = images[0, :, ::apart, ::apart].permute(1, 2, 0).double()
    levels = ((pixels - finite.min()) / (finite.max() - finite.min()) * 254.5).floor()
    wanted = torch.where(pixels.isfinite(), levels, 255).to(torch.int64)
    given = torch.tensor([list(bytes.fromhex(row)) for row in image.rows]).reshape(wanted.shape)
    assert int((given - wanted).abs().max()) <= 1  # the recorder rounds the product differently than this test
    assert torch.equal(given == 255, pixels.isnan())


@pytest.mark.parametrize("shape", [(16, 3, 5, 5), (3, 64, 64), (1, 4, 32, 32), (0, 3, 32, 32), (1, 3, 8, 7)])
def test_other_shapes_are_no_images(shape: tuple[int, ...]) -> None:
    assert values.pixels(shape, torch.empty(shape).stride(), 0) is None


def test_a_shortened_storage_has_no_image() -> None:
    images = torch.rand(1, 3, 16, 16)
    images.untyped_storage().resize_(1024)
    assert image_of(images) is None
