"""Traces of typical mistakes and questions of PyTorch users.

Each file `snippets/s*.py` is a small program, followed by comment lines that begin with `#: `. The comment lines are Python
code with assertions about `run`, the Reading of the trace.
"""

import ast

import pytest

from app.trace.query import first_nonfinite_gradient
from app.trace.records import Cells
from tests.torch_versions import MASKED_WRITE
from tests.trace.state import nonfinite_since
from tests.tracer.conftest import SNIPPETS, Record
from tests.tracer.reading import Reading

CASES = {path.stem: path.read_text("utf-8") for path in sorted(SNIPPETS.glob("s*.py"))}
INPLACE = "one of the variables needed for gradient computation has been modified by an inplace operation: "
SECOND = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed)"
)
NOGRAD = "element 0 of tensors does not require grad and does not have a grad_fn"
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
NON_LEAF_GRAD = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."


def inplace(shape: str, output_of: str, at: int, expected: int) -> str:
    """Return torch's error message for a saved tensor that was modified in place."""
    where = f"[torch.FloatTensor {shape}], which is output 0 of {output_of}"
    return f"{INPLACE}{where}, is at version {at}; expected version {expected} instead."


KNOWN = {
    "INPLACE": INPLACE, "SECOND": SECOND, "NOGRAD": NOGRAD, "LEAF": LEAF, "VIEW_OF_LEAF": VIEW_OF_LEAF,
    "NON_LEAF_GRAD": NON_LEAF_GRAD, "inplace": inplace, "Cells": Cells, "nonfinite_since": nonfinite_since,
    "first_nonfinite_gradient": first_nonfinite_gradient, "MASKED_WRITE": MASKED_WRITE,
}  # fmt: skip
"""Names that the assertions can use besides `run`."""


def check_facts(run: Reading, facts: str) -> int:
    """Execute the assertions of a snippet, and return their number."""
    known, count = {**KNOWN, "run": run}, 0
    for statement in ast.parse(facts).body:
        text = ast.unparse(statement)
        if isinstance(statement, ast.Expr):
            assert eval(text, known), text
        else:
            try:
                exec(text, known)
            except AssertionError as error:
                raise AssertionError(text) from error
        count += sum(isinstance(part, ast.Assert) for part in ast.walk(statement)) + isinstance(statement, ast.Expr)
    return count


@pytest.mark.parametrize("name", CASES)
def test_every_fact_of_a_case_can_be_read_from_its_trace(name: str, record: Record) -> None:
    lines = CASES[name].splitlines()
    facts = "\n".join(line.removeprefix("#:").removeprefix(" ") for line in lines if line.startswith("#:"))
    assert check_facts(record(CASES[name]), facts) > 0


def test_a_fact_that_does_not_hold_is_told(record: Record) -> None:
    run = record("import torch\nx = torch.ones(2)\n")
    for wrong in ("run.end.version('x') == 1", "for name in 'x':\n    assert run.end.version(name) == 1"):
        with pytest.raises(AssertionError, match="version"):
            check_facts(run, wrong)
