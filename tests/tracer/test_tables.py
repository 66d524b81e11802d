"""Tables of statements with their effect on version counters, shared memory, identity and saved tensors.

Each statement runs once without a recorder and once recorded. Torch and the trace must agree with the table.
"""

import warnings
from typing import Any

import pytest
import torch

from app.trace.records import Summary, Unknown
from tests.tracer.conftest import Record
from tests.tracer.reading import Moment, Reading

# --- what bumps a version counter ---------------------------------------------------------------------------------------

T = "t = torch.arange(4.0).view(2, 2).clone()"
BUMPS = {
    "t.add_(1)": T,
    "t += 1": T,
    "t[0] = 5": T,
    "t[t > 0] = 5": T,
    "t[0][0] = 5": T,
    "t.t_()": T,
    "t.unsqueeze_(0)": T,
    "t.resize_(3)": T,
    "torch.add(u, 1, out=t)": f"{T}; u = torch.ones(2, 2)",
    "t.set_()": T,
    "t.detach().add_(1)": T,
    "t.zero_()": T,
    "t.copy_(u)": f"{T}; u = torch.ones(2, 2)",
    "torch._foreach_add_([t], 1)": T,
    "t.view(4).add_(1)": T,
    "t.as_strided((2,), (1,)).add_(1)": T,
    "with torch.no_grad(): t.add_(1)": f"{T}.requires_grad_()",
    "torch.relu_(t)": T,
    "t.normal_()": T,
    "t.index_add_(0, i, u)": f"{T}; i = torch.tensor([1]); u = torch.ones(1, 2)",
    "t.fill_diagonal_(7)": T,
    "torch.autograd.graph.increment_version(t)": T,
    "t.clamp_(0, 9)": T,
    "t[0:0] = 5": T,
    "t[t < 0] = 5": T,
    "torch.nn.init.ones_(t)": T,
    "torch.optim.SGD([t], lr=0.1).step()": f"{T}.requires_grad_(); t.grad = torch.ones(2, 2)",
    "torch.optim.Adam([t], lr=0.1).step()": f"{T}.requires_grad_(); t.grad = torch.ones(2, 2)",
}
"""Each statement, with the code that prepares its variables. The statement increments t's version counter once."""

BUMPS_TWICE = {
    "t[0] += 1": T,
    "torch.optim.AdamW([t], lr=0.1).step()": f"{T}.requires_grad_(); t.grad = torch.ones(2, 2)",
}

WRITES_UNCOUNTED = {
    "t.data.add_(1)": T,
    "t.numpy()[0] = 9": T,
    "a += 1": f"{T}; a = np.asarray(t)",
    "u.add_(1)": f"{T}; u = torch.from_dlpack(t)",
    "torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(t)).zero_()": T,
    "t.untyped_storage().fill_(0)": T,
    "t.untyped_storage()[0] = 1": T,
    "bn(torch.arange(6.0).view(3, 2))": "bn = torch.nn.BatchNorm1d(2); t = bn.running_mean",
}
"""Statements that change t's bytes without incrementing its version counter."""

MOVES_UNCOUNTED = {
    "t.data = u": f"{T}; u = torch.ones(3)",
    "torch.utils.swap_tensors(t, torch.ones(3))": T,
    "t.share_memory_()": T,
    "t.requires_grad_()": T,
    "t.detach_()": f"{T}.requires_grad_() * 1",
}
"""Statements that change neither t's bytes nor its version counter, but another property of t."""


def namespace() -> dict[str, Any]:
    import numpy as np

    return {"torch": torch, "np": np}


def counted(before: str, statement: str) -> tuple[int, int, bool, list[float]]:
    """Run a statement without a recorder.

    Return t's version before and after the statement, whether its bytes changed, and its elements afterwards.
    """
    names = namespace()
    torch.manual_seed(0)
    exec(before, names)
    version, storage = names["t"]._version, names["t"].untyped_storage()
    content = list(storage)
    exec(statement, names)
    t = names["t"]
    return version, t._version, content != list(storage)[: len(content)], t.detach().reshape(-1).tolist()


