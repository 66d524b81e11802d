"""Finds an in-place write that silently reads elements that it has already written: `x -= x[:, :1]`."""

import ast
import operator
from collections.abc import Callable
from itertools import product
from math import prod

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, finder, offer
from app.explain.reading.integers import integer
from app.explain.reading.reading import Reading
from app.explain.reading.viewing import Shape, broadcast
from app.explain.rewriting.replacing import with_clone
from app.trace.query import elements
from app.trace.records import Step, TensorId, Value, Write

_COMPUTED: dict[str, Callable[[float, float], float]] = {
    "aten::sub_": operator.sub,
    "aten::add_": operator.add,
    "aten::mul_": operator.mul,
    "aten::div_": operator.truediv,
}

_WRITTEN: dict[type[ast.operator], str] = {
    ast.Sub: "aten::sub_",
    ast.Add: "aten::add_",
    ast.Mult: "aten::mul_",
    ast.Div: "aten::div_",
}

_CLOSE = 1e-2
"""Relative tolerance for comparing a result with exact numbers. It suits bfloat16, which has eight binary digits."""

MOST_WRITES = 1_000
"""Maximum number of examined writes in place."""


@finder()
def find_read_while_written(reading: Reading) -> list[Finding]:
    """A warning for each statement with a result that differs from the result that the values before the statement imply."""
    writes = [write for write in reading.trace.writes if write.operator in _COMPUTED and write.changed]
    found: dict[ast.stmt, Finding] = {}
    for write in writes[:MOST_WRITES]:
        statement = None if write.step is None else reading.statement_ran_by(write.step)
        target, node = _written_and_read(statement, write)
        if statement is None or target is None or node is None or statement in found or write.step is None:
            continue
        step = reading.trace.steps[write.step]
        given = _given(reading, node, step, write)
        if given is None or not _is_wrong(reading, write, step, *given[1:]):
            continue
        fixes = [offer("clone_what_is_read", with_clone, reading.trace.source, node)]
        arguments: Arguments = {
            "name": reading.quoted(reading.syntax.text_of(target), step.frame),
            "read": reading.quoted(reading.syntax.text_of(node), step.frame),
        }
        found[statement] = reading.finding(
            "read_while_written", [step.id], [given[0]], arguments, severity="warning", fixes=fixes
        )
    return list(found.values())[:MOST_FINDINGS]


def _written_and_read(statement: ast.stmt | None, write: Write) -> tuple[ast.expr | None, ast.expr | None]:
    """The expressions that a statement writes and reads, if it consists only of that write: `x -= y`, `x.sub_(y)`."""
    match statement:
        case ast.AugAssign(target=target, op=op, value=node) if _WRITTEN.get(type(op)) == write.operator:
            return target, node
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=method), args=[node], keywords=[])):
            return (target, node) if f"aten::{method}" == write.operator else (None, None)
    return None, None


def _given(reading: Reading, node: ast.expr, step: Step, write: Write) -> tuple[TensorId, Shape, list[Value]] | None:
    """The Tensor that was read, and the shape and elements of the part that was read; None if this memory was not written."""
    index: ast.expr | None = None
    tensor = reading.tensor_of(node, step)
    if tensor is None and isinstance(node, ast.Subscript):
        index = node.slice
        tensor = reading.tensor_of(node.value, step)
    geometry = reading.geometry_at(tensor, step.began)
    if tensor is None or geometry is None or geometry.storage != write.storage:
        return None
    shown, shape = elements(reading.trace, tensor, step.began), tuple(geometry.shape)
    if not isinstance(shown, list) or index is None:
        return (tensor, shape, shown) if isinstance(shown, list) else None
    picked = _picked(reading, index, shape, step)
    if picked is None:
        return None
    strides = [prod(shape[place + 1 :]) for place in range(len(shape))]
    places = (sum(at * stride for at, stride in zip(each, strides, strict=True)) for each in product(*picked[1]))
    return tensor, picked[0], [shown[place] for place in places]


def _picked(reading: Reading, index: ast.expr, shape: Shape, step: Step) -> tuple[Shape, list[list[int]]] | None:
    """The shape of a view by integers and slices, and for each dimension the selected indices; None if unknown."""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    kept: list[int] = []
    places: list[list[int]] = []
    for item, size in zip(items, shape, strict=False):
        if isinstance(item, ast.Slice):
            ends = [None if end is None else integer(reading, end, step) for end in (item.lower, item.upper, item.step)]
            written = [end for end in (item.lower, item.upper, item.step) if end is not None]
            if len(written) != sum(end is not None for end in ends) or ends[2] == 0:
                return None
            places.append(list(range(size))[slice(*ends)])
            kept.append(len(places[-1]))
        else:
            number = integer(reading, item, step)
            is_flag = isinstance(item, ast.Constant) and isinstance(item.value, bool)
            if number is None or is_flag or not -size <= number < size:
                return None
            places.append([number % size])
    if len(items) > len(shape):
        return None
    rest = shape[len(items) :]
    return (*kept, *rest), [*places, *(list(range(size)) for size in rest)]


def _is_wrong(reading: Reading, write: Write, step: Step, shape: Shape, given: list[Value]) -> bool:
    """Whether the written values differ from the result computed from the values before the write."""
    tensor = write.tensor
    geometry = reading.geometry_at(tensor, step.began)
    if tensor is None or geometry is None or broadcast(shape, tuple(geometry.shape)) != tuple(geometry.shape):
        return False
    before, after = elements(reading.trace, tensor, step.began), elements(reading.trace, tensor, write.tick)
    if not isinstance(before, list) or not isinstance(after, list):
        return False
    values = [*before, *after, *given]
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in values) or 0 in given:
        return False
    compute = _COMPUTED[write.operator or ""]
    lacking = len(geometry.shape) - len(shape)
    strides = [prod(shape[place + 1 :]) * (shape[place] > 1) for place in range(len(shape))]
    for at, place in enumerate(product(*map(range, geometry.shape))):
        read = given[sum(index * stride for index, stride in zip(place[lacking:], strides, strict=True))]
        one, other, result = before[at], read, after[at]
        if isinstance(one, int | float) and isinstance(other, int | float) and isinstance(result, int | float):
            expected = compute(one, other)
            if abs(result - expected) > _CLOSE * max(1.0, abs(expected), abs(one), abs(other)):
                return True
    return False
