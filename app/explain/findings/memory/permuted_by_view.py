"""Finds a `view` or `reshape` to the tensor's own sizes in another order, which mixes elements instead of moving dimensions."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.findings.mismatch import clipped
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand, operand
from app.explain.reading.viewing import Shape
from app.trace.records import Step

MOST_PIECES = 50
"""Maximum number of expressions of the snippet that are examined, in their first run."""

FEWEST = 3
"""Minimum number of dimensions larger than 1. With two, exchanged sizes are often intended."""


@finder()
def find_permuted_by_view(reading: Reading) -> Iterator[Finding]:
    """A warning for each call that permutes sizes, if all sizes are different and the program runs a backward."""
    if not reading.backwards:
        return
    told = 0
    calls = [*reading.syntax.ending_in(ast.Call, "view"), *reading.syntax.ending_in(ast.Call, "reshape")]
    for call in calls:
        statement = reading.syntax.statement_around(call)
        runs = [] if statement is None else reading.runs_of_statement.get(statement, [])[:1]
        if not runs or told == MOST_PIECES or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        told += 1
        found = _finding(reading, runs[0], call, call.func.value)
        if found is not None:
            yield found


def _finding(reading: Reading, step: Step, call: ast.Call, owner: ast.expr) -> Finding | None:
    given, made = operand(reading, owner, step), operand(reading, call, reading.ended(step))
    if given is None or made is None or not _is_permuted(given, made) or any(map(_is_computed, call.args)):
        return None
    order = [given.shape.index(size) for size in made.shape] if len(given.shape) == len(made.shape) else []
    arguments: Arguments = {
        "name": clipped(given.text),
        "shape": str(given.shape),
        "new_shape": str(made.shape),
        "order": ", ".join(map(str, order)),
    }
    tensors = [given.tensor, made.tensor]
    return reading.finding("permuted_by_view", [step.id], tensors, arguments, severity="warning")


def _is_computed(node: ast.expr) -> bool:
    """Whether a size is a product or a quotient, which means that dimensions are joined or split on purpose."""
    return isinstance(node, ast.BinOp)


def _is_permuted(given: Operand, made: Operand) -> bool:
    one, other = _large(given.shape), _large(made.shape)
    is_each_different = len(set(given.shape)) == len(given.shape) == len(made.shape)
    return len(one) >= FEWEST and is_each_different and one != other and sorted(one) == sorted(other)


def _large(shape: Shape) -> list[int]:
    return [size for size in shape if size != 1]
