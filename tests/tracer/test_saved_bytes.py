"""A trace reports a saved tensor as overwritten if and only if its bytes differ from the saved bytes, for tensors of any size."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.explain import explain
from app.trace.chunks import Trace
from app.trace.records import SavedTensor, Unknown
from tests.tracer.conftest import Record

SIZES = [6, 600, 200_000]
"""The recorder stores the elements of the first size and a summary of the second. It does not compare the third after every
statement.
"""
PROGRAMS = {
    "written": ["y.data.mul_(2)"],
    "written and put back": ["y.data.mul_(2)", "y.data.div_(2)"],
    "put back and written": ["y.data.mul_(2)", "y.data.div_(2)", "y.data[1] = 5"],
    "written with what was there": ["y.data.mul_(1)"],
    "two elements swapped": ["y.data[[0, 1]] = y.data[[1, 0]]"],
    "moved to equal bytes": ["y.data = y.data.clone(); y.data = y.data.clone()"],
    "lent": ["a = y.detach().numpy()"],
    "written by NumPy": ["a = y.detach().numpy()", "a[2] = 7"],
    "written by NumPy and put back": ["a = y.detach().numpy()", "old = float(a[2]); a[2] = 7", "a[2] = old"],
    "written by NumPy through DLPack": [
        "import numpy",
        "a = numpy.from_dlpack(y.detach())",
        "a.flags.writeable or y.data.zero_()",
    ],
    "beside it": ["s.data[n:] = 7"],
}


def before(size: int) -> str:
    return (
        f"import torch\nn = {size}\nx = torch.ones(2 * n, requires_grad=True)\ns = x * torch.arange(2.0 * n)\n"
        "y = s[:n]\nz = (y * y).sum()\n"
    )


def saves_of(trace: Trace) -> Iterator[SavedTensor]:
    return (saved for saved in trace.saved_tensors if trace.nodes[saved.node].name == "MulBackward0" and saved.geometry.shape)


def differs(source: str, statements: list[str]) -> bool:
    """Whether the statements change `y` in a run without a recorder."""
    variables: dict[str, torch.Tensor] = {}
    exec(source, variables)
    was = variables["y"].detach().clone()
    for statement in statements:
        exec(statement, variables)
    return not torch.equal(was, variables["y"].detach())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("how", PROGRAMS)
def test_it_is_overwritten_exactly_while_it_differs(record: Record, how: str, size: int) -> None:
    statements = PROGRAMS[how]
    trace = record(before(size) + "\n".join([*statements, "z.backward()"])).trace
    ends = [
        bool(saved.overwritten) and saved.overwritten[-1][1] is not None for saved in saves_of(trace) if saved.name == "self"
    ]
    is_moved = how == "moved to equal bytes" and size > 256
    expected = differs(before(size), statements)
    if is_moved:  # the old bytes were freed before they could be compared
        assert {saved.undecided for saved in trace.saved_tensors if saved.overwritten} <= {"gone"}
    else:
        assert ends[-1] is expected
    found = {finding.kind: finding.severity for finding in explain(trace).findings}
    assert ("silently_wrong_gradient" in found) is (expected or bool(is_moved and ends[-1]))
    if is_moved and ends[-1]:
        assert found["silently_wrong_gradient"] == "hint"


LENDINGS = {
    "all, in place": "numpy.add(y.detach().numpy(), 1, out=y.detach().numpy())",
    "two swapped": "y.detach().numpy()[[0, 1]] = y.detach().numpy()[[1, 0]]",
    "two swapped, asarray": "numpy.asarray(y.data)[[0, 1]] = numpy.asarray(y.data)[[1, 0]]",
    "by DLPack": "torch.from_dlpack(y.detach()).data.add_(1)",
    "what was there": "y.detach().numpy()[2] = 2",
    "another element": "s.detach().numpy()[n] = 7",
    "nothing": "print(y.detach().numpy()[:1])",
}
SURROUNDINGS = {
    "a statement": "s = x * torch.arange(2.0 * n)\ny = s[:n]\nz = (y * y).sum()\n{}\nz.backward()",
    "with all else": "s = x * torch.arange(2.0 * n); y = s[:n]; z = (y * y).sum(); {}; z.backward()",
    "without a name": "s = y = z = None\ndef step():\n    global s, y\n    s = x * torch.arange(2.0 * n)\n    y = s[:n]\n"
    "    z = (y * y).sum()\n    {}\n    s = y = None\n    return z\nstep().backward()",
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("where", SURROUNDINGS)
@pytest.mark.parametrize("how", LENDINGS)
def test_what_is_lent_and_written_in_one_statement(record: Record, how: str, where: str, size: int) -> None:
    begin = f"import numpy\nimport torch\nn = {size}\nx = torch.ones(2 * n, requires_grad=True)\n"
    source = begin + SURROUNDINGS[where].format(LENDINGS[how])
    found = [each for each in explain(record(source).trace).findings if each.kind == "silently_wrong_gradient"]
    is_wrong = not torch.equal(gradient(source), gradient(source.replace(LENDINGS[how], "pass")))
    assert [each.severity for each in found] == ["error"] * is_wrong
    line = next(place for place, text in enumerate(source.splitlines(), 1) if LENDINGS[how] in text)
    assert all(line == each.line for each in found)


def gradient(source: str) -> torch.Tensor:
    """Return the gradient of `x` in a run without a recorder."""
    variables: dict[str, Any] = {}
    exec(source, variables)
    grad = variables["x"].grad
    assert isinstance(grad, torch.Tensor)
    return grad


@pytest.mark.parametrize("size", SIZES)
def test_what_was_not_handed_out_is_not_shared(record: Record, size: int) -> None:
    source = (
        f"import torch\nx = torch.ones({size}, requires_grad=True)\ny = torch.ones({size})\ntry:\n    x.numpy()\n"
        "except RuntimeError:\n    pass\nhasattr(y, 'numpy')\nx.data.add_(1)\ny.add_(1)\n"
    )
    trace = record(source).trace
    assert len(trace.storages) == 2
    assert not any(isinstance(contents, Unknown) for storage in trace.storages for _, contents in storage.contents[-1:])
    assert all(write.operator is not None for write in trace.writes)


def slices(rows: int, columns: int) -> st.SearchStrategy[str]:
    def part(most: int) -> st.SearchStrategy[str]:
        ends = st.tuples(st.integers(0, most - 1), st.integers(1, most), st.integers(1, 3))
        return ends.map(lambda cut: f"{min(cut[0], cut[1] - 1)}:{max(cut[1], cut[0] + 1)}:{cut[2]}")

    return st.tuples(part(rows), part(columns)).map(lambda cuts: f"[{cuts[0]}, {cuts[1]}]")


WRITES = ["s.data{0}.mul_(2)", "s.data{0}.add_(0)", "s.data{0} = s.data{0}.flip(0)", "s.data{0} = kept{0}", "s.data{0}.zero_()"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_random_writes_beside_and_over_random_views(record: Record, data: st.DataObject) -> None:
    rows, columns = data.draw(st.tuples(st.integers(2, 30), st.integers(2, 30)))
    view = data.draw(slices(rows, columns))
    statements = [
        data.draw(st.sampled_from(WRITES)).format(data.draw(slices(rows, columns))) for _ in range(data.draw(st.integers(1, 3)))
    ]
    source = (
        f"import torch\nx = torch.arange({rows * columns}.0).view({rows}, {columns}).requires_grad_()\ns = x * 3\n"
        f"kept = s.detach().clone()\ny = s{view}\nz = y.pow(3).sum()\n"
    )
    trace = record(source + "\n".join([*statements, "z.backward()"])).trace
    (saved,) = (saved for saved in trace.saved_tensors if trace.nodes[saved.node].name == "PowBackward0")
    assert saved.undecided is None
    assert (bool(saved.overwritten) and saved.overwritten[-1][1] is not None) is differs(source, statements)
