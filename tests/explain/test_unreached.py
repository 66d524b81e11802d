"""The page marks a leaf as "gets no gradient" if and only if its `grad` is None after a run without a recorder."""

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.explain import explain
from tests.corpus.heads import PROGRAMS as CORPUS
from tests.explain.recorded import record
from tests.recordings import worker

TESTS = Path(__file__).parents[1]
ORDINARY = [
    *(path.read_text("utf-8") for path in sorted((TESTS / "explain/no_findings").glob("*.py.txt"))),
    *(each.source for each in CORPUS if each.one("kind") == "ordinary"),
]

NET = """
import torch
from torch import nn
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 3)
        self.dec = nn.Linear(3, 1)
    def encode(self, x):
        return {middle}
    def forward(self, x):
        return self.dec(self.encode(x))

net = Net()
x = torch.randn(8, 4)
{before}
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    loss = {loss}
    loss.backward()
    opt.step()
"""
LOSS = "net(x).pow(2).mean()"


def program(middle: str = "self.enc(x)", *, before: str = "", loss: str = LOSS) -> str:
    return NET.format(middle=middle, before=before, loss=loss)


CUT = {
    "detached": program("self.enc(x).detach()"),
    "by data": program(loss="net.enc(x)\n    h = loss.data\n    loss = net.dec(h).mean()"),
    "by numbers": program("torch.tensor(self.enc(x).tolist())"),
    "by an array": program("torch.from_numpy(self.enc(x).detach().numpy())"),
    "compared": program("(self.enc(x) > 0).float()"),
    "by indices": program("F.one_hot(self.enc(x).argmax(1), 3).float()"),
    "without grad": program().replace("    def encode", "    @torch.no_grad()\n    def encode"),
    "in a block": program().replace(
        "        return self.enc(x)", "        with torch.no_grad():\n            h = self.enc(x)\n        return h"
    ),
}
"""Programs in which one line detaches `enc` from the loss."""
WITHOUT_LINE = {
    "unused output": program("[self.enc(x).relu(), x[:, :3]][1]"),
    "loss of others": program(before="w = torch.ones(1, requires_grad=True)", loss="(w * 2).sum()"),
}
RAISED = {
    "refused": program(loss="net(x)\n    loss = loss.detach().mean()"),
    "refused numbers": program(loss="torch.tensor(net(x).mean().item())"),
}
REACHED = {
    "whole": program(),
    "frozen": program(before="net.enc.requires_grad_(False)"),
    "late": program("self.enc(x) + self.enc(x).detach()"),
}
PROGRAMS = CUT | WITHOUT_LINE | RAISED | REACHED
WANTED = "sorted(f'net.{name}' for name, each in net.named_parameters() if each.requires_grad and each.grad is None)"


def shown(sources: list[str], folder: Path) -> list[dict[str, Any]]:
    """Return the marks that the page shows for these programs."""
    for number, trace in enumerate(record(sources)):
        (folder / f"{number:03}.json").write_bytes(msgspec.json.encode(explain(trace)))
    command = ["node", str(TESTS / "js/unreached.js"), str(folder)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    return [json.loads(line) for line in told.stdout.splitlines()]


def test_those_without_a_gradient_are_shown(tmp_path: Path) -> None:
    pages = dict(zip(PROGRAMS, shown(list(PROGRAMS.values()), tmp_path), strict=True))
    plain = {name: json.loads(worker("bare").answer(source, probes=[WANTED]))["probed"] for name, source in PROGRAMS.items()}
    assert {name: [repr(sorted(page["names"]))] for name, page in pages.items()} == plain
    assert {name: {*page["drawn"]} for name, page in pages.items()} == {name: {*page["names"]} for name, page in pages.items()}


def test_each_is_cut_where_its_values_leave_the_graph(tmp_path: Path) -> None:
    lines = [{*page["lines"]} for page in shown([*CUT.values(), *WITHOUT_LINE.values()], tmp_path)]
    assert lines == [*({line_of(source)} for source in CUT.values()), *({0} for _ in WITHOUT_LINE)]


def line_of(source: str) -> int:
    """Return the line that uses the output of the encoder."""
    lines = source.splitlines()
    return 1 + next(number for mark in ("loss.data", "self.enc(x)") for number, line in enumerate(lines) if mark in line)


@pytest.mark.sweep
def test_ordinary_programs_show_none(tmp_path: Path) -> None:
    for page in shown(ORDINARY, tmp_path):
        assert page == {"names": [], "lines": [], "drawn": []}
