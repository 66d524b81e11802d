"""Whether a backward that computed with changed values sent other gradients for it, from what the trace tells of both.

Many changes do no harm: a ReLU asks only for the sign of its result, and an element whose gradient is zero is not asked at all.
"""

import math
from collections.abc import Callable
from itertools import product
from math import prod
from typing import Literal

from app.explain.reading.reading import Reading
from app.explain.reading.values import is_nonzero
from app.trace.query import elements, end_of, events_after, read
from app.trace.records import Cells, NodeId, SavedTensor, Step, Summary, Tick, Value

Effect = Literal["wrong", "same", "unknown"]

MOST_PRODUCTS = 1 << 14
"""Multiplied for one saved matrix; values are kept of at most 256 elements."""

_Differs = Callable[[Value, Value], bool | None]
_Gradient = tuple[list[int], list[Value]]


def _value(before: Value, after: Value) -> bool | None:
    return before != after


def _sign(before: Value, after: Value) -> bool | None:
    return (_number(before) > 0) != (_number(after) > 0) if before != after else False


def _either_sign(before: Value, after: Value) -> bool | None:
    """Of a power: an even one differs for values of other sign, an odd one does not."""
    return None if before != after and abs(_number(before)) == abs(_number(after)) else before != after


def _of_the_derivative(derivative: Callable[[float], float]) -> _Differs:
    def differs(before: Value, after: Value) -> bool | None:
        one, other = (_number(value) for value in (before, after))
        if before == after or not (math.isfinite(one) and math.isfinite(other)):
            return None if before != after else False
        return True if abs(derivative(one) - derivative(other)) > 1e-6 else None

    return differs


def _number(value: Value) -> float:
    return float(value) if not isinstance(value, tuple) else math.nan


_ELEMENTWISE: dict[str, _Differs] = {
    **dict.fromkeys(("Mul", "Div", "Exp", "Expm1", "Sqrt", "Rsqrt", "Reciprocal", "Log", "Log1p", "Log2", "Log10"), _value),
    **dict.fromkeys(("Where", "MaskedFill", "MseLoss", "Addcmul"), _value),
    "Pow": _either_sign,
    "Relu": _sign,
    "LeakyRelu": _sign,
    "Abs": lambda before, after: _sign(before, after) or (before != after and 0 in (before, after)),
    "Sigmoid": _of_the_derivative(lambda result: result * (1 - result)),
    "Tanh": _of_the_derivative(lambda result: result * result),
    "Sin": _of_the_derivative(math.cos),
    "Cos": _of_the_derivative(math.sin),
}
"""Nodes that multiply each element of the gradient by what they make of the saved element of the same place, and whether two
values make a difference to that; None where it cannot be said."""

_PRODUCTS = {
    ("Mm", "self"): "left",
    ("Mm", "mat2"): "right",
    ("Addmm", "mat1"): "left",
    ("Addmm", "mat2"): "right",
    ("Mv", "self"): "left",
    ("Mv", "vec"): "outer",
    ("Dot", "self"): "outer",
    ("Dot", "tensor"): "outer",
}
"""Nodes and slots whose gradient is a product: of the saved matrix from the left or the right, of each with each."""


def effect_of(reading: Reading, saved: SavedTensor, run: Step) -> Effect:
    """What the values that `saved` had when `run` computed with them, and not those it was saved with, made of the gradient."""
    name = reading.trace.nodes[saved.node].name.removesuffix("0").removesuffix("Backward")
    differs, side = _ELEMENTWISE.get(name), _PRODUCTS.get((name, saved.name))
    gradient = _arrived(reading, saved.node, run)
    values = _values(reading, saved, run)
    if isinstance(gradient, Summary):
        is_nowhere_zero = any(isinstance(bound, float | int) and sign * bound > 0 for bound, sign in _bounds(gradient))
        return "wrong" if differs is _value and values is None and is_nowhere_zero else "unknown"
    if gradient is None:
        return "unknown"
    if not any(is_nonzero(each) for each in gradient[1]):
        return "same"
    if values is None or (differs is None and side is None):
        is_wrong = differs is _value and all(is_nonzero(each) for each in gradient[1])
        return "wrong" if is_wrong else "unknown"
    if differs is not None:
        return _elementwise(differs, saved.geometry.shape, values, gradient)
    return _by_product(side or "", saved.geometry.shape, values, gradient)


