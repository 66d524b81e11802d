"""Check the sentences of a run's explanation against torch's state in a run without a recorder."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from app.explain import explain
from app.trace.records import Cells
from tests.explain import test_cases, test_real
from tests.explain.oracles.story import CHECKS, contradictions
from tests.explain.recorded import Traces, record
from tests.sampling import some

ANOTHER_GRAD = (
    "import torch\nx = torch.ones(2, requires_grad=True)\nx.grad = torch.ones(2)\nkept = x.grad\nx.grad = torch.zeros(2)\n"
)

SELDOM = """
import torch


def over():
    try:
        raise KeyError
    finally:
        print("over")


try:
    over()
except KeyError:
    left, right = torch.zeros(2).chunk(2)
left.add_(1)


class Ends(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        return None


torch.set_grad_enabled(False)
torch.set_grad_enabled(True)
ended = Ends.apply(torch.ones(2, requires_grad=True) * 2).sum()
ended.backward()
sparse = torch.eye(2).to_sparse()
"""

HOOKED = """
import torch
hooked = torch.ones(2, requires_grad=True)
hooked.register_hook(lambda gradient: gradient * 10)
(hooked * 2).sum().backward()
"""

FLOWING = """
import torch
w = torch.tensor([2.0, 3.0], requires_grad=True)
y = w * w
loss = y.exp().sum()
loss.backward()
late = w.exp()
late.add_(1)
"""

RESUMED = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)


def batches():
    yield torch.ones(2)
    yield torch.zeros(2)


net = Net()
for batch in batches():
    net.layer(batch)
"""


def test_only_a_generator_is_told_as_resumed(tmp_path: Path) -> None:
    [trace] = record([RESUMED + "big = torch.zeros(100_000)\nbig.add_(torch.ones(3))\n"])
    (tmp_path / "document.json").write_bytes(msgspec.json.encode(explain(trace)))
    command = ["node", str(Path(__file__).parents[2] / "js/spoken.js"), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    all_said = [json.loads(line) for line in run.stdout.splitlines()]
    assert not {"story-wrote", "story-still"} & {one["id"] for one in all_said}, "the only write raised"
    said = {one["said"][0] for one in all_said if one["id"] == "story-called"}
    assert "Line 16 called `Net.__init__`." in said
    assert {sentence for sentence in said if "called" not in sentence} == {"Line 17 started or resumed `batches`."}


@pytest.mark.patient
def test_no_sentence_is_contradicted(capsys: pytest.CaptureFixture[str]) -> None:
    confirmed, wrong = Counter[str](), []
    others = dict(zip(("another grad", "seldom", "hooked"), record([ANOTHER_GRAD, SELDOM, HOOKED]), strict=True))
    recordings = Traces(test_cases.recordings().sources | test_real.recordings().sources)
    chosen = some(__file__, recordings)
    for name, trace in (chosen | others).items():
        found, objections = contradictions(trace)
        confirmed += found
        wrong += [f"{name}: {each}" for each in objections]
    with capsys.disabled():
        print("\n" + ", ".join(f"{message} {count}" for message, count in sorted(confirmed.items())))
    assert not wrong, "\n".join(wrong)
    assert set(confirmed) == set(CHECKS) or len(chosen) < len(recordings), "no sentence of these was confirmed"


def test_what_is_said_of_a_node_is_contradicted_where_it_did_otherwise() -> None:
    [trace] = record([FLOWING])
    assert contradictions(trace)[1] == []
    change = msgspec.structs.replace
    nines = [
        change(each, value=change(each.value, values=[9.0] * len(each.value.values)))
        for each in trace.gradients
        if isinstance(each.value, Cells)
    ]
    others = {
        "story-sent": change(trace, gradients=nines),
        "story-kept": change(trace, saved_tensors=[change(each, released=None) for each in trace.saved_tensors]),
        "story-stale": change(trace, saved_tensors=[change(each, outdated=[]) for each in trace.saved_tensors]),
    }
    for message, other in others.items():
        assert any(message in objection for objection in contradictions(other)[1]), message
