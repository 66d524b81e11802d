"""A fingerprint changes if and only if the tensor's elements change. It is None for a layout that cannot be read."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from app.public.stepgrad.guarding.fingerprints import CHUNK, Sums, fingerprint, is_dense

SUMS = Sums(torch.device("cpu"))
"""The sums for devices, which run on any device."""


def by_sums(tensor: Tensor) -> int:
    """The sum of a tensor's words."""
    slot = SUMS.slot(tensor)
    assert slot is not None
    return int(SUMS._table[slot.index])


both = pytest.mark.parametrize("of", [fingerprint, by_sums])


def swap(flat: Tensor) -> None:
    """Exchange two elements."""
    flat[[1, 4]] = flat[[4, 1]]


def flip_signs(flat: Tensor) -> None:
    """Change the signs of two elements."""
    flat[[1, 3]] *= -1


def move(flat: Tensor) -> None:
    """Add to one element what is taken from another."""
    flat[1] += 1
    flat[2] -= 1


def move_in_a_grid(flat: Tensor) -> None:
    """Keep the sums of rows and columns of 4."""
    flat[[0, 5]] += 1
    flat[[1, 4]] -= 1


CHANGES = (swap, flip_signs, move, move_in_a_grid, lambda flat: flat.fill_(3), lambda flat: flat.copy_(flat.flip(0)))
DTYPES = (torch.float32, torch.float64, torch.int64, torch.float16, torch.bfloat16, torch.complex64, torch.int8)


@both
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_change_of_elements_is_seen(
    of: Callable[[Tensor], object], change: Callable[[Tensor], None], dtype: torch.dtype
) -> None:
    flat = torch.arange(1, 13).to(dtype)
    before = of(flat)
    assert of(flat.clone()) == before
    change(flat)
    assert of(flat) != before


@both
def test_the_chunks_of_a_large_tensor_have_an_order(of: Callable[[Tensor], object]) -> None:
    large = torch.zeros(CHUNK + 5, dtype=torch.int32)
    large[0] = 1
    moved = torch.zeros_like(large)
    moved[CHUNK] = 1
    assert of(large) != of(moved)


@both
@given(
    counts=st.lists(st.integers(0, 4), min_size=1, max_size=4),
    order=st.permutations(range(4)),
    steps=st.lists(st.integers(1, 2), min_size=4, max_size=4),
    expanded=st.booleans(),
)
def test_only_elements_that_the_tensor_reads_count(
    of: Callable[[Tensor], object], counts: list[int], order: list[int], steps: list[int], expanded: bool
) -> None:
    """Tested with views that have permuted dimensions, gaps and repeated elements."""
    base = torch.arange(1.0, torch.Size([2 * each + 1 for each in counts]).numel() + 1).view([2 * each + 1 for each in counts])
    is_read = torch.zeros_like(base, dtype=torch.bool)
    window = tuple(slice(1, 1 + count * step, step) for count, step in zip(counts, steps, strict=False))
    is_read[window] = True
    view = base[window].permute([each for each in order if each < len(counts)])
    if expanded:
        view = view.unsqueeze(0).expand(3, *view.shape)
    before = of(view)
    base[~is_read] += 1
    assert of(view) == before
    if view.numel():
        base[is_read] += 1
        assert of(view) != before


def test_dense_means_that_each_element_of_a_piece_is_read_once() -> None:
    assert is_dense((2, 3), (3, 1)) and is_dense((3, 2), (1, 3)) and is_dense((), ()) and is_dense((0, 3), (7, 9))
    assert is_dense((2, 1, 2), (2, 99, 1))
    assert not is_dense((2, 2), (3, 1)) and not is_dense((2, 2), (1, 1)) and not is_dense((3,), (0,))
    assert not is_dense((2, 2, 2), (1, 1, 5)), "the extent is 8, as that of a dense tensor"


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(3).view(torch.int32),
        torch.zeros(4, dtype=torch.float8_e4m3fn),
        torch.zeros(3, dtype=torch.uint16),
        torch.zeros((), dtype=torch.bool),
        torch.zeros(0, 3),
        torch.zeros(2, dtype=torch.complex64).conj(),
        torch.zeros(2, dtype=torch.complex64).conj().imag,
        torch.zeros(2, 3).expand(4, 2, 3),
    ],
    ids=str,
)
def test_every_strided_tensor_is_read(tensor: Tensor) -> None:
    assert fingerprint(tensor) is not None


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_a_quantized_tensor_is_read() -> None:
    assert fingerprint(torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.qint8)) is not None


@pytest.mark.parametrize(
    "tensor",
    [torch.eye(3).to_sparse(), torch.zeros(3, device="meta"), torch.zeros(3, 4).to_mkldnn()],
    ids=lambda tensor: f"{tensor.layout}-{tensor.device}",
)
def test_what_has_no_memory_of_its_own_is_not_read(tensor: Tensor) -> None:
    assert fingerprint(tensor) is None


@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_a_zero_tensor_of_forward_mode_has_no_memory(shape: tuple[int, ...]) -> None:
    zero = torch._efficientzerotensor(shape)
    assert zero.nbytes and fingerprint(zero) == 0 and fingerprint(zero.mT if zero.dim() > 1 else zero) == 0


def test_nothing_is_read_beyond_a_storage() -> None:
    for view in (torch.zeros(8), torch.zeros(8, 8).T, torch.zeros(8, 8)[:, ::2]):
        view.untyped_storage().resize_(4)
        assert fingerprint(view) is None


def test_a_slot_is_free_again_when_its_owner_dies() -> None:
    free = len(SUMS._free)
    slots = [SUMS.slot(torch.ones(3)) for _ in range(10)]
    assert len(SUMS._free) == free - 10
    first, second, other = slots[0], slots[1], SUMS.slot(torch.zeros(3))
    assert first is not None and second is not None and other is not None
    assert SUMS.differing([(first, second), (first, other)]) == [False, True]
    del slots, first, second, other
    assert len(SUMS._free) == free
