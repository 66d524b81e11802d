"""Evaluates integer expressions of the snippet: `-1`, `n`, `n * 4`, `x.shape[0]`, `x.size(-1)`, `len(x)`."""

import ast
from collections.abc import Sequence

from app.explain.reading.reading import Reading
from app.trace.records import Step

MOST_DIGITS = 16
"""Maximum number of digits of an integer that is read from a variable."""

MOST_OPERATIONS = 20
"""Maximum depth of nested operations, as in `2 * n + 1`."""


def integers(reading: Reading, nodes: Sequence[ast.expr], step: Step) -> list[int] | None:
    """The values of these expressions when `step` began; None unless all are known integers."""
    found = [integer(reading, node, step) for node in nodes]
    return None if None in found else [number for number in found if number is not None]


def integer(reading: Reading, node: ast.expr, step: Step, deep: int = MOST_OPERATIONS) -> int | None:
    """The value of an expression when `step` began; None unless the value is a known integer."""
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
        case ast.Name(id=name):
            return _held(reading, name, step)
        case ast.BinOp(left=left, op=operator, right=right) if deep:
            one, other = integer(reading, left, step, deep - 1), integer(reading, right, step, deep - 1)
            return None if one is None or other is None else _computed(one, operator, other)
        case (
            ast.Subscript(value=ast.Attribute(value=tensor, attr="shape"), slice=place)
            | ast.Call(func=ast.Attribute(value=tensor, attr="size"), args=[place], keywords=[])
        ):
            shape, number = _shape(reading, tensor, step), integer(reading, place, step, 0)
            return shape[number] if shape is not None and number is not None and -len(shape) <= number < len(shape) else None
        case ast.Call(func=ast.Name(id="len"), args=[tensor], keywords=[]):
            shape = _shape(reading, tensor, step)
            return shape[0] if shape else None
    return None


def _held(reading: Reading, name: str, step: Step) -> int | None:
    if name in reading.rebound_in(step, reading.node_at(step.span)):
        return None
    held = reading.held(name, step)
    text = "" if held is None or held.type != "int" else held.text or ""
    return int(text) if text.removeprefix("-").isdecimal() and len(text) < MOST_DIGITS else None


def _computed(one: int, operator: ast.operator, other: int) -> int | None:
    match operator:
        case ast.Add():
            return one + other
        case ast.Sub():
            return one - other
        case ast.Mult():
            return one * other
        case ast.FloorDiv():
            return one // other if other else None
    return None


def _shape(reading: Reading, node: ast.expr, step: Step) -> list[int] | None:
    """The shape of the tensor at a path such as `self.x`; None if unknown."""
    path = reading.syntax.path_of(node)
    tensor = reading.named(path, step.frame, step.began) if path else None
    if tensor is None or path.partition(".")[0].partition("[")[0] in reading.rebound_in(step, reading.node_at(step.span)):
        return None
    geometry = reading.geometry_at(tensor, step.began)
    return None if geometry is None else list(geometry.shape)
