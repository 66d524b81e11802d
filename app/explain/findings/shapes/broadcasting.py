"""Finds elementwise operators with operands that do not broadcast, and writes that do not fit their target."""

import ast
from itertools import combinations

from app.explain.finding import Arguments, Finding, Fixes
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape, broadcast, disagreeing
from app.explain.rewriting.fitting import to_shape

_FUNCTIONS = (
    "add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow maximum minimum fmax fmin atan2 "
    "eq ne lt le gt ge less greater logical_and logical_or logical_xor hypot where masked_fill lerp addcmul addcdiv copysign"
).split()
"""Functions and methods that broadcast their tensors. Those with a final underscore write the first tensor in place."""


@failure_finder(*REFUSED_SHAPES, after=["find_leaf_written", "find_view_of_many"])
def find_broadcast_mismatch(failure: Failure) -> list[Finding]:
    """An error for an elementwise operator with shapes that do not fit."""
    operands, is_in_place = _operands(failure)
    if len(operands) < 2:
        return []
    refused = [*failure.reading.found_by("find_leaf_written"), *failure.reading.found_by("find_view_of_many")]
    if any(finding.tick == failure.step.began for finding in refused):  # torch refuses such a write before it compares shapes
        return []
    is_write = isinstance(failure.piece, ast.Subscript) or failure.called[0] == "copy_"
    for left, right in combinations(operands, 2):
        places = disagreeing(left.shape, right.shape)
        if places:
            rule, at = "written" if is_write else "equal", places[0]
        elif is_in_place and left is operands[0] and broadcast(left.shape, right.shape) != left.shape:
            rule, at = "in_place", 0
        else:
            continue
        arguments: Arguments = {
            "rule": rule,
            "at": at,
            "left_size": left.shape[at] if at else 0,
            "right_size": right.shape[at] if at else 0,
            "result": str(broadcast(left.shape, right.shape)),
            "advice": _advice(left.shape, right.shape) if rule == "equal" else "none",
        }
        clashes = failure.clash_between(left, at, right, at) if at else []
        fixes = _fixes(failure, left, right, rule)
        return [failure.finding("broadcast_mismatch", left, right, arguments, fixes=fixes, clashes=clashes)]
    return []


def _fixes(failure: Failure, left: Operand, right: Operand, rule: str) -> Fixes:
    """Fixes that add a dimension of size 1 to the operand with fewer dimensions, if only one position is possible, or that
    reshape a written value."""
    if rule == "in_place":
        return []
    shorter, longer = (left, right) if len(left.shape) < len(right.shape) and rule == "equal" else (right, left)
    node = failure.node_of(shorter)
    if node is None:
        return []
    if rule == "written":
        return to_shape(failure.source, node, shorter.shape, longer.shape)
    shapes = [(*shorter.shape[:place], 1, *shorter.shape[place:]) for place in range(len(shorter.shape) + 1)]
    fitting = [shape for shape in dict.fromkeys(shapes) if broadcast(shape, longer.shape) == longer.shape]
    is_shorter = len(shorter.shape) < len(longer.shape)
    return to_shape(failure.source, node, shorter.shape, fitting[0]) if len(fitting) == 1 and is_shorter else []


def _operands(failure: Failure) -> tuple[list[Operand], bool]:
    """The operands of the failed operator, and whether it writes its result into the first operand."""
    match failure.piece:
        case ast.BinOp(left=left, op=operator, right=right) if not isinstance(operator, ast.MatMult):
            return failure.operands([left, right]), False
        case ast.Compare(left=left, comparators=[right]):
            return failure.operands([left, right]), False
        case ast.AugAssign(target=target, op=operator, value=value) if not isinstance(operator, ast.MatMult):
            return failure.operands([target, value]), True
        case ast.Subscript(ctx=ast.Store()) as target:
            statement = failure.reading.syntax.statement_around(target)
            written = statement.value if isinstance(statement, ast.Assign) and statement.targets == [target] else None
            return ([], False) if written is None else _written(failure, target, written)
    name, nodes = failure.called
    if name.removesuffix("_") in _FUNCTIONS:
        known = [each for each in map(failure.operand, nodes) if each is not None]
        first = failure.operand(nodes[0]) if nodes else None
        is_in_place = name.endswith("_") and first is not None and bool(known) and known[0] == first
        return known, is_in_place
    if name == "copy_" and len(nodes) == 2:
        return failure.operands(nodes), True
    return [], False


def _written(failure: Failure, target: ast.Subscript, value: ast.expr) -> tuple[list[Operand], bool]:
    """The operands of a write such as `x[0] = y`.

    Empty if `y` has extra leading dimensions of size 1, which torch ignores.
    """
    operands = failure.operands([target, value])
    if len(operands) == 2:
        shape = operands[1].shape
        spare = len(shape) - len(operands[0].shape)
        if spare > 0 and set(shape[:spare]) == {1}:
            return [], False
    return operands, True


def _advice(left: Shape, right: Shape) -> str:
    """Which of two tensors would fit with a dimension of size 1 added at its end: "left", "right" or "none"."""
    if len(left) == len(right) + 1 and broadcast(left, (*right, 1)) == left and right == left[:-1]:
        return "right"
    if len(right) == len(left) + 1 and broadcast((*left, 1), right) == right and left == right[:-1]:
        return "left"
    return "none"