def recorded(record: Record, before: str, statement: str) -> Reading:
    return record(f"import torch\nimport numpy as np\ntorch.manual_seed(0)\n{before}\n{statement}\n")


def after(run: Reading, statement: str) -> Moment:
    """Return the state after a statement. Asserts that the run finished."""
    assert run.finished, run.ended
    return run.after(statement)


@pytest.mark.parametrize(("statement", "bump"), [*((s, 1) for s in BUMPS), *((s, 2) for s in BUMPS_TWICE)])
def test_what_bumps_a_version_counter(record: Record, statement: str, bump: int) -> None:
    before = (BUMPS | BUMPS_TWICE)[statement]
    was, now, changed, elements = counted(before, statement)
    assert now - was == bump
    run = recorded(record, before, statement)
    t = after(run, statement).tensor("t")
    assert (run.after(before.split(";")[0]).version("t"), t.version) == (was, now)
    assert after(run, statement).values("t") == pytest.approx(elements)
    writes = [write for write in run.writes(statement) if write.version_counter == t.version_counter]
    assert [write.version for write in writes] == list(range(was + 1, now + 1))
    assert any(write.changed for write in writes) == changed


@pytest.mark.parametrize(
    "statement", ["t.clamp_(0, 9)", "t[0:0] = 5", "t[t < 0] = 5", "torch.autograd.graph.increment_version(t)"]
)
def test_a_version_may_change_and_nothing_else(record: Record, statement: str) -> None:
    was, now, changed, _ = counted(T, statement)
    assert now > was and not changed
    run = recorded(record, T, statement)
    assert run.after("t =").values("t") == after(run, statement).values("t")
    assert [(write.version, write.changed) for write in run.writes(statement)] == [(1, False)]


@pytest.mark.parametrize("statement", WRITES_UNCOUNTED)
def test_what_writes_and_bumps_nothing(record: Record, statement: str) -> None:
    before = WRITES_UNCOUNTED[statement]
    was, now, changed, elements = counted(before, statement)
    assert now == was and changed
    run = recorded(record, before, statement)
    t = after(run, statement).tensor("t")
    assert t.version == now and after(run, statement).values("t") == pytest.approx(elements)
    assert t.geometry is not None
    writes = [write for write in run.writes(statement) if write.storage == t.geometry.storage]
    assert any(write.changed for write in writes)
    assert t.version_counter not in {write.version_counter for write in writes}


LARGE = {
    # name: (preparation, statement that writes)
    "numpy": ("t = torch.zeros({n})", "t.numpy()[-1] = 9"),
    "an array of it": ("t = torch.zeros({n}); a = t.numpy()", "a += 1"),
    "from_numpy": ("a = np.zeros({n}, 'f'); t = torch.from_numpy(a)", "a += 1"),
    "from_numpy twice": ("a = np.zeros({n}, 'f'); t = torch.from_numpy(a); u = torch.from_numpy(a)", "u += 1"),
    "from_dlpack": ("t = torch.zeros({n}); u = torch.from_dlpack(t)", "u[5] = 1"),
    "frombuffer": ("a = bytearray(4 * {n}); t = torch.frombuffer(a, dtype=torch.float32)", "a[-1] = 66"),
    "data": ("t = torch.zeros({n})", "t.data.add_(1)"),
}


@pytest.mark.parametrize("how", LARGE)
def test_a_large_storage_is_never_said_to_be_unchanged(record: Record, how: str) -> None:
    before, statement = LARGE[how]
    names = namespace()
    exec(f"{before}; {statement}".format(n=1000), names)
    run = recorded(record, before.format(n=1000), f"{statement}; t = t; w = torch.ones(1000, requires_grad=True)")
    contents = run.end.state.storage(run.end.storage("t")).contents
    assert isinstance(contents, Summary) and contents.max == names["t"].max() and run.end.version("t") == 0
    assert any(write.storage == run.end.storage("t") and write.changed is not False for write in run.writes(statement))


