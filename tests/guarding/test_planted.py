"""Forty silent faults are found, and forty ordinary twins give no finding. Plain torch says which gradients are wrong."""

import pytest
import torch

from app.public import stepgrad
from tests.guarding.planted import PROGRAMS, WRITES, Program, Write, nothing

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
each_write = pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)


@each_write
@each_program
def test_a_silent_fault_is_found(program: Program, write: Write) -> None:
    right, wrong = program(nothing, "before"), program(write, "before")
    assert not all(map(torch.equal, right, wrong)), "plain torch gives a wrong gradient without an error"
    with pytest.raises(stepgrad.GuardError) as caught, stepgrad.guard():
        program(write, "before")
    expected = "recomputed" if program.__name__ == "checkpointed" else "overwritten"
    assert caught.value.finding.kind == expected
    assert "tests/guarding/planted.py:" in str(caught.value)


@each_write
@each_program
def test_an_ordinary_twin_gives_no_finding(program: Program, write: Write) -> None:
    right = program(nothing, "before")
    with stepgrad.guard() as guard:
        guarded = program(write, "after")
    assert all(map(torch.equal, right, guarded)) and guard.findings == []
    assert guard.saves > 0 and not guard.unread
