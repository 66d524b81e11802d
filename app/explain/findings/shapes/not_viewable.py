"""Finds a `view` of a tensor with strides that do not allow the new shape."""

import ast
from collections.abc import Iterator
from math import prod

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Step, TensorId

MOST_DIGITS = 16
"""Maximum number of digits of a size that is read from a variable."""

_SWAPS = ("transpose", "permute")
_Layout = list[tuple[int, int]]
"""The size and stride of each dimension."""


@finder()
def find_not_viewable(reading: Reading) -> Iterator[Finding]:
    """An error for each `x.view(...)` that torch refused although the number of elements matches."""
    for step, piece in reading.failures:
        match piece:
            case ast.Call(func=ast.Attribute(value=value, attr="view" | "view_as") as function, keywords=[]):
                tensor, layout = _layout(reading, value, step)
                if tensor is None or layout is None or _lies_in_order(layout) or not _fits(reading, piece, step, layout):
                    continue
                reshaped = "reshape" if function.attr == "view" else "reshape_as"
                name = reading.syntax.text_of(value)
                text = f"{name}.{reshaped}({', '.join(map(reading.syntax.text_of, piece.args))})"
                fixes = [offer("reshape_instead", with_replaced, reading.trace.source, [(piece, text)])]
                makers = [reading.trace.tensors[tensor].made_by] if reading.tensor_of(value, step) == tensor else []
                arguments: Arguments = {
                    "name": name,
                    "shape": str(tuple(count for count, _ in layout)),
                    "stride": str(tuple(stride for _, stride in layout)),
                    "maker_line": reading.line_of(makers[0]) or 0 if makers else 0,
                }
                yield reading.exception_finding("not_viewable", step, [tensor], arguments, fixes=fixes, makers=makers)


def _layout(reading: Reading, node: ast.expr, step: Step) -> tuple[TensorId | None, _Layout | None]:
    """The Tensor that an expression transposes, and the layout after these transpositions, which have no records."""
    swaps: list[tuple[str, list[int]]] = []
    while (tensor := reading.tensor_of(node, step)) is None:
        match node:
            case ast.Attribute(value=value, attr="T") | ast.Call(func=ast.Attribute(value=value, attr="t"), args=[]):
                swaps += [("t", [])]
            case ast.Call(func=ast.Attribute(value=value, attr=str(method)), args=written, keywords=[]) if method in _SWAPS:
                integers = _integers(reading, written, step)
                if integers is None:
                    return None, None
                swaps.append((method, integers))
            case _:
                return None, None
        node = value
    geometry = reading.geometry_at(tensor, step.began)
    if geometry is None or geometry.stride is None:
        return tensor, None
    layout: _Layout | None = list(zip(geometry.shape, geometry.stride, strict=True))
    for method, dimensions in reversed(swaps):
        layout = None if layout is None else _swapped(layout, method, dimensions)
    return tensor, layout


def _swapped(layout: _Layout, method: str, dimensions: list[int]) -> _Layout | None:
    """The layout of `x.t()`, `x.transpose(*dimensions)` or `x.permute(*dimensions)`; None if a dimension is out of range."""
    last = len(layout)
    if any(not -last <= dimension < last for dimension in dimensions):
        return None
    order = [dimension % last for dimension in dimensions]
    if method == "t":
        return layout[::-1]
    if method == "permute":
        return [layout[dimension] for dimension in order] if sorted(order) == list(range(last)) else None
    if len(order) != 2:
        return None
    one, other = order
    swapped = list(layout)
    swapped[one], swapped[other] = layout[other], layout[one]
    return swapped


def _integers(reading: Reading, nodes: list[ast.expr], step: Step) -> list[int] | None:
    """The values of expressions, if all are known integers: `-1`, `n`, `n * 4`."""
    found = [_integer(reading, node, step) for node in nodes]
    return None if None in found else [number for number in found if number is not None]


def _integer(reading: Reading, node: ast.expr, step: Step) -> int | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            held = reading.held(name, step)
            text = "" if held is None or held.type != "int" else held.text or ""
            return int(text) if text.isdecimal() and len(text) < MOST_DIGITS else None
        case ast.BinOp(left=ast.Name() | ast.Constant() as left, op=ast.Mult() | ast.FloorDiv() as operator, right=right):
            one = _integer(reading, left, step)
            other = _integer(reading, right, step) if isinstance(right, ast.Name | ast.Constant) else None
            if one is None or other is None:
                return None
            return one * other if isinstance(operator, ast.Mult) else one // other if other else None
    return None


def _lies_in_order(layout: _Layout) -> bool:
    """Whether the tensor is contiguous, so that torch can view it in any shape."""
    expected = 1
    for count, stride in reversed(layout):
        if count != 1 and stride != expected:
            return False
        expected *= count
    return True


def _fits(reading: Reading, call: ast.Call, step: Step, layout: _Layout) -> bool:
    """Whether the requested shape is known to have the same number of elements."""
    count = prod(each for each, _ in layout)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "view_as" and len(call.args) == 1:
        other = reading.tensor_of(call.args[0], step)
        like = reading.geometry_at(other, step.began)
        return like is not None and prod(like.shape) == count
    match call.args:
        case [ast.Tuple(elts=written) | ast.List(elts=written)]:
            sizes = _integers(reading, written, step)
        case written:
            sizes = _integers(reading, written, step)
    if sizes is None or sizes.count(-1) > 1 or any(size < -1 for size in sizes):
        return False
    rest = prod(size for size in sizes if size != -1)
    return rest > 0 and (count % rest == 0 if -1 in sizes else count == rest)
