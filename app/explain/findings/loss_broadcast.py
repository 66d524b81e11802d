"""A loss that broadcast its input and its target against each other, so that every prediction meets every target."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.making import make_finding
from app.explain.findings.mismatch import clipped
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import operand
from app.explain.reading.viewing import broadcast

MOST_LOSSES = 20
"""Pieces of the snippet that compute one, looked at in their first run."""

_OPERATORS = ("aten::mse_loss", "aten::smooth_l1_loss", "aten::huber_loss")


def find_loss_broadcast(reading: Reading) -> list[Finding]:
    """A warning for each loss of which input and target together are larger than either: torch computes it all the same."""
    first: dict[ast.expr | ast.stmt, None] = {}
    findings: list[Finding] = []
    losses = ((step, reading.node_at(step.span)) for step in reading.trace.steps if step.name in _OPERATORS)
    for step, piece in losses:
        if not isinstance(piece, ast.Call) or len(piece.args) < 2 or piece in first or len(first) == MOST_LOSSES:
            continue
        first[piece] = None
        given, target = operand(reading, piece.args[0], step), operand(reading, piece.args[1], step)
        result = None if given is None or target is None else broadcast(given.shape, target.shape)
        if given is None or target is None or result is None or result in (given.shape, target.shape):
            continue
        arguments: Arguments = {
            "line": reading.line_of(step.id) or 0,
            "left": clipped(given.text),
            "left_shape": str(given.shape),
            "right": clipped(target.text),
            "right_shape": str(target.shape),
            "result": str(result),
        }
        steps = [given.maker, target.maker, step.id]
        tensors = [given.tensor, target.tensor]
        findings.append(make_finding(reading, "loss_broadcast", steps, tensors, arguments, fixes=[], severity="warning"))
    return findings