@pytest.mark.parametrize("how", [how for how in LARGE if how != "data"])
def test_a_very_large_storage_is_unknown_while_numpy_may_write_it(record: Record, how: str) -> None:
    before, statement = LARGE[how]
    run = recorded(record, before.format(n=100_000), statement)
    assert isinstance(run.end.state.storage(run.end.storage("t")).contents, Unknown)


def test_a_save_of_a_large_storage_is_overwritten_where_numpy_wrote(record: Record) -> None:
    before = "a = np.zeros(1000, 'f'); t = torch.from_numpy(a)\nw = torch.ones(500, requires_grad=True)"
    run = recorded(record, f"{before}\ny, z = w * t[:500], w / t[500:]", "a[:500] = 1")
    saved = [run.end.saved(node, "other") for node in ("MulBackward0", "DivBackward0")]
    assert [(save.overwritten, save.outdated) for save in saved] == [("a[:500] = 1", None), (None, None)]


def test_lending_bytes_writes_nothing(record: Record) -> None:
    run = recorded(record, "t = torch.zeros(1000); w = torch.ones(1000, requires_grad=True)\ny = w * t", "a = t.numpy()")
    assert not run.trace.writes and run.end.saved("MulBackward0", "other").state == "current"


@pytest.mark.parametrize("statement", MOVES_UNCOUNTED)
def test_what_writes_nothing_and_bumps_nothing(record: Record, statement: str) -> None:
    before = MOVES_UNCOUNTED[statement]
    was, now, changed, elements = counted(before, statement)
    assert now == was and not changed
    run = recorded(record, before, statement)
    t = after(run, statement)
    assert t.version("t") == now and t.values("t") == elements
    assert not any(write.changed for write in run.writes(statement) if write.storage == t.storage("t"))


def test_what_each_of_those_changes(record: Record) -> None:
    moved = recorded(record, MOVES_UNCOUNTED["t.data = u"], "t.data = u")
    assert moved.end.same_storage("t", "u") and moved.end.id("t") == moved.after("t =").id("t")
    put, statement = recorded(record, T, "t.share_memory_()"), "t.share_memory_()"
    before, after_it = (put.trace.storages[put.after(line).storage("t")] for line in ("t =", statement))
    assert before is after_it and before.moved and before.moved[-1][1] != before.address
    required = recorded(record, T, "t.requires_grad_()")
    assert [required.after(line).requires_grad("t") for line in ("t =", "t.requires")] == [False, True]
    detached = recorded(record, MOVES_UNCOUNTED["t.detach_()"], "t.detach_()")
    assert [detached.after(line).grad_fn("t") for line in ("t =", "t.detach_()")] == ["MulBackward0", None]


def test_counters_seldom_begin_at_zero(record: Record) -> None:
    before, statement = "m = torch.nn.Linear(2, 2)", "t = m.weight"
    names = namespace()
    exec(f"{before}; {statement}", names)
    assert names["t"]._version == recorded(record, before, statement).end.version("m.weight") == 1


def test_an_inference_tensor_has_no_counter(record: Record) -> None:
    with torch.inference_mode():
        t = torch.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        t._version  # noqa: B018
    run = recorded(record, "with torch.inference_mode(): t = torch.ones(2)", "u = t")
    assert run.end.version("t") is None and run.end.tensor("t").version_counter is None


# --- sharing with x -----------------------------------------------------------------------------------------------------

