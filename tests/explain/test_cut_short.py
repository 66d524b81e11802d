"""If a correct program is cut at any point, missing statements after the cut cause no findings."""

from pathlib import Path

import pytest

from app.explain import explain
from app.trace.ends import Exited, Stopped
from tests.explain.recorded import record

PROGRAMS = sorted((Path(__file__).parent / "no_findings").glob("*.py.txt"))
PARTS = (0.5, 0.9)
"""The fractions of a program's statements that remain."""


@pytest.mark.sweep
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name.removesuffix(".py.txt"))
def test_a_correct_program_that_was_cut_has_no_findings(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    (whole,) = record([source])
    count = sum(step.kind == "statement" for step in whole.steps)
    for part in PARTS:
        (trace,) = record([source], statements=max(1, int(count * part)))
        assert count < 2 or isinstance(trace.ended, Stopped)
        assert [(found.kind, found.line) for found in explain(trace).findings if found.kind != "limit_met"] == []


EXITS = {
    "in a call of a call": ("def f(x):\n    raise SystemExit(0)\n", "torch.autograd.gradcheck(f, (x,))\n", 0),
    "at the end of the module": ("", "raise SystemExit(0)\n", 1),
}


@pytest.mark.parametrize("how", EXITS)
def test_what_waits_for_a_backward_is_told_at_the_end_alone(how: str) -> None:
    begun, ended, expected = EXITS[how]
    saved = "x = torch.ones(3, dtype=torch.double, requires_grad=True)\ny = x * x\nx.data.mul_(2)\n"
    (trace,) = record([f"import torch\n{begun}{saved}{ended}"])
    assert isinstance(trace.ended, Exited)
    assert len(explain(trace).findings) == expected
