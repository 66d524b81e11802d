"""Read autograd Nodes and their saved tensors, and compare them with the attributes of torch's Nodes."""

from typing import Any

import pytest
import torch

from app.tracer import adapter
from tests.tracer.adapter.seen import leaf


def test_saved_tensors_hooks() -> None:
    assert adapter.saved_tensors_hooks(False) is None and adapter.saved_tensors_hooks_allowed()
    with torch.autograd.graph.saved_tensors_hooks(pack := lambda x: x, lambda x: x):
        assert adapter.saved_tensors_hooks(False)[0] is pack
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        assert not adapter.saved_tensors_hooks_allowed()
    assert adapter.saved_tensors_hooks(False) is None and adapter.saved_tensors_hooks_allowed()


def test_raw_saved() -> None:
    x = leaf()
    node: Any = (x * x).grad_fn
    assert sorted((slot, saved.data is x) for slot, saved in adapter.raw_saved(node)) == [("other", True), ("self", True)]
    assert list(adapter.raw_saved((x + 1).grad_fn)) == []


def test_raw_saved_does_not_mind_what_is_stale() -> None:
    y = leaf().exp()
    y.add_(1)
    node: Any = y.grad_fn.next_functions[0][0]  # type: ignore[union-attr]
    assert [slot for slot, _ in adapter.raw_saved(node)] == ["result"]


def test_raw_saved_of_lists() -> None:
    x, index = leaf(), torch.tensor([0])
    slots = [slot for slot, _ in adapter.raw_saved(x[index, index].grad_fn)]
    assert slots == ["indices[0]", "indices[1]"]


def test_raw_saved_after_release() -> None:
    y = leaf().exp()
    z = leaf()[torch.tensor([0])]
    (y.sum() + z.sum()).backward()  # type: ignore[no-untyped-call]
    assert [saved.data for _, saved in adapter.raw_saved(y.grad_fn)] == [None]
    with pytest.raises(RuntimeError, match="freed"):
        list(adapter.raw_saved(z.grad_fn))


def test_is_refused() -> None:
    y = leaf().exp()
    node = y.grad_fn
    assert not adapter.is_refused(node, "result")
    y.detach().add_(1)
    assert adapter.is_refused(node, "result")
    x = torch.ones(2, requires_grad=True).clone()
    x.mul_(x)
    assert adapter.is_refused(x.grad_fn, "other")


def test_gradient_root() -> None:
    x = leaf()
    y = x * 2
    assert adapter.gradient_root(y) is y.grad_fn
    assert adapter.gradient_root(x).variable is x
    assert adapter.gradient_root(torch.ones(2)) is None
    assert adapter.gradient_root(torch.autograd.graph.get_gradient_edge(y)) is y.grad_fn
    with torch.inference_mode():
        assert adapter.gradient_root(x).variable is x
        assert adapter.gradient_root(torch.ones(2, requires_grad=True)) is None


def test_gradient_root_of_what_torch_refuses() -> None:
    y = leaf().clone()
    one, _ = y.unbind()
    y.add_(1)
    with pytest.raises(RuntimeError):
        _ = one.grad_fn
    assert adapter.gradient_root(one) is None


def test_next_sequence_nr() -> None:
    x = torch.ones(1, requires_grad=True)
    number = adapter.next_sequence_nr()
    y = x.exp()
    assert y.grad_fn is not None and y.grad_fn._sequence_nr() == number
    assert adapter.next_sequence_nr() == number + 1
    x.detach() + 1
    assert adapter.next_sequence_nr() == number + 1