X = "x = torch.arange(4.0).view(2, 2).clone()"
SHARING = {
    # expression: y or n for shared bytes, shared storage, shared version counter, and whether one is a view of the other or
    # of its base
    "x.view(4)": "yyyy",
    "x[1]": "yyyy",
    "x[:, :1]": "yyyy",
    "x.T": "yyyy",
    "x[:1].expand(3, 2)": "yyyy",
    "x.as_strided((2,), (2,))": "yyyy",
    "x.chunk(2)[1]": "yyyy",
    "x.reshape(4)": "yyyy",
    "x.detach()": "yyyn",
    "torch.nn.Parameter(x)": "yyyn",
    "x.view(torch.int32)": "yyyn",
    "x.data": "yynn",
    "x.unsafe_chunk(2)[1]": "yynn",
    "torch.empty(0).set_(x)": "yynn",
    "torch.from_numpy(x.numpy())": "ynnn",
    "torch.from_dlpack(x)": "ynnn",
    "x.clone()": "nnnn",
    "x[[0, 1]]": "nnnn",
    "x[x > 0]": "nnnn",
    "x.t().contiguous()": "nnnn",
    "x.t().reshape(-1)": "nnnn",
    "torch.tensor(x)": "nnnn",
    "copy.deepcopy(x)": "nnnn",
    "copy.copy(x)": "yy  ",
}


