"""Observing operators does not change torch: the same operators run, and version counters have the same values."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import torch

from app.tracer import adapter
from app.tracer.adapter.dispatch import JOURNAL
from tests import scripts
from tests.tracer.adapter.seen import Seen, inference, jit_graph, leaf, seen_operators


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[int]]]:
    """Call each writing operator with and without the adapter. Return the versions of the operator's tensors after each call."""
    source = "from tests.tracer.operators import main\nmain()\n"
    return json.loads(scripts.said_by(tmp_path_factory.mktemp("operators"), source))  # type: ignore[no-any-return]


def test_operators_count_their_writes_as_unseen(versions: dict[str, list[list[int]]]) -> None:
    assert len(versions) > 900
    assert {name for name, (plain, through) in versions.items() if plain != through} == set()


@pytest.mark.parametrize("part", ["_foreach_add_", "_foreach_mul_", "_foreach_lerp_", "_fused_sgd_", "add.out", "index_fill_"])
def test_these_operators_were_called(versions: dict[str, list[list[int]]], part: str) -> None:
    assert any(part in name for name in versions)


@pytest.mark.parametrize(
    "run",
    [
        lambda x: x.view_as(x)._is_view(),
        lambda x: x.mT._is_view(),
        lambda x: x.reshape(-1)._base is x,
        lambda x: (torch._foreach_add_([x], 1), x.clone() is x)[1],
        lambda x: x.detach().sum().is_inference(),
    ],
)
def test_inference_mode_changes_nothing_under_the_adapter(run: Callable[[torch.Tensor], Any]) -> None:
    x, y = torch.ones(2, 2), torch.ones(2, 2)
    with torch.inference_mode():
        plain = run(x)
    with seen_operators(), torch.inference_mode():
        through = run(y)
    assert (through, y._version) == (plain, x._version)


@pytest.mark.parametrize(
    "run",
    [
        lambda x: x.mean()._version,
        lambda x: torch.zeros_like(x)._version,
        lambda x: torch.exp(x, out=torch.ones(2))._version,
        lambda x: x.double()._version,
        lambda x: (x * 2)._version,
    ],
)
def test_inference_tensors_outside_of_inference_mode(run: Callable[[torch.Tensor], Any]) -> None:
    plain = run(inference())
    with seen_operators():
        assert run(inference()) == plain


def test_an_operator_that_is_defined_anew_has_its_new_schema() -> None:
    def define(name: str, body: Callable[..., Any], mutates: tuple[str, ...]) -> Any:
        return torch.library.custom_op(name, body, mutates_args=mutates)

    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def double(x: torch.Tensor) -> None:
        x.mul_(2)

    for name in ("stepgrad_tests::anew", "stepgrad_tests::anew_within"):
        first = define(name, twice, ())
        first(torch.ones(2))
        written: list[int] = []

        def handler(keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], written: list[int] = written) -> Any:
            written += [len(adapter.written_arguments(func, args, kwargs))] * (func.namespace == "stepgrad_tests")
            return adapter.run_operator(keyset, func, args, kwargs)

        if name.endswith("anew"):
            second = define(name, double, ("x",))
        with adapter.seen_operators(handler):
            if name.endswith("within"):
                first(torch.ones(2))
                second = define(name, double, ("x",))
            second(torch.ones(2))
        assert written == ([0, 1] if name.endswith("within") else [1])


