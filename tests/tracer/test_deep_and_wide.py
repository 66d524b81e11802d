"""Record large programs: many operators, Nodes, views or statements. Recording changes no bit of a program's results."""

import json
from collections import Counter

import pytest
import torch

from app.trace.check import check
from app.trace.chunks import Trace
from app.trace.ends import Finished, Stopped
from app.trace.records import Limits
from app.tracer import library
from app.tracer.autograd.saves import SeenSave
from app.tracer.naming.names import MAX_VISITED
from tests.recordings import folded
from tests.tracer.bare import said_by
from tests.tracer.conftest import Record
from tests.tracer.workers import ROOT, Worker

BENCHMARKS = ROOT / "tests/benchmarks/snippets"


def model_of(name: str) -> str:
    """Return a program that trains a model of the benchmarks and prints a hash of its parameters and gradients."""
    return (BENCHMARKS / f"{name}.py").read_text("utf-8") + (
        "import hashlib\n"
        "bits = b''.join(p.detach().numpy().tobytes() + p.grad.numpy().tobytes() for p in model.parameters())\n"
        "print(hashlib.sha256(bits).hexdigest(), loss.item())\n"
    )


PROGRAMS: dict[str, tuple[str, dict[str, int]]] = {
    "a_chain_of_3000_nodes": (
        """
import torch
w = torch.tensor([1.0, 0.5], requires_grad=True)
x = w
for turn in range(3000):
    x = x * 1.001
x.sum().backward()
print(x.tolist(), w.grad.tolist())
""",
        {"nodes": 3000, "node": 3000},
    ),
    "a_loop_of_10000_operators": (
        """
import torch
x = torch.ones(3)
for turn in range(5000):
    x = x * 1.0001 + turn
print(x.tolist())
""",
        {"operator": 10_000, "statement": 10_000},
    ),
    "a_loop_of_3000_saves_of_one_tensor": (
        """
import torch
w = torch.tensor([1.001, 0.999], requires_grad=True)
x = torch.ones(2)
for turn in range(3000):
    x = x * w
x.sum().backward()
print(x.tolist(), w.grad.tolist())
""",
        {"saved_tensors": 3000, "gradients": 3000},
    ),
    "ten_thousand_views_of_one_storage": (
        """
import torch
base = torch.zeros(10000)
views = [base[i] for i in range(10000)]
views[7].add_(1)
views[9999].fill_(2)
print(base.sum().item(), views[7]._version, len(views))
""",
        {"tensors": MAX_VISITED - 10, "writes": 2},
    ),
    "an_lstm_over_200_steps": (
        """
import torch
model = torch.nn.LSTMCell(3, 4)
x = torch.randn(200, 2, 3)
h = c = torch.zeros(2, 4)
for t in range(200):
    h, c = model(x[t], (h, c))
loss = h.square().sum()
loss.backward()
print(loss.item(), [p.grad.tolist() for p in model.parameters()])
""",
        {"nodes": 1000, "node": 1000},
    ),
    "a_transformer_of_12_blocks": (model_of("gpt"), {"nodes": 300, "node": 300}),
    "resnet_18": (model_of("resnet18"), {"nodes": 100, "writes": 60}),
}
"""Each program, with minimum numbers of records by table and of steps by kind in its trace."""


def trace_of(recorded: Worker, source: str) -> Trace:
    return folded(source, [line.encode() for line in recorded.answer(source).splitlines()])


@pytest.mark.sweep
@pytest.mark.parametrize("name", PROGRAMS)
def test_recorded_whole_and_to_the_bit(name: str, bare: Worker, recorded: Worker) -> None:
    source, least = PROGRAMS[name]
    trace = trace_of(recorded, source)
    check(trace)
    assert trace.ended == Finished()
    assert said_by(trace) == json.loads(bare.answer(source))
    kinds: Counter[str] = Counter(step.kind for step in trace.steps)
    found = {what: kinds[what] if what in kinds else len(getattr(trace, what)) for what in least}
    assert all(found[what] >= least[what] for what in least), found


def test_too_many_statements_is_an_end_that_says_so(recorded: Worker) -> None:
    trace = trace_of(recorded, "import torch\nx = torch.ones(3)\nfor turn in range(10_000):\n    x = x * 1.0001\n")
    check(trace)
    assert trace.ended == Stopped(limit="statements", reached=Limits().statements)
    assert sum(step.kind == "statement" for step in trace.steps) == Limits().statements


def test_a_statement_does_not_look_at_everything_there_is(recorded: Worker) -> None:
    """With 10,000 live views, recording a statement takes less time than reading the `shape` of every view."""
    trace = trace_of(
        recorded,
        """
import torch
from time import process_time
base = torch.zeros(10_000)
views = [base[i] for i in range(10_000)]
asked = [process_time(), [view.shape for view in views], process_time()]
began = process_time()
for turn in range(20):
    pass
each = (process_time() - began) / 40
print(each < asked[2] - asked[0])
""",
    )
    assert trace.ended == Finished()
    assert trace.outputs[0].text == "True\n"


def test_a_saved_tensor_is_released_without_a_look_at_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def is_same(save: SeenSave, other: object) -> bool:
        asked.append(other)
        return save is other

    monkeypatch.setattr(SeenSave, "__eq__", is_same)
    x, w = torch.ones(2), torch.ones(2, requires_grad=True)
    with library.record() as recording:
        for _ in range(50):
            x = x * w
        x.sum().backward()  # type: ignore[no-untyped-call]
    assert sum(save.released is not None for save in recording.trace.saved_tensors) >= 50
    assert asked == []


OBJECTS = """
import torch

class Sample:
    def __init__(self, index):
        self.index = index

samples = []
for index in range(1000):
    samples.append(Sample(index))
samples[-1].late = torch.ones(1)
sample = samples[500]
sample.bound = torch.ones(2)
samples[300].early = torch.ones(3)
for turn in range(20):
    samples[700].loop = torch.ones(4)
print("the end")
"""


def test_what_an_old_object_of_a_long_list_is_given_is_found(record: Record) -> None:
    run = record(OBJECTS)
    assert run.finished
    assert "samples[999].late" in run.after("samples[-1]").names
    assert "samples[500].bound" in run.after("sample.bound").names
    assert "samples[300].early" in run.after("for turn", 20).names
    assert {"samples[300].early", "samples[700].loop"} <= run.after("print").names.keys()


def test_a_name_does_not_end_because_a_list_beside_it_grew(recorded: Worker) -> None:
    trace = trace_of(
        recorded,
        """
import torch
rows = []
model = torch.nn.Linear(2, 2)
rows.extend(range(10_000))
""",
    )
    assert [name.path for name in trace.names] == ["model.weight", "model.bias"]
    assert all(tensor is not None for name in trace.names for _, tensor in name.tensor)
