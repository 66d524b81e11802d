"""Finds `softmax` without `dim` on three dimensions: torch computes it along the first dimension, which usually is the batch."""

import ast
from itertools import islice

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, finder, offer
from app.explain.findings.mismatch import clipped, function_of_torch
from app.explain.reading.first_runs import first_pieces
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import operand
from app.explain.rewriting.rewrites import with_keyword
from app.trace.records import Step

_OPERATORS = ("aten::_softmax", "aten::_log_softmax")
_FUNCTIONS = ("softmax", "log_softmax", "softmin")

DIMENSIONS = 3
"""The number of dimensions of an input for which torch chooses dimension 0. For two or four dimensions it chooses dimension 1."""


@finder()
def find_implicit_dimension(reading: Reading) -> list[Finding]:
    """A warning for each call of `softmax` or a similar function of torch without `dim`, in its first run."""
    found = (_finding(reading, step, call) for step, call in first_pieces(reading, _OPERATORS, ast.Call))
    return list(islice((finding for finding in found if finding is not None), MOST_FINDINGS))


def _finding(reading: Reading, step: Step, call: ast.Call) -> Finding | None:
    name, is_torch = function_of_torch(reading, call.func, step)
    words = {keyword.arg for keyword in call.keywords}
    if not is_torch or name not in _FUNCTIONS or len(call.args) != 1 or "dim" in words or None in words:
        return None
    given = operand(reading, call.args[0], step)
    if given is None or len(given.shape) != DIMENSIONS or given.shape[0] == 1:
        return None
    arguments: Arguments = {
        "function": name,
        "given": clipped(given.text),
        "shape": str(given.shape),
    }
    fixes = [offer("last_dimension", with_keyword, reading.trace.source, call, "dim=-1")]
    tensors = [given.tensor]
    return reading.finding("implicit_dimension", [step.id], tensors, arguments, fixes=fixes, severity="warning")