class Names(Seen):
    """A handler that records only the names of operators. Keeping an argument would prevent torch from reusing its memory."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []

    def __call__(self, keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.kept.append(func._schema.name)
        return adapter.run_operator(keyset, func, args, kwargs)


@pytest.mark.parametrize(
    "run",
    [
        lambda x: (x.exp() * x).sum(),
        lambda x: torch.nn.functional.linear(x, x).relu().mean(),
        lambda x: (x[:, 0].reshape(-1) * x.t()[0]).sum(),
        lambda x: torch.where(x > 1, x.sqrt(), x.cumprod(0)).prod(),
        lambda x: torch.stack([x, x * 2]).matmul(x).norm(),
        lambda x: torch.nn.functional.layer_norm(x, (2,)).softmax(0).logsumexp((0, 1)),
        lambda x: torch.nn.functional.cross_entropy(x, torch.tensor([0, 1])),
    ],
    ids=range(7),
)
def test_torch_runs_the_operators_it_runs_unseen(run: Callable[[torch.Tensor], Any]) -> None:
    def train() -> None:
        x = leaf()
        torch.autograd.backward(run(x))
        torch.optim.AdamW([x]).step()

    train()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as unseen:
        train()
    names = Names()
    with adapter.seen_operators(names):
        train()
    assert len(names.kept) > 3
    everything = iter([event.name for event in unseen.events() or ()])  # includes operators that a composite operator calls
    assert [name for name in names.kept if name not in everything] == []


def test_nobody_can_tell_that_operators_are_seen() -> None:
    x, y = torch.zeros(2), torch.ones(4, 4, requires_grad=True)
    unseen = type(y[:, 0].reshape(-1).grad_fn)
    with seen_operators():
        torch._foreach_add_([x], 1.0)
        assert x._version == 1
        assert torch._C._len_torch_dispatch_stack() == 0
        assert type(y[:, 0].reshape(-1).grad_fn) is unseen


def test_operators_are_not_seen_while_told_so_or_while_torch_prints() -> None:
    x = torch.ones(2)
    with seen_operators() as seen:
        with adapter.unseen_operators():
            x.add_(1)
            with adapter.unseen_operators():
                pass
            x.add_(1)
        repr(x)
        assert seen.calls == []
        x.add_(1)
        assert seen.names == ["add_"]


def test_a_number_where_a_tensor_was_meant() -> None:
    x = torch.ones(2, dtype=torch.int64)
    with seen_operators():
        assert (x * 3).dtype == torch.int64
        assert (x * 2.5).tolist() == [2.5, 2.5]
        assert (x * True).dtype == torch.int64
        assert (x.float() * 2j).dtype == torch.complex64
        assert torch.vmap(lambda row: row * 2)(x).tolist() == [2, 2]


def test_subclasses_are_made_while_operators_are_seen() -> None:
    class Mine(torch.Tensor):
        pass

    with seen_operators():
        assert type(torch.nn.Parameter(torch.ones(2))) is torch.nn.Parameter
        assert type(torch.ones(2).as_subclass(Mine)) is Mine
        assert type(Mine([1.0, 2.0]) * 2) is Mine
        assert torch.Tensor(2, 3).shape == (2, 3)
    assert type(Mine([1.0, 2.0])) is Mine


def test_nothing_is_left_in_torch() -> None:
    assert not torch._C._dispatch_tls_is_dispatch_key_included(JOURNAL)
    assert "__new__" not in vars(torch.Tensor)
    assert "as_subclass" not in vars(torch.Tensor)
    assert torch._tensor_str._str.__module__ == "torch._tensor_str"
    assert not hasattr(torch._tensor_str._str, "__wrapped__")


def test_a_composite_may_run_as_its_parts() -> None:
    names: list[str] = []

    def handler(keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        names.append(func._schema.name.removeprefix("aten::"))
        if adapter.is_composite(func):
            return adapter.run_decomposed(func, args, kwargs)
        return adapter.run_operator(keyset, func, args, kwargs) + 1

    with torch.inference_mode(), adapter.seen_operators(handler):
        y = torch.nn.functional.linear(torch.ones(1, 2), torch.ones(3, 2))
    assert names[-4:] == ["linear", "t", "matmul", "mm"] and y.shape == (1, 3)
    assert (torch.ones(1) == 1).all(), "nothing is left of it"


def test_numbers_that_torchscript_made_tensors_of() -> None:
    graph = jit_graph(lambda x: x + 1)
    expected = str(graph)
    seen = Seen()
    with adapter.seen_operators(seen):
        assert str(graph) == expected
    assert "aten::view" in [str(func._schema.name) for func, _, _ in seen.calls]


def test_operators_are_seen_where_modes_are_put_aside() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with adapter.seen_operators(seen := Seen()), FakeTensorMode():
        x = torch.ones(2, 3)
        assert (x @ x.t()).shape == (2, 2)
        assert x.device.type == "cpu"
    assert seen.calls