def touched(tensor: torch.Tensor) -> range:
    """Return the addresses from a tensor's first element to the end of its last element."""
    last = sum((count - 1) * stride for count, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return range(tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.itemsize)


def shared(one: torch.Tensor, other: torch.Tensor) -> dict[str, bool]:
    """Return what two tensors share, according to torch."""
    before, mark = one._version, 1234
    torch._C._autograd._unsafe_set_version_counter((one,), (mark,))
    same_counter = other._version == mark
    torch._C._autograd._unsafe_set_version_counter((one,), (before,))
    return {
        "bytes": bool(set(touched(one)) & set(touched(other))),
        "storage": one.untyped_storage()._cdata == other.untyped_storage()._cdata,
        "counter": same_counter,
        "view": other._base is one or (one._base is not None and other._base is one._base),
    }


def said(moment: Moment, one: str, other: str) -> dict[str, bool | None]:
    return {
        "bytes": moment.same_bytes(one, other),
        "storage": moment.same_storage(one, other),
        "counter": moment.same_counter(one, other),
        "view": moment.base(other) is not None and moment.base(other) in (moment.id(one), moment.base(one)),
    }


@pytest.mark.parametrize("expression", SHARING)
def test_who_shares_what(record: Record, expression: str) -> None:
    names = namespace()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(f"import copy; {X}; y = {expression}", names)
    torch_says = shared(names["x"], names["y"])
    letters = {what: letter == "y" for what, letter in zip(torch_says, SHARING[expression], strict=True) if letter != " "}
    assert torch_says | letters == torch_says
    run = recorded(record, f"import copy; {X}", f"y = {expression}")
    assert run.finished and said(run.end, "x", "y") == torch_says


def test_copies_made_together_share_with_each_other(record: Record) -> None:
    statement = "a, b = copy.deepcopy([x, x[:2]])"
    names = namespace()
    exec(f"import copy; {X}; {statement}", names)
    run = recorded(record, f"import copy; {X}", statement)
    for one, other in ("ab", "xa", "xb"):
        assert said(run.end, one, other) == shared(names[one], names[other])
    assert run.end.same_storage("a", "b") and not run.end.same_storage("x", "a")


def test_two_tensors_of_one_array_share_their_bytes_alone(record: Record) -> None:
    before, statement = "a = np.ones(4)", "x, y = torch.from_numpy(a), torch.from_numpy(a[2:])"
    names = namespace()
    exec(f"{before}; {statement}", names)
    run = recorded(record, before, statement)
    alone = {"bytes": True, "storage": False, "counter": False, "view": False}
    assert said(run.end, "x", "y") == shared(names["x"], names["y"]) == alone


# --- identity -----------------------------------------------------------------------------------------------------------

SAME = [
    "x.to(torch.float32)",
    "x.cpu()",
    "x.float()",
    "x.type(torch.float32)",
    "x.contiguous()",
    "torch.as_tensor(x)",
    "x.flatten()",
]
OTHER = [
    "x.reshape(2)",
    "x.view(2)",
    "x.detach()",
    "x.expand(2)",
    "x.squeeze()",
    "x[:]",
    "x[...]",
    "x.clone()",
    "x.to(torch.float64)",
]


@pytest.mark.parametrize(("expression", "same"), [*((e, True) for e in SAME), *((e, False) for e in OTHER)])
def test_what_is_the_same_object(record: Record, expression: str, same: bool) -> None:
    names = namespace()
    exec(f"x = torch.ones(2); y = {expression}", names)
    assert (names["x"] is names["y"]) == same
    run = recorded(record, "x = torch.ones(2)", f"y = {expression}")
    assert run.finished and run.end.same_tensor("x", "y") == same


# --- what a Node saves --------------------------------------------------------------------------------------------------

SAVES: dict[str, list[str]] = {
    # statement: the names of the tensors that y's Node saves
    "y = x.exp()": ["result"],
    "y = x.sigmoid()": ["result"],
    "y = x.tanh()": ["result"],
    "y = x.softmax(0)": ["result"],
    "y = x.relu()": ["result"],
    "y = x ** 2": ["self"],
    "y = x * w": ["other", "self"],
    "y = x * c": ["other"],
    "y = x @ w": ["mat2", "self"],
    "y = torch.nn.functional.linear(x, w)": ["mat2", "self"],
    "y = torch.nn.functional.linear(x, w, b)": ["mat1", "mat2"],
    "y = torch.nn.functional.linear(c, w, b)": ["mat1"],
    "y = x + w": [],
    "y = x - w": [],
    "y = x.sum()": [],
    "y = x.view(4)": [],
    "y = x * 2": ["other"],
    "y = c.clone().index_put_((i,), x[0])": ["indices[0]"],
    "y = c.clone(); y[0] = x[0]": [],
}
LEAVES = (
    "x, w = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True); "
    "c, b, i = torch.ones(2, 2), torch.ones(2, requires_grad=True), torch.tensor([1])"
)


def slots(node: Any) -> list[str]:
    """Return the names of the saved tensors of a Node, according to torch."""
    found = []
    for name in dir(node):
        if name.startswith("_raw_saved_"):
            slot = name.removeprefix("_raw_saved_")
            held = getattr(node, name)
            if isinstance(held, tuple):
                found += [f"{slot}[{index}]" for index, one in enumerate(held) if one.data is not None]
            elif held.data is not None:
                found.append(slot)
    return sorted(found)


@pytest.mark.parametrize("statement", SAVES)
def test_what_a_node_saves(record: Record, statement: str) -> None:
    names = namespace()
    exec(f"{LEAVES}\n{statement}", names)
    node = names["y"].grad_fn
    assert slots(node) == SAVES[statement]
    run = recorded(record, LEAVES, statement)
    ours = run.end.node("y")
    assert run.finished and ours is not None and ours.name == node.name()
    saved = [save.saved_tensor for save in run.end.state.saved_tensors.values() if save.saved_tensor.node == ours.id]
    assert sorted(save.name for save in saved) == SAVES[statement]
    for save in saved:  # a saved output has y's storage, and a saved input has the input's storage
        held = getattr(node, "_raw_saved_" + save.name.partition("[")[0])
        tensor = held[0].data if isinstance(held, tuple) else held.data
        holders = [name for name in "xwciby" if names[name].untyped_storage()._cdata == tensor.untyped_storage()._cdata]
        assert [name for name in "xwciby" if run.end.storage(name) == save.geometry.storage] == holders
        assert save.version == tensor._version and not isinstance(save.version, Unknown)
