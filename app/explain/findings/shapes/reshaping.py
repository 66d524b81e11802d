"""Finds `view`, `reshape` and `expand` to sizes that do not match the tensor's number of elements."""

import ast
from math import prod

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, clipped, failure_finder
from app.explain.findings.shapes.flat_size import flattened_rows
from app.explain.reading.integers import integers
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape, filled
from app.explain.rewriting.replacing import with_replaced

_METHODS = ("view", "reshape", "expand")


@failure_finder(*REFUSED_SHAPES)
def find_reshape_mismatch(failure: Failure) -> list[Finding]:
    """An error for a tensor with a number of elements that does not fit the requested shape."""
    name, nodes = failure.called
    operand = failure.operand(nodes[0]) if name in _METHODS and len(nodes) > 1 else None
    if operand is None or (isinstance(failure.piece, ast.Call) and failure.piece.keywords):
        return []
    written = nodes[1].elts if len(nodes) == 2 and isinstance(nodes[1], ast.Tuple | ast.List) else nodes[1:]
    sizes = integers(failure.reading, written, failure.step)
    if sizes is None:
        return []
    rule, number = _not_expanded(operand.shape, sizes) if name == "expand" else _not_filled(operand.shape, sizes)
    if not rule:
        return []
    arguments = _arguments(failure, operand, sizes, rule, number)
    return [
        failure.single_finding("reshape_mismatch", [operand], arguments, fixes=_fixes(failure, operand.shape, written, sizes))
    ]


def _fixes(failure: Failure, shape: Shape, written: list[ast.expr], sizes: list[int]) -> Fixes:
    """`x.view(64, 784)` → `x.view(-1, 784)` for a last batch of 16, if the other sizes match each row."""
    if failure.called[0] == "expand":
        return []
    if sizes[:1] in ([-1], [*shape[:1]]) and isinstance(failure.piece, ast.Call):
        return flattened_rows(failure, failure.piece, shape, failure.step)
    is_of_rows = len(sizes) > 1 and bool(shape) and -1 not in sizes and prod(sizes[1:]) == prod(shape[1:])
    return [offer("rows_of_batch", with_replaced, failure.source, [(written[0], "-1")])] if is_of_rows else []


def _arguments(failure: Failure, operand: Operand, sizes: list[int], rule: str, number: int) -> Arguments:
    wanted = tuple(sizes)
    place = number if rule == "expand" else 0
    return {
        **failure.told(operand, "left"),
        "rule": rule,
        "function": failure.called[0],
        "wanted": clipped(str(wanted)),
        "elements": prod(operand.shape),
        "number": number,
        "left_size": operand.shape[place] if place else 0,
        "wanted_size": wanted[place] if place else 0,
    }


def _not_filled(shape: Shape, sizes: list[int]) -> tuple[str, int]:
    """Why `view` or `reshape` refuses these sizes, and the product of the sizes other than -1; "" if it accepts them."""
    rest = prod(size for size in sizes if size != -1)
    if sizes.count(-1) > 1:
        return "two", 0
    if any(size < -1 for size in sizes) or filled(prod(shape), sizes) is not None:
        return "", 0
    return ("rest" if -1 in sizes else "count"), rest


def _not_expanded(shape: Shape, sizes: list[int]) -> tuple[str, int]:
    """Why `expand` refuses these sizes for a shape, and the dimension, counted from the end; "" if it accepts them."""
    if len(sizes) < len(shape):
        return "fewer", 0
    for place in range(-1, -1 - len(shape), -1):
        if sizes[place] not in (-1, shape[place]) and shape[place] != 1 and sizes[place] >= 0:
            return "expand", place
    return "", 0
