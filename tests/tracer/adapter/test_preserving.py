"""Copies that replace saved tensors: their values, strides, exceptions and cleanup."""

from typing import Any

import pytest
import torch

from app.tracer import adapter


@pytest.mark.parametrize(
    "saved",
    [
        torch.arange(6.0).reshape(2, 3).t(),
        torch.arange(3.0).expand(2, 3),
        torch.arange(8.0)[1::2],
        torch.arange(10.0).as_strided((4, 3), (2, 1), 1),
        torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
        torch.empty(0, 3),
        torch.tensor(2.0),
        torch.ones(2, dtype=torch.cfloat).conj(),
        torch.eye(3).to_sparse(),
    ],
)
def test_a_copy_has_the_elements_and_the_strides(saved: torch.Tensor) -> None:
    x = torch.ones(saved.shape, dtype=saved.dtype, requires_grad=True)
    with adapter.preserved_saves():
        y = x * saved
    kept = y.grad_fn._saved_other  # type: ignore[union-attr]
    assert kept.to_dense().equal(saved.to_dense().resolve_conj())
    if saved.layout is torch.strided and not saved.is_conj():
        assert kept.stride() == saved.stride() and kept.shape == saved.shape
    assert adapter.is_copy(y.grad_fn._raw_saved_other)  # type: ignore[union-attr]


def test_the_gaps_of_a_column_are_not_copied() -> None:
    column = torch.zeros(1000, 1000)[:, 3]
    with adapter.preserved_saves():
        y = torch.ones(1000, requires_grad=True) * column
    assert y.grad_fn._saved_other.untyped_storage().nbytes() == 4000  # type: ignore[union-attr]


def test_a_backward_that_writes_what_it_unpacked_finds_it_unwritten_again() -> None:
    x = torch.ones(2, requires_grad=True)
    with adapter.preserved_saves():
        y = (x * 2).exp()
    y.grad_fn._saved_result.zero_()  # type: ignore[union-attr]
    assert y.grad_fn._saved_result.tolist() == y.tolist()  # type: ignore[union-attr]


def test_hooks_of_the_program_stay_and_are_alone_told_of() -> None:
    x = torch.ones(2, requires_grad=True)
    with adapter.preserved_saves():
        assert adapter.saved_tensors_hooks(True) is None
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
            assert adapter.saved_tensors_hooks(True) is not None
            y = x * x
    assert not adapter.is_copy(y.grad_fn._raw_saved_self)  # type: ignore[union-attr]


def test_nothing_stays_whatever_the_program_did_with_hooks() -> None:
    with adapter.preserved_saves():
        torch._C._autograd._pop_saved_tensors_default_hooks()
    with adapter.preserved_saves():
        torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor).__enter__()
    assert torch._C._autograd._top_saved_tensors_default_hooks(True) is None


@pytest.mark.parametrize(
    ("kept", "may_change"),
    [
        ({}, False),
        ({"a": 1, "b": "s", "c": (2.0, None, torch.float32, (torch.Size([2]),))}, False),
        ({"a": torch.ones(1)}, True),
        ({"a": (1, [2])}, True),
        ({"a": lambda: 1}, True),
        ({"a": tuple(range(2000))}, True),
    ],
)
def test_what_a_function_keeps(kept: dict[str, Any], may_change: bool) -> None:
    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            vars(ctx).update(kept)
            return x * 2

    node = Keeps.apply(torch.ones(2, requires_grad=True)).grad_fn  # type: ignore[no-untyped-call]
    assert adapter.keeps_mutable(node) == may_change
    assert not adapter.keeps_mutable((torch.ones(2, requires_grad=True) * 2).grad_fn)


def test_what_a_backward_names() -> None:
    def made(kept: Any) -> Any:
        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
                return x * 2

            @staticmethod
            def backward(ctx: Any, g: torch.Tensor) -> Any:
                return g * kept

        return Scale.apply(torch.ones(2, requires_grad=True)).grad_fn  # type: ignore[no-untyped-call]

    assert adapter.keeps_mutable(made(torch.ones(2)))
    assert not adapter.keeps_mutable(made(2.0))
