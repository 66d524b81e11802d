"""`counts[index] += 1` where an index comes more than once: each element is read once, so it is counted once."""

import ast

from app.explain.finding import MOST_FINDINGS, Arguments, Finding
from app.explain.findings.making import make_finding
from app.explain.findings.mismatch import clipped
from app.explain.reading.reading import Reading
from app.trace.query import elements, value_at
from app.trace.records import Step, StepId, TensorId, Unknown

MOST_RUNS = 20
"""Runs of one such statement with an examined index."""


def find_repeated_index(reading: Reading) -> list[Finding]:
    """A warning for each such statement."""
    findings: list[Finding] = []
    for statement in reading.syntax.of(ast.AugAssign):
        match statement:
            case ast.AugAssign(
                target=ast.Subscript(value=value, slice=ast.Name() | ast.Attribute() as index), op=ast.Add() | ast.Sub()
            ):
                for step in reading.runs_of_statement.get(statement, [])[:MOST_RUNS]:
                    tensor = reading.tensor_of(index, step)
                    owner = reading.tensor_of(value, step)
                    repeated = None if tensor is None or owner is None else _repeated(reading, tensor, step)
                    if repeated is None or tensor is None or owner is None or len(findings) == MOST_FINDINGS:
                        continue
                    arguments: Arguments = {
                        "name": clipped(reading.syntax.text_of(value)),
                        "index": clipped(reading.syntax.text_of(index)),
                        "repeated": repeated,
                        "line": reading.line_of(step.id) or 0,
                    }
                    steps: list[StepId | None] = [step.id]
                    findings.append(
                        make_finding(reading, "repeated_index", steps, [owner, tensor], arguments, fixes=[], severity="warning")
                    )
                    break
    return findings


def _repeated(reading: Reading, tensor: TensorId, step: Step) -> int | None:
    """The first index that a tensor of whole numbers holds twice."""
    geometry = value_at(reading.trace.tensors[tensor].geometry, step.began)
    if geometry is None or geometry.dtype != "int64" or len(geometry.shape) != 1:
        return None
    values = elements(reading.trace, tensor, step.began)
    seen: set[int] = set()
    for value in [] if isinstance(values, Unknown) else values:
        if isinstance(value, int):
            if value in seen:
                return value
            seen.add(value)
    return None
