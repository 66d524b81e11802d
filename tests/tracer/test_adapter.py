"""Each private touch of torch, with torch itself as the oracle."""

import json
import subprocess
import sys
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch

from app.tracer import adapter
from tests.tracer.workers import ROOT


class Seen:
    """Notes what runs."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    def __call__(self, keyset: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.calls.append((func, args, kwargs))
        return adapter.run_operator(keyset, func, args, kwargs)

    @property
    def names(self) -> list[str]:
        return [func._schema.name.removeprefix("aten::") for func, _, _ in self.calls]


@contextmanager
def seen_operators() -> Iterator[Seen]:
    seen = Seen()
    with adapter.seen_operators(seen):
        yield seen


def leaf() -> torch.Tensor:
    return torch.arange(1.0, 5.0).reshape(2, 2).requires_grad_()


def inference() -> torch.Tensor:
    with torch.inference_mode():
        return torch.ones(2)


# --- reading tensors ----------------------------------------------------------------------------------------------------


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


def test_saved_tensors_hooks() -> None:
    assert adapter.saved_tensors_hooks(False) is None and adapter.saved_tensors_hooks_allowed()
    with torch.autograd.graph.saved_tensors_hooks(pack := lambda x: x, lambda x: x):
        assert adapter.saved_tensors_hooks(False)[0] is pack
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        assert not adapter.saved_tensors_hooks_allowed()
    assert adapter.saved_tensors_hooks(False) is None and adapter.saved_tensors_hooks_allowed()


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
        warnings.simplefilter("ignore")  # nested tensors are a prototype
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


# --- the graph ----------------------------------------------------------------------------------------------------------


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


def test_is_shared() -> None:
    plain = torch.zeros(3)
    other = torch.utils.dlpack.from_dlpack(plain)
    assert [adapter.is_shared(tensor.untyped_storage()) for tensor in (plain, other)] == [False, True]
    plain.numpy()
    assert adapter.is_shared(plain.untyped_storage())
    assert adapter.is_shared(torch.from_numpy(np.ones(2)).untyped_storage())
    assert not adapter.is_shared(torch.tensor(np.ones(2)).untyped_storage())


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


# --- operators ----------------------------------------------------------------------------------------------------------


def test_operator() -> None:
    add = adapter.operator(torch.ops.aten.add_.Tensor)
    assert (add.name, add.writes, add.tensors) == ("aten::add_", [(0, "self")], [0, 1])
    assert adapter.operator(torch.ops.aten.add_.Tensor) is add


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda x, y: x.add_(y), ["x"]),
        (lambda x, y: torch.exp(x, out=y), ["y"]),
        (lambda x, y: torch._foreach_add_([x, y], 1), ["x", "y"]),
        (lambda x, y: x + y, []),
        (lambda x, y: x.copy_(y), ["x"]),
        (lambda x, y: torch.nn.functional.batch_norm(torch.ones(2, 2), x, y, training=True), ["x", "y"]),
        (lambda x, y: torch.nn.functional.batch_norm(torch.ones(2, 2), x, y, training=False), []),
    ],
    ids=range(7),
)
def test_written_arguments(run: Callable[..., Any], expected: list[str]) -> None:
    x, y = torch.ones(2), torch.ones(2)
    before = x.clone(), y.clone()
    with seen_operators() as seen:
        run(x, y)
    written = [t for func, args, kwargs in seen.calls for t in adapter.written_arguments(func, args, kwargs)]
    assert {name for name, tensor in (("x", x), ("y", y)) if any(tensor is other for other in written)} == set(expected)
    changed = {name for name, tensor, old in (("x", x, before[0]), ("y", y, before[1])) if not torch.equal(tensor, old)}
    assert changed <= set(expected)


@pytest.fixture(scope="module")
def versions() -> dict[str, list[list[int]]]:
    """Of every writing operator that could be called: the versions of its tensors after it, plainly and through the adapter."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.tracer.operators"]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    said: dict[str, list[list[int]]] = json.loads(run.stdout)
    return said


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


class Names(Seen):
    """Notes names alone: an argument that is kept is one that torch may not reuse."""

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
    everything = iter([event.name for event in unseen.events() or ()])  # with what composite operators run inside
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


