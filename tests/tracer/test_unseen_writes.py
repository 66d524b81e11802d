"""NumPy and other code can write to a tensor's memory without torch. For large storages, the trace contains the new values or
"unknown".

The snippets also run in this process, one statement at a time, to compare the range and mean of each tensor with the trace.
"""

import ast
from typing import Any

import pytest
import torch

from app.trace.chunks import Trace
from app.trace.ends import Finished
from app.trace.records import Summary, Unknown
from tests.trace.state import State
from tests.tracer.conftest import Record

BEGIN = """import numpy as np
import torch
t = torch.zeros(5000)
"""

SNIPPETS = {
    "numpy": """
a = t.numpy()
a[0] = 7
n = 1
a[4999] = -2
a += 1
""",
    "numpy in one statement": """
t.numpy()[17] = 5
n = 1
t.detach().numpy()[18] = 6
np.asarray(t)[19] = 7
""",
    "from numpy": """
a = np.zeros(5000, dtype=np.float32)
b = torch.from_numpy(a)
a[1] = 3
c = torch.as_tensor(a)
a -= 1
c[0] = 9
b.mul_(2)
a[7] = 40
""",
    "a view": """
v = t[100:200]
a = v.numpy()
a[3] = 8
""",
    "a leaf": """
x = torch.ones(5000, requires_grad=True)
a = x.detach().numpy()
a[0] = 11
""",
    "dlpack": """
d = torch.from_dlpack(t)
d[3] = 9
n = 1
t[4] = 10
""",
    "dlpack to numpy": """
a = np.from_dlpack(t)
if a.flags.writeable:
    a[5] = 4
n = 1
""",
    "a buffer": """
raw = bytearray(4 * 5000)
b = torch.frombuffer(raw, dtype=torch.float32)
raw[3] = 64
n = 1
""",
    "the storage": """
t.untyped_storage()[3] = 64
n = 1
s = t.untyped_storage()
s[7] = 65
s.fill_(0)
""",
    "data and set_": """
t.data = torch.ones(6000)
t.set_(torch.full((7000,), 2.0))
t.resize_(8000).fill_(3)
t.data.add_(1)
""",
    "shared memory": """
t.share_memory_()
a = t.numpy()
a[0] = 3
""",
    "too large to compare": """
t = torch.zeros(3_000_000)
a = t.numpy()
a[0] = 7
t.add_(1)
a[1] = 9
""",
}
"""What is written and how, with a snippet."""


def recorded(source: str, record: Record) -> Trace:
    trace = record(source).trace
    assert trace.ended == Finished()
    return trace


@pytest.mark.parametrize("name", SNIPPETS)
def test_what_is_drawn_is_there(name: str, record: Record) -> None:
    source = BEGIN + SNIPPETS[name]
    trace = recorded(source, record)
    namespace: dict[str, Any] = {}
    for statement in ast.parse(source).body:
        exec(compile(ast.Module([statement], []), "snippet.py", "exec"), namespace)
        ends = [
            step.ended
            for step in trace.steps
            if step.kind == "statement" and step.span is not None and step.ended is not None
            if statement.lineno <= step.span.line <= (statement.end_lineno or 0)
        ]
        state = State(trace, max(ends))
        for variable, serial in state.variables().items():
            compare(namespace[variable], state, serial, f"{variable} after line {statement.lineno}")


def compare(tensor: torch.Tensor, state: State, serial: Any, where: str) -> None:
    """Compare the minimum, maximum and mean of a tensor's storage with the trace. Each write of the snippets changes these
    three values.
    """
    geometry = state.tensor(serial).geometry
    assert geometry is not None and geometry.storage is not None
    contents = state.storage(geometry.storage).contents
    if isinstance(contents, Unknown):
        assert contents.reason
        return
    assert isinstance(contents, Summary), where
    elements = torch.empty(0).set_(tensor.detach().untyped_storage())
    said = [contents.min, contents.max, contents.mean]
    told = [float(f"{value:.6g}") for value in (elements.min().item(), elements.max().item(), elements.double().mean().item())]
    assert said == pytest.approx(told, rel=1e-5), where


def writes(trace: Trace, line: int) -> list[tuple[int, int, bool | None]]:
    """Return the writes that no operator caused, during the statement on a line."""
    [step] = [step for step in trace.steps if step.kind == "statement" and step.span is not None and step.span.line == line]
    ended = step.ended or 0
    return [(w.begin, w.end, w.changed) for w in trace.writes if step.began <= w.tick <= ended and w.operator is None]


def test_the_bytes_are_told_once_the_alias_is_known(record: Record) -> None:
    trace = recorded(BEGIN + "a = t.numpy()\na[3:5] = 7\nn = 1\nm = 2\n", record)
    assert [writes(trace, line) for line in (4, 5, 6, 7)] == [[], [(14, 20, True)], [], []]


def test_what_was_saved_is_overwritten(record: Record) -> None:
    program = """x = torch.ones(5000, requires_grad=True)
a = t.numpy()
y = x * t
n = 1
a[1] = 5
y.sum().backward()
"""
    trace = recorded(BEGIN + program, record)
    [saved] = [saved for saved in trace.saved_tensors if trace.nodes[saved.node].name == "MulBackward0"]
    assert saved.outdated == []
    assert [writes(trace, 8)] == [[(6, 8, True)]]
    assert [trace.writes[write].begin for _, write in saved.overwritten if write is not None] == [6]


def test_an_alias_alone_writes_nothing(record: Record) -> None:
    program = "x = torch.ones(5000, requires_grad=True)\ny = x * t\na = t.numpy()\nd = torch.from_dlpack(t)\nn = 1\n"
    trace = recorded(BEGIN + program, record)
    assert trace.writes == [] or all(write.operator is not None for write in trace.writes)
    assert all(saved.overwritten == [] for saved in trace.saved_tensors)


def test_too_large_to_compare_is_unknown(record: Record) -> None:
    trace = recorded(BEGIN + SNIPPETS["too large to compare"], record)
    state = State(trace, max(step.ended for step in trace.steps if step.ended is not None))
    geometry = state.tensor(state.variables()["t"]).geometry
    assert geometry is not None and geometry.storage is not None
    assert isinstance(state.storage(geometry.storage).contents, Unknown)


def test_numpy_writes_one_of_many(record: Record) -> None:
    source = "import torch\nxs = [torch.ones(2, 3) for _ in range(80)]\nn = xs[77].numpy()\nn[0] = 5\n"
    trace = record(source).trace
    last = [step for step in trace.steps if step.kind == "statement"][-1]
    assert last.ended is not None
    state = State(trace, last.ended)
    assert state.elements(state.variables()["xs[77]"]) == [5.0, 5.0, 5.0, 1.0, 1.0, 1.0]
