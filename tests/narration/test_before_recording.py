"""Sentences do not attribute objects to a statement if they existed before the recording."""

import json
import subprocess
from pathlib import Path

import msgspec
import pytest
import torch

from app.explain import explain
from app.report.transcript import transcript
from app.trace.check import check
from app.tracer.library import Recorded, record, record_calls_as
from tests.narration.test_true import SPOKEN


def told(recorded: Recorded) -> str:
    return "\n".join(transcript(explain(recorded.trace)))


def train() -> Recorded:
    net = torch.nn.Linear(2, 1)
    x = torch.ones(3, 2, requires_grad=True)
    loss = net(x).sum()
    rate = 0.1
    optimizer = torch.optim.SGD(net.parameters(), lr=rate)
    with record() as recorded:
        optimizer.zero_grad()
        again = x
        loss.backward()
        optimizer.step()
        y = again + 1
    del y
    return recorded


def test_what_was_there_is_told_as_that(tmp_path: Path) -> None:
    recorded = train()
    check(recorded.trace)
    text = told(recorded)
    assert text.splitlines()[1] == "    These existed before the recording began: net.weight, net.bias, x and loss."
    assert "again is another name for x: the same tensor, not a copy." in text
    assert [line.split()[0] for line in text.splitlines() if " is a new " in line] == ["y"]
    assert "rate" not in text and "AddmmBackward0 was" not in text
    assert "Recorded" not in text and not any(variable.name == "recorded" for variable in recorded.trace.variables)
    recorded_nodes = [line for line in text.splitlines() if line.startswith("    Autograd recorded")]
    assert len(recorded_nodes) == 1 and "AddBackward0" in recorded_nodes[0]
    (tmp_path / "document.json").write_bytes(msgspec.json.encode(explain(recorded.trace)))
    run = subprocess.run(["node", str(SPOKEN), str(tmp_path)], capture_output=True, text=True, check=True, timeout=120)
    said = [json.loads(line) for line in run.stdout.splitlines()]
    page = [one["said"][0] for one in said if one["granularity"] == "line"]
    assert page[0] == "These existed before the recording began: `net.weight`, `net.bias`, `x` and `loss`."
    assert [line.split()[0] for line in page if " is a new " in line] == ["`y`"]
    assert not any("rate" in line or "`net.weight.grad` was set to `None`" in line for line in page)


NET = torch.nn.Linear(2, 1)


@pytest.mark.parametrize("written", [False, True])
def test_what_no_variable_reached_is_not_said_to_be_made_where_it_is_first_seen(written: bool) -> None:
    def step() -> None:
        with torch.no_grad():
            NET.weight.zero_()

    act = step if written else lambda: NET(torch.ones(4, 2)).sum()
    with record() as recorded:
        act()
        weight = NET.weight
    del weight
    text = told(recorded)
    assert "weight now refers to a tensor that already existed." in text
    assert "shape (1, 2) without a name was created in a new storage" not in text


def test_the_arguments_of_a_function_that_is_called_were_there() -> None:
    def function(x: torch.Tensor, count: int) -> torch.Tensor:
        y = x * count
        return y + 1

    argument = torch.ones(2, requires_grad=True) * 3
    with record_calls_as(Recorded, function.__code__) as recorded:
        function(argument, 2)
    text = told(recorded)
    assert "These existed before the recording began: x" in text
    assert "count is now 2." in text and "y is a new tensor" in text and "x is a new" not in text
    assert "which saved other = 3" not in text, "of a Node that was there, too"
