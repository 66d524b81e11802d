"""Overlap of strided layouts, and fingerprints of the bytes that a layout covers."""

import random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.tracer import adapter
from app.tracer.tensors.layouts import READ_ONLY, Layout, extent_of, fingerprint, layout_of, memory_at, overlap


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    dims = draw(st.integers(0, 4))
    numbers = st.lists(st.integers(0, 5), min_size=dims, max_size=dims)
    return tuple(draw(numbers)), tuple(draw(numbers)), draw(st.integers(0, 9)), draw(st.sampled_from([1, 2, 4, 8, 16]))


def bytes_of(layout: Layout) -> list[int]:
    """Return the offset of every byte of every element, in row-major order."""
    shape, stride, first, size = layout
    places = [first]
    for count, step in zip(shape, stride, strict=True):
        places = [place + index * step for place in places for index in range(count)]
    return [place * size + byte for place in places for byte in range(size)]


@given(layouts(), layouts())
def test_an_overlap_is_a_common_byte(one: Layout, other: Layout) -> None:
    assert overlap(one, other) == bool(set(bytes_of(one)) & set(bytes_of(other)))


def test_a_million_rows_beside_a_million_rows() -> None:
    assert not overlap(((10**6, 8), (32, 1), 0, 4), ((10**6, 24), (32, 1), 8, 4))
    assert overlap(((10**6, 8), (32, 1), 0, 4), ((10**6, 25), (32, 1), 7, 4))


@given(layouts(), st.randoms(use_true_random=False))
def test_a_fingerprint_sees_each_byte_that_is_read_and_no_other(layout: Layout, chance: random.Random) -> None:
    read = set(bytes_of(layout))
    memory = bytearray(chance.randbytes(max(read, default=0) + 17))
    before = fingerprint(bytes(memory), layout)
    assert before is not None
    place = chance.randrange(len(memory))
    memory[place] ^= 1 << chance.randrange(8)
    assert (fingerprint(bytes(memory), layout) != before) == (place in read)


def test_a_fingerprint_reads_repeated_elements_once() -> None:
    layout = (2**40, 2), (0, 1), 0, 4
    assert fingerprint(bytes(8), layout) == fingerprint(bytes(9), layout)
    assert fingerprint(bytes(8), layout) != fingerprint(bytes(7) + b"\1", layout)
    assert fingerprint(bytes(8), layout) != fingerprint(bytes(8), ((2**40, 1), (0, 1), 0, 4))


def test_what_lies_beyond_the_end_has_no_fingerprint() -> None:
    assert fingerprint(bytes(8), ((3,), (1,), 0, 4)) is None
    assert fingerprint(b"", ((0, 3), (3, 1), 0, 4)) == ((0, 3), 4, b"")


CHANGES = {
    "a swap": lambda x: x.index_copy_(0, torch.tensor([0, 1]), x[[1, 0]]),
    "flip": lambda x: x.copy_(x.flip(0)),
    "ones that become zeros": lambda x: x.zero_(),
    "one element": lambda x: x[-1].mul_(2),
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int8, torch.complex64, torch.complex128])
def test_the_sum_for_other_devices_sees_what_the_hash_sees(how: str, dtype: torch.dtype) -> None:
    """Fingerprints on a GPU use a sum instead of a hash. This test computes the sum on the CPU."""
    x = torch.ones(12, 10).to(dtype)
    x[0], x[1] = 2, 3
    view = x[:, 3:]
    layout = layout_of(adapter.look_of(view))
    assert layout is not None
    before = both(view, layout)
    x[:, :3] = 0
    assert both(view, layout) == before
    CHANGES[how](view)
    assert all(one != other for one, other in zip(both(view, layout), before, strict=True))


def both(view: torch.Tensor, layout: Layout) -> list[Any]:
    storage = view.untyped_storage()
    memory = memory_at(storage.data_ptr(), storage.nbytes(), READ_ONLY)
    return [fingerprint(memory, layout), adapter.device_fingerprint(storage, layout)]


def test_the_extent_of_what_has_no_strides_is_empty() -> None:
    assert extent_of(adapter.look_of(torch.eye(3).to_sparse())) == (0, 0)