def _bounds(gradient: Summary) -> list[tuple[Value | None, int]]:
    return [(gradient.min, 1), (gradient.max, -1)]


def _values(reading: Reading, saved: SavedTensor, run: Step) -> tuple[list[Value], list[Value]] | None:
    """The saved elements as they were before the write, and as the run read them."""
    trace = reading.trace
    first, write = saved.overwritten[0]
    before = read(trace, saved.geometry, Tick(first - 1))
    if write is not None and trace.writes[write].storage == saved.geometry.storage:
        after = read(trace, saved.geometry, run.began)
    elif saved.tensor is not None:  # `.data =` and `set_` let it look at another Storage
        after = elements(trace, saved.tensor, run.began)
    else:
        return None
    known = isinstance(before, list) and isinstance(after, list) and len(before) == len(after)
    return (before, after) if known and isinstance(before, list) and isinstance(after, list) else None


def _arrived(reading: Reading, node: NodeId, run: Step) -> _Gradient | Summary | None:
    """The gradient that a run of a Node received, when one came."""
    earlier = reading.last_run(node, Tick(run.began - 1))
    since = Tick(-1) if earlier is None else end_of(earlier)
    arrived = list(events_after(reading.gradients_to.get(node, []), since, run.began))
    if len(arrived) != 1:
        return None
    value = arrived[0].value
    if isinstance(value, Cells):
        return arrived[0].shape, value.values
    return value if isinstance(value, Summary) else None


def _elementwise(differs: _Differs, shape: list[int], values: tuple[list[Value], list[Value]], gradient: _Gradient) -> Effect:
    sizes, sent = gradient
    if prod(sizes) == 1:  # one number for all of them: a mean
        sizes, sent = shape, sent * prod(shape)
    places = _places(shape, sizes)
    if places is None or len(places) != len(sent):
        return "unknown"
    before, after = values
    found = {differs(before[place], after[place]) for place, each in zip(places, sent, strict=True) if is_nonzero(each)}
    return "wrong" if True in found else "unknown" if None in found else "same"


def _places(shape: list[int], sizes: list[int]) -> list[int] | None:
    """For each element of a result of these sizes, the place of the element that broadcasting lets it read."""
    if len(shape) > len(sizes):
        return None
    padded = [1] * (len(sizes) - len(shape)) + shape
    if any(one not in (1, size) for one, size in zip(padded, sizes, strict=True)):
        return None
    strides = [0 if one == 1 else prod(padded[number + 1 :]) for number, one in enumerate(padded)]
    return [sum(map(int.__mul__, index, strides)) for index in product(*map(range, sizes))]


def _by_product(side: str, shape: list[int], values: tuple[list[Value], list[Value]], gradient: _Gradient) -> Effect:
    """The product of the gradient with the difference: zero in every element, or not."""
    sizes, sent = gradient
    if any(isinstance(value, str | tuple) for row in (*values, sent) for value in row):
        return "unknown"
    change = [_number(after) - _number(before) for before, after in zip(*values, strict=True)]
    grads = [_number(each) for each in sent]
    if side == "outer":
        return "wrong" if any(change) and any(grads) else "same"
    rows = shape[0]
    columns = len(change) // max(rows, 1)
    others = len(grads) // max(rows if side == "left" else columns, 1)
    if sizes[:1] != [rows] and side == "left":
        return "unknown"
    if rows * columns * others > MOST_PRODUCTS:
        return "unknown"
    if side == "left":  # [rows, columns] and [rows, others]: summed over the rows
        sums = (
            sum(change[row * columns + column] * grads[row * others + other] for row in range(rows))
            for column in range(columns)
            for other in range(others)
        )
    else:  # [rows, columns] and [others, columns]: summed over the columns
        sums = (
            sum(change[row * columns + column] * grads[other * columns + column] for column in range(columns))
            for row in range(rows)
            for other in range(others)
        )
    return "wrong" if any(sums) else "same"