# --- patches ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "run",
    [
        lambda x: x.sum().backward(),
        lambda x: torch.autograd.backward(x.sum()),
        lambda x: torch.autograd.grad(x.sum(), x),
        lambda x: torch.func.grad(lambda y: y.sum())(x.detach()),
    ],
)
def test_patch_engine(run: Callable[[torch.Tensor], Any]) -> None:
    modules: list[Any] = [torch.autograd, torch.autograd.graph]
    before = [module._engine_run_backward for module in modules]
    passed = []

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def engine(*args: Any, **kwargs: Any) -> Any:
            passed.append(args[0])
            return original(*args, **kwargs)

        return engine

    undo = adapter.patch_engine(wrap)
    try:
        run(leaf())
        assert passed
    finally:
        undo()
    assert [module._engine_run_backward for module in modules] == before


def test_patch_swap() -> None:
    utils: Any = torch.utils
    original = utils.swap_tensors
    x, y = torch.ones(2), torch.zeros(3)
    watched = {id(x): weakref.ref(x), id(y): weakref.ref(y)}
    with pytest.raises(RuntimeError, match="weakref"):
        original(x, y)

    @contextmanager
    def around(tensors: tuple[Any, ...]) -> Iterator[None]:
        assert tensors == (x, y) or [id(tensor) for tensor in tensors] == [id(x), id(y)]
        watched.clear()
        yield

    undo = adapter.patch_swap(around)
    try:
        utils.swap_tensors(x, y)
    finally:
        undo()
    assert (x.shape, y.shape) == ((3,), (2,))
    assert utils.swap_tensors is original


# --- Python's own insides -----------------------------------------------------------------------------------------------


def depth() -> int:
    """How much deeper calls may nest from here."""

    def down(reached: list[int]) -> None:
        reached[0] += 1
        down(reached)

    reached = [0]
    with pytest.raises(RecursionError):
        down(reached)
    return reached[0]


def test_called_module() -> None:
    found = []

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            frame = sys._getframe()
            while frame.f_code is not adapter.MODULE_CALL:
                assert frame.f_back is not None
                frame = frame.f_back
            found.append(adapter.called_module(frame))
            return x

    net = Net()
    net(torch.ones(1))
    assert found[0] is net


def test_next_sequence_nr() -> None:
    x = torch.ones(1, requires_grad=True)
    number = adapter.next_sequence_nr()
    y = x.exp()
    assert y.grad_fn is not None and y.grad_fn._sequence_nr() == number
    assert adapter.next_sequence_nr() == number + 1
    x.detach() + 1
    assert adapter.next_sequence_nr() == number + 1


def test_add_recursion_room() -> None:
    limit = sys.getrecursionlimit()
    before = depth()
    adapter.add_recursion_room(150)
    try:
        assert depth() == before + 150
        assert sys.getrecursionlimit() == limit
    finally:
        adapter.add_recursion_room(-150)
    assert depth() == before


def test_hide_frames() -> None:
    x = torch.ones(2)
    found = []
    for around in (adapter.seen_operators(adapter.run_operator), nullcontext()):
        try:
            with around:
                x.view(7)
        except RuntimeError as error:
            found.append(error.__traceback__)
    names = [entry.name for entry in traceback.extract_tb(found[0])]
    assert "run_operator" in names
    adapter.hide_frames(found[0], str(Path(adapter.__file__).parent))
    left = [entry.name for entry in traceback.extract_tb(found[0])]
    assert left[0] == "test_hide_frames"
    assert "run_operator" not in left and "__call__" not in left
    adapter.hide_frames(found[1], str(Path(adapter.__file__).parent))
    assert [entry.name for entry in traceback.extract_tb(found[1])] == ["test_hide_frames"]
    adapter.hide_frames(None, "")


def test_drop_locals_snapshot() -> None:
    def watched() -> list[bool]:
        x = torch.ones(1)
        ref = weakref.ref(x)
        look()
        del x
        return [ref() is None, "ref" in locals()]

    def look() -> None:
        frame: FrameType = sys._getframe(1)
        assert "x" in frame.f_locals
        adapter.drop_locals_snapshot(frame)

    assert watched() == [True, True]


def test_drop_locals_snapshot_leaves_what_exec_put_there() -> None:
    def watched() -> int:
        x = 1
        exec("z = x + 1")
        look()
        return x + int(locals()["z"])

    def look() -> None:
        adapter.drop_locals_snapshot(sys._getframe(1))

    assert watched() == 3


def test_drop_locals_snapshot_leaves_variables_and_module_frames_alone() -> None:
    def outer() -> tuple[Any, ...]:
        a, b = 1, [2]
        c = 3

        def inner() -> int:
            return c

        for _ in range(100):
            assert sys._getframe().f_locals["b"] is b
            adapter.drop_locals_snapshot(sys._getframe())
        return a, b, c, inner()

    assert outer() == (1, [2], 3, 3)
    module: dict[str, Any] = {"adapter": adapter, "sys": sys}
    exec("x = 1\nadapter.drop_locals_snapshot(sys._getframe())\ny = x + 1", module)
    assert module["y"] == 2


