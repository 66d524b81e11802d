"""Read facts of tensors and storages, and compare them with torch's public attributes."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from app.tracer import adapter
from tests.tracer.adapter.seen import inference, leaf


def test_version_of() -> None:
    x = torch.ones(2)
    x.add_(1)
    x.data.add_(1)
    assert adapter.version_of(x) == x._version == 1
    assert adapter.version_of(inference()) is None


def test_a_class_that_answers_by_its_own_code_is_not_asked() -> None:
    class Wrapper(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
            raise AssertionError(func)

    policies: dict[str, Any] = {"dispatch_sizes_strides_policy": "sizes", "dispatch_device": True, "dispatch_layout": True}
    asking = torch.Tensor._make_wrapper_subclass(Wrapper, (2, 3), **policies)
    assert (adapter.layout_of(asking), adapter.device_of(asking)) == (adapter.OPAQUE, "")
    assert adapter.sizes_of(asking, adapter.OPAQUE) == ((), None, None)
    silent = torch.Tensor._make_wrapper_subclass(Wrapper, (2, 3))
    assert (adapter.layout_of(silent), adapter.device_of(silent)) == ("strided", "cpu")
    assert adapter.sizes_of(silent, "strided") == ((2, 3), (3, 1), 0)


def test_an_uninitialized_parameter_has_no_shape() -> None:
    lazy = torch.nn.parameter.UninitializedParameter()
    assert adapter.layout_of(lazy) == "uninitialized"
    assert adapter.sizes_of(lazy, "uninitialized") == ((), None, None)


def test_version_of_an_inference_tensor_that_looks_normal() -> None:
    x = inference()
    x.data = torch.ones(2)
    assert not x.is_inference()
    assert adapter.version_of(x) is None


@pytest.mark.parametrize(
    ("make", "layout"),
    [
        (lambda: torch.ones(2), "strided"),
        (lambda: torch.eye(2).to_sparse(), "sparse_coo"),
        (lambda: torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]), "nested"),
        (lambda: torch.nn.LazyLinear(2).weight, "uninitialized"),
    ],
)
def test_layout_of(make: Callable[[], torch.Tensor], layout: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nested tensors are a prototype in torch
        assert adapter.layout_of(make()) == layout


def test_type_of() -> None:
    layer = torch.nn.LazyLinear(2)
    before = adapter.type_of(layer.weight)
    layer(torch.ones(1, 3))
    assert before == adapter.type_of(layer.weight) == "Parameter"


def test_sizes_of_a_lazy_parameter() -> None:
    assert adapter.sizes_of(torch.nn.LazyLinear(2).weight, "uninitialized") == ((), None, None)


def test_sizes_of_asks_past_a_subclass() -> None:
    class Shy(torch.Tensor):
        @property
        def shape(self) -> Any:  # type: ignore[override]
            raise AssertionError

        def stride(self, *args: Any) -> Any:
            raise AssertionError

    with torch._C.DisableTorchFunction():
        assert adapter.sizes_of(torch.ones(2, 3).as_subclass(Shy), "strided") == ((2, 3), (3, 1), 0)


def test_sizes_of() -> None:
    x = torch.ones(3, 4)[1:, ::2].t()
    assert adapter.sizes_of(x, "strided") == (tuple(x.shape), x.stride(), x.storage_offset())
    assert adapter.sizes_of(torch.eye(2).to_sparse(), "sparse_coo") == ((2, 2), None, None)
    assert adapter.sizes_of(torch.ones(2).expand(3, 2), "strided") == ((3, 2), (0, 1), 0)


def test_grad_of_does_not_warn_and_leaves_the_filters() -> None:
    x = leaf()
    y = x * 2
    filters = warnings.filters
    assert adapter.grad_of(y) is None
    y.grad = torch.ones(2, 2)
    assert adapter.grad_of(y) is y.grad
    assert warnings.filters is filters
    with pytest.warns(UserWarning, match="not a leaf"):
        assert (x * 3).grad is None


@pytest.mark.parametrize(
    ("make", "shares"),
    [
        (lambda x: x, True),
        (lambda x: x[0], True),
        (lambda x: x.detach(), True),
        (lambda x: x.view(torch.int32), True),
        (lambda x: torch.nn.Parameter(x.detach()), True),
        (lambda x: x.data, False),
        (lambda x: x.clone(), False),
        (lambda x: torch.from_numpy(x.detach().numpy()), False),
        (lambda x: x.unsafe_chunk(2)[0], False),
    ],
    ids=range(9),
)
def test_shares_counter(make: Callable[[torch.Tensor], torch.Tensor], shares: bool) -> None:
    x = leaf().detach()
    other = make(x)
    before = x._version, other._version
    assert adapter.shares_counter(x, other) is shares
    assert (x._version, other._version) == before
    x.add_(1)
    assert (other._version == before[1] + 1) is shares


def test_is_shared() -> None:
    plain = torch.zeros(3)
    other = torch.utils.dlpack.from_dlpack(plain)
    assert [adapter.is_shared(tensor.untyped_storage()) for tensor in (plain, other)] == [False, True]
    plain.numpy()
    assert adapter.is_shared(plain.untyped_storage())
    assert adapter.is_shared(torch.from_numpy(np.ones(2)).untyped_storage())
    assert not adapter.is_shared(torch.tensor(np.ones(2)).untyped_storage())


def test_devices_are_the_true_ones() -> None:
    x = torch.ones(2)
    assert (adapter.true_device_of(x), adapter.kind_of_memory(x.untyped_storage())) == (
        torch.device("cpu"),
        torch.device("cpu"),
    )
    assert adapter.kind_of_memory(torch.ones(2, device="meta").untyped_storage()) == torch.device("meta")
    assert adapter.on_host(x.untyped_storage()) is x.untyped_storage()
    assert adapter.TENSOR_TYPE(x) == x.type() == "torch.FloatTensor"
