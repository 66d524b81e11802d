"""Finds two tensors that cannot be multiplied as matrices: `@`, `matmul`, `mm`, `bmm`, `mv`, `dot`."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape, disagreeing
from app.explain.rewriting.fitting import with_behind
from app.explain.rewriting.replacing import with_replaced

_ADDED = {"addmm": "mm", "baddbmm": "bmm", "addmv": "mv", "addbmm": "bmm"}
"""Functions that add the product of their second and third tensor to the first, and the function that computes the product."""

_DIMENSIONS = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1)}
"""How many dimensions the operands of a function must have. For `matmul`, any number above 0 is valid."""


@failure_finder(*REFUSED_SHAPES)
def find_matmul_mismatch(failure: Failure) -> list[Finding]:
    """An error for a matrix product with shapes that do not fit."""
    function, nodes = _product(failure)
    operands = failure.operands(nodes)
    if len(operands) != 2:
        return []
    left, right = operands
    rule, left_at, right_at = _refused(function, left.shape, right.shape)
    if not rule:
        return []
    arguments: Arguments = {
        "rule": rule,
        "function": function,
        "left_at": left_at,
        "right_at": right_at,
        "left_size": left.shape[left_at] if left_at else 0,
        "right_size": right.shape[right_at] if right_at else 0,
        "left_count": len(left.shape),
        "right_count": len(right.shape),
        "left_wanted": _DIMENSIONS.get(function, (1, 1))[0],
        "right_wanted": _DIMENSIONS.get(function, (1, 1))[1],
        "advice": _advice(left, right) if rule == "inner" else "none",
    }
    fixes = _fixes(failure, nodes, operands, str(arguments["advice"]) if rule != "dimensions" else rule)
    clashes = failure.clash_between(left, left_at, right, right_at) if left_at else []
    return [failure.finding("matmul_mismatch", left, right, arguments, fixes=fixes, clashes=clashes)]


def _fixes(failure: Failure, nodes: list[ast.expr], operands: list[Operand], advice: str) -> Fixes:
    """Fixes that transpose a factor, or that call `matmul`, which also multiplies batches of matrices."""
    shapes = [operand.shape for operand in operands]
    if advice in ("left", "right"):
        place = ("left", "right").index(advice)
        written = ".T" if len(shapes[place]) == 2 else ".transpose(-2, -1)"
        return [offer("transpose_factor", with_behind, failure.source, nodes[place], written)]
    fits = advice == "dimensions" and not _refused("matmul", *shapes)[0]
    match failure.piece:
        case ast.Call(func=ast.Attribute(value=value) as function) if fits:
            text = f"{failure.reading.syntax.text_of(value)}.matmul"
            return [offer("matmul_instead", with_replaced, failure.source, [(function, text)])]
    return []


def _product(failure: Failure) -> tuple[str, list[ast.expr]]:
    """The function that computes a product, and its two factors; "" for other expressions."""
    match failure.piece:
        case (
            ast.BinOp(left=left, op=ast.MatMult(), right=right)
            | ast.AugAssign(target=ast.Name() as left, op=ast.MatMult(), value=right)
        ):
            return "matmul", [left, right]
    name, nodes = failure.called
    if name.removesuffix("_") in _ADDED and len(nodes) == 3:
        return _ADDED[name.removesuffix("_")], nodes[1:]
    if name == "linear" and len(nodes) > 1:
        return name, nodes[:2]
    return (name, nodes) if name in ("matmul", *_DIMENSIONS) and len(nodes) == 2 else ("", [])


def _refused(function: str, left: Shape, right: Shape) -> tuple[str, int, int]:
    """Why two shapes cannot be multiplied, and the dimension of each shape that does not fit, counted from the end; "" if they
    can be multiplied."""
    wanted = _DIMENSIONS.get(function)
    if wanted is not None and (len(left), len(right)) != wanted:
        return "dimensions", 0, 0
    if not left or not right:
        return "no_dimension", 0, 0
    if function == "linear":
        return ("transposed", -1, -1) if left[-1] != right[-1] else ("", 0, 0)
    inner = -1 if len(right) == 1 else -2
    if left[-1] != right[inner]:
        return "inner", -1, inner
    batches = disagreeing(left[:-2], right[:-2])
    if function == "bmm" and left[0] != right[0]:
        return "equal_batch", -3, -3
    return ("batch", batches[0] - 2, batches[0] - 2) if batches else ("", 0, 0)


def _advice(left: Operand, right: Operand) -> str:
    """Which of two matrices (or batches of matrices) would fit with its last two dimensions transposed: "left", "right", "both"
    or "none"."""
    if len(left.shape) < 2 or len(right.shape) < 2 or disagreeing(left.shape[:-2], right.shape[:-2]):
        return "none"
    fits = {"right": left.shape[-1] == right.shape[-1], "left": left.shape[-2] == right.shape[-2]}
    fitting = [side for side, fit in fits.items() if fit]
    return "both" if len(fitting) == 2 else fitting[0] if fitting else "none"
