"""Finds `counts[index] += 1` with a repeated index. The statement increases each element only once, even if the index repeats
the element."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.findings.mismatch import clipped
from app.explain.reading.reading import Reading
from app.trace.query import elements
from app.trace.records import Step, StepId, TensorId, Unknown

MOST_RUNS = 20
"""Maximum number of runs of one statement such as `x[index] += 1` whose index is examined."""


@finder()
def find_repeated_index(reading: Reading) -> Iterator[Finding]:
    """A warning for each in-place operation on `x[index]` with a repeated index."""
    for statement in reading.syntax.of(ast.AugAssign):
        match statement:
            case ast.AugAssign(
                target=ast.Subscript(value=value, slice=ast.Name() | ast.Attribute() as index), op=ast.Add() | ast.Sub()
            ):
                for step in reading.runs_of_statement.get(statement, [])[:MOST_RUNS]:
                    tensor = reading.tensor_of(index, step)
                    owner = reading.tensor_of(value, step)
                    repeated = None if tensor is None or owner is None else _repeated(reading, tensor, step)
                    if repeated is None or tensor is None or owner is None:
                        continue
                    arguments: Arguments = {
                        "name": clipped(reading.syntax.text_of(value)),
                        "index": clipped(reading.syntax.text_of(index)),
                        "repeated": repeated,
                    }
                    steps: list[StepId | None] = [step.id]
                    yield reading.finding("repeated_index", steps, [owner, tensor], arguments, severity="warning")
                    break


def _repeated(reading: Reading, tensor: TensorId, step: Step) -> int | None:
    """The first value that occurs twice in an index tensor; None if there is none."""
    geometry = reading.geometry_at(tensor, step.began)
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