def test_nothing_is_left_in_torch() -> None:
    assert not torch._C._dispatch_tls_is_dispatch_key_included(adapter._JOURNAL)
    assert "__new__" not in vars(torch.Tensor)
    assert "as_subclass" not in vars(torch.Tensor)
    assert torch._tensor_str._str.__module__ == "torch._tensor_str"
    assert not hasattr(torch._tensor_str._str, "__wrapped__")


# --- devices ----------------------------------------------------------------------------------------------------------


def test_devices_are_the_true_ones() -> None:
    x = torch.ones(2)
    assert (adapter.true_device_of(x), adapter.kind_of_memory(x.untyped_storage())) == (
        torch.device("cpu"),
        torch.device("cpu"),
    )
    assert adapter.kind_of_memory(torch.ones(2, device="meta").untyped_storage()) == torch.device("meta")
    assert adapter.on_host(x.untyped_storage()) is x.untyped_storage()
    assert adapter.TENSOR_TYPE(x) == x.type() == "torch.FloatTensor"


def test_is_composite() -> None:
    assert adapter.is_composite(torch.ops.aten.linear.default)
    assert not adapter.is_composite(torch.ops.aten.addmm.default)


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


def test_add_autocast_runs_in_float32_what_cuda_does() -> None:
    on = True
    undo = adapter.add_autocast(lambda: on)
    half = torch.ones(2, dtype=torch.float16)
    with torch.autocast("cpu", dtype=torch.float16):
        assert half.exp().dtype == half.softmax(0).dtype == half.sum().dtype == torch.float32
        assert (half + 1).dtype == torch.float16
        on = False
        assert half.exp().dtype == torch.float16
        on = True
    assert half.exp().dtype == torch.float16
    undo()
    with torch.autocast("cpu", dtype=torch.float16):
        assert half.exp().dtype == torch.float16


def test_patch_dlpack() -> None:
    original = torch.Tensor.__dlpack__
    handed_out: list[torch.Tensor] = []
    undo = adapter.patch_dlpack(handed_out.append)
    x = torch.ones(3)
    y = torch.utils.dlpack.from_dlpack(x)
    undo()
    torch.utils.dlpack.from_dlpack(y)
    assert len(handed_out) == 1 and handed_out[0] is x
    assert torch.Tensor.__dlpack__ is original


# --- TorchScript -------------------------------------------------------------------------------------------------------


def jit_graph(body: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated
        trace: Any = torch.jit.trace
        return trace(body, (torch.ones(2),), check_trace=False).graph


def test_jit_tracing() -> None:
    sizes = []

    def body(x: torch.Tensor) -> torch.Tensor:
        state = adapter.jit_tracing()
        assert state is not None
        adapter.set_jit_tracing(None)
        sizes.append(type(x.shape[0]))
        adapter.set_jit_tracing(state)
        return x * 2

    assert "size" not in str(jit_graph(body))
    assert sizes == [int]
    assert adapter.jit_tracing() is None


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


# --- torch.compile ------------------------------------------------------------------------------------------------------


def test_not_compiled() -> None:
    compiled: list[Any] = []

    def backend(graph: Any, inputs: Any) -> Any:
        compiled.append(graph)
        return graph.forward

    def theirs(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    @adapter.not_compiled
    def ours(x: torch.Tensor) -> torch.Tensor:
        return within(x) * 3

    def within(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    x = torch.ones(2)
    assert torch.equal(torch.compile(ours, backend=backend)(x), x.sin() * 3)
    assert not compiled
    assert torch.equal(torch.compile(theirs, backend=backend)(x), x.sin())
    assert compiled


# --- the stack ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="later versions of Python leave a frame by the link that this cuts")
def test_make_outermost() -> None:
    def tracer(frame: FrameType, event: str, arg: Any) -> None:
        if frame.f_code.co_filename == "<module>":
            sys.settrace(None)
            adapter.make_outermost(frame)

    source = "import sys, traceback\ndef f():\n    return [e.name for e in traceback.extract_stack()]\nnames = f()\n1 / 0"
    code = compile(source, "<module>", "exec")
    variables: dict[str, Any] = {}
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        with pytest.raises(ZeroDivisionError) as raised:
            exec(code, variables)
    finally:
        sys.settrace(before)
    assert variables["names"] == ["<module>", "f"]
    assert [entry.name for entry in raised.traceback][-1] == "<module>"
    assert len(traceback.extract_stack()) > 5
