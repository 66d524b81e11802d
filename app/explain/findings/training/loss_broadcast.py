"""Finds a loss that broadcasts its input and its target, so that every prediction is compared with every target.

Also finds a difference, product or comparison of a column and a row of equal length in the program's own code.
"""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.findings.mismatch import clipped
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand, operand
from app.explain.reading.viewing import broadcast
from app.explain.rewriting.fitting import to_shape
from app.trace.query import value_at
from app.trace.records import GradFn, Step

MOST_LOSSES = 20
"""Maximum number of expressions of the snippet that are examined, in their first run."""

_LOSSES = ("aten::mse_loss", "aten::smooth_l1_loss", "aten::huber_loss")
_OPERATORS = (*_LOSSES, "aten::sub", "aten::rsub", "aten::mul", "aten::eq", "aten::ne")

_REDUCED = ("mean", "sum", "float", "item", "count_nonzero")
"""Functions that count equal elements of a comparison."""

_WIDENED = ("unsqueeze", "view", "reshape", "expand", "outer", "cdist", "t", "transpose", "permute")
"""Methods that a program uses to combine each element with each other element on purpose."""


@finder()
def find_loss_broadcast(reading: Reading) -> Iterator[Finding]:
    """A warning for each loss whose input and target broadcast to a shape larger than either.

    Torch raises no error for such a loss.
    """
    first: dict[ast.expr | ast.stmt, None] = {}
    pieces = ((step, reading.node_at(step.span)) for step in reading.trace.steps if step.name in _OPERATORS)
    for step, piece in pieces:
        sides = [] if piece is None or piece in first or len(first) == MOST_LOSSES else _sides(reading, piece, step)
        if piece is None or len(sides) != 2:
            continue
        first[piece] = None
        given, target = (operand(reading, side, step) for side in sides)
        result = None if given is None or target is None else broadcast(given.shape, target.shape)
        if given is None or target is None or result is None or result in (given.shape, target.shape):
            continue
        if step.name in _LOSSES or _are_prediction_and_target(reading, piece, step, given, target):
            yield _finding(reading, step, (given, target), sides[1], str(result))


def _sides(reading: Reading, piece: ast.expr | ast.stmt, step: Step) -> list[ast.expr]:
    """The operands of a loss, or of `-`, `*` or `==`, unless one of them gets a dimension on purpose."""
    match piece:
        case ast.Call(args=[given, target, *_]) if step.name in _LOSSES:
            return [given, target]
        case (
            ast.BinOp(op=ast.Sub() | ast.Mult(), left=left, right=right)
            | ast.Compare(ops=[ast.Eq() | ast.NotEq()], left=left, comparators=[right])
        ):
            return [] if _is_widened(reading, left) or _is_widened(reading, right) else [left, right]
    return []


def _is_widened(reading: Reading, node: ast.expr) -> bool:
    if any(each in reading.syntax.calls_in(node) for each in _WIDENED) or "T" in reading.syntax.attributes_in(node):
        return True
    nodes = (each.slice for each in reading.syntax.walk(node) if isinstance(each, ast.Subscript))
    return any(isinstance(each, ast.Constant) and each.value is None for piece in nodes for each in reading.syntax.walk(piece))


def _are_prediction_and_target(
    reading: Reading, piece: ast.expr | ast.stmt, step: Step, given: Operand, target: Operand
) -> bool:
    """Whether a column and a row of equal length are predictions and targets.

    For a difference: if one operand has a graph, the other has none, and a backward ran through the result. For a comparison:
    if the statement counts the equal elements.
    """
    row, column = sorted((given.shape, target.shape), key=len)
    if len(row) != 1 or column != (row[0], 1) or row[0] < 2:
        return False
    if isinstance(piece, ast.Compare):
        calls = reading.syntax.calls_in(reading.statement_ran_by(step.id))
        return not _are_made_so(reading, step, given, target) and any(name in calls for name in _REDUCED)
    if step.name == "aten::mul" and (_are_made_so(reading, step, given, target) or not _is_averaged(reading, step)):
        return False
    tracked = [side.tensor for side in (given, target) if reading.requires_grad(side.tensor, step.began)]
    made = reading.made_in.get(step.id, [])
    if len(tracked) != 1 or reading.trace.tensors[tracked[0]].type == "Parameter" or not made:
        return False
    is_computed = isinstance(value_at(reading.trace.tensors[tracked[0]].grad_fn, step.began), GradFn)
    node = value_at(made[0].grad_fn, made[0].born)
    return is_computed and isinstance(node, GradFn) and bool(reading.runs_of(node.node))


def _are_made_so(reading: Reading, step: Step, given: Operand, target: Operand) -> bool:
    """Whether one operand got a dimension on purpose in the last assignment of its variable."""
    definitions = (reading.defined_by(side.text, step) for side in (given, target))
    values = (getattr(definition[0], "value", None) for definition in definitions if definition is not None)
    return any(_is_widened(reading, value) for value in values if isinstance(value, ast.expr))


def _is_averaged(reading: Reading, step: Step) -> bool:
    """Whether a product is reduced to one number, in its statement or through the variable that gets the product."""
    statement = reading.statement_ran_by(step.id)
    calls = reading.syntax.calls_in(statement)
    if "mean" in calls or "sum" in calls:
        return True
    names = {each.id for each in getattr(statement, "targets", []) if isinstance(each, ast.Name)}
    averaged = [*reading.syntax.ending_in(ast.Call, "mean"), *reading.syntax.ending_in(ast.Call, "sum")]
    return any(isinstance(each, ast.Call) and names.intersection(reading.syntax.names_in(each)) for each in averaged)


def _finding(reading: Reading, step: Step, operands: tuple[Operand, Operand], node: ast.expr, result: str) -> Finding:
    given, target = operands
    arguments: Arguments = {
        "how": {"aten::eq": "comparison", "aten::ne": "comparison", "aten::mul": "product"}.get(step.name or "", "loss"),
        "left": clipped(given.text),
        "left_shape": str(given.shape),
        "right": clipped(target.text),
        "right_shape": str(target.shape),
        "result": result,
    }
    steps = [given.maker, target.maker, step.id]
    tensors = [given.tensor, target.tensor]
    fixes = to_shape(reading.trace.source, node, target.shape, given.shape)
    return reading.finding("loss_broadcast", steps, tensors, arguments, fixes=fixes, severity="warning")
