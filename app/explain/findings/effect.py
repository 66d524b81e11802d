"""Decides from the trace whether a change of saved values affected the gradients of a backward.

Many changes have no effect: a ReLU uses only the sign of its result, and an element with a zero gradient is not used.
"""

import ast
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Literal

from app.explain.reading.reading import Reading
from app.explain.reading.recorded_values import is_nonzero
from app.trace.query import elements, end_of, events_after, read
from app.trace.records import Cells, Gradient, NodeId, SavedTensor, Step, Summary, Tick, Value

Effect = Literal["wrong", "same", "unknown"]

MOST_PRODUCTS = 1 << 14
"""Maximum number of multiplications for one saved matrix."""
_ROUNDED = 1e-5
"""A sum that is smaller than this fraction of its terms may be a rounding error."""
_EXACT = ("float32", "float64")
"""The dtypes in which any difference of two derivatives counts. In other dtypes, rounding may hide a small difference."""

_Differs = Callable[[float, float], bool | None]
_Gradient = tuple[list[int], list[Value]]


def _value(before: float, after: float) -> bool | None:
    return True


def _size(before: float, after: float) -> bool | None:
    return abs(before) != abs(after)


def _sign(before: float, after: float) -> bool | None:
    """Whether exactly one value is above zero. NaN counts as above zero (threshold_backward, ATen)."""
    return (before <= 0) != (after <= 0)


def _signum(before: float, after: float) -> bool | None:
    return math.isnan(before) or math.isnan(after) or (before > 0) - (before < 0) != (after > 0) - (after < 0)


def _of_the_derivative(derivative: Callable[[float], float]) -> _Differs:
    def differs(before: float, after: float) -> bool | None:
        if not (math.isfinite(before) and math.isfinite(after)):
            return None
        return True if abs(derivative(before) - derivative(after)) > 1e-6 else None

    return differs


def _number(value: Value) -> float:
    return float(value) if not isinstance(value, tuple) else math.nan


_ELEMENTWISE: dict[str, _Differs] = {
    **dict.fromkeys(("Mul", "Div", "Exp", "Sqrt", "Rsqrt", "Log", "Log2", "Log10"), _value),
    **dict.fromkeys(("Where", "MaskedFill", "MseLoss", "Addcmul"), _value),
    "Expm1": _of_the_derivative(lambda result: result + 1),
    "Log1P": _of_the_derivative(lambda value: 1 / (value + 1) if value > -1 else math.nan),
    "Reciprocal": _size,
    "Pow": lambda before, after: abs(before) != abs(after) or None,  # x and -x: equal derivatives for odd exponents
    "Relu": _sign,
    "LeakyRelu": _sign,
    "Abs": _signum,
    "Sigmoid": _of_the_derivative(lambda result: result * (1 - result)),
    "Tanh": _of_the_derivative(lambda result: result * result),
    "Sin": _of_the_derivative(math.cos),
    "Cos": _of_the_derivative(math.sin),
}
"""Nodes that multiply each element of the gradient by a function of the saved element at the same position, and whether two
different values change it; None if unknown."""

_LINEAR = {("Mul", "self"), ("Mul", "other"), ("Div", "self"), ("Where", "condition"), ("MaskedFill", "mask")}
_LINEAR |= {("Addcmul", "tensor1"), ("Addcmul", "tensor2")}
"""Slots with elements that multiply the gradient. A sum from broadcasting is then linear in the change."""

_READERS: dict[tuple[str, str], tuple[int, ...]] = {
    ("Mul", "self"): (1,),
    ("Mul", "other"): (0,),
    ("Div", "self"): (1,),
    ("Div", "other"): (0, 1),
    ("Addcmul", "tensor1"): (2,),
    ("Addcmul", "tensor2"): (1,),
    ("Mm", "self"): (1,),
    ("Mm", "mat2"): (0,),
    ("Bmm", "self"): (1,),
    ("Bmm", "mat2"): (0,),
    ("Addmm", "mat1"): (2,),
    ("Addmm", "mat2"): (1,),
    ("Baddbmm", "batch1"): (2,),
    ("Baddbmm", "batch2"): (1,),
    ("Mv", "self"): (1,),
    ("Mv", "vec"): (0,),
    ("Dot", "self"): (1,),
    ("Dot", "tensor"): (0,),
    ("NativeBatchNorm", "running_mean"): (1,),
    ("NativeBatchNorm", "running_var"): (0, 1),
}
"""The edges whose gradients are computed from a slot (derivatives.yaml). `backward(inputs=...)` may need only some of them."""

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
"""Nodes and slots with a product as gradient: with the saved matrix on the left or on the right, or an outer product."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A saved tensor, and the gradients received and sent by the run of the Node that read it."""

    saved: SavedTensor
    name: str
    """The Node's name without its suffix: "Mul"."""
    sent: dict[int, Gradient]
    """The gradients that were computed from this slot, by edge; empty if unknown."""
    shape: list[int]
    """The shape of the received gradient, `arrived`."""
    arrived: list[Value]
    before: list[Value]
    """The saved elements as they were before the write; as the run read them."""
    after: list[Value]


def effect_of(reading: Reading, saved: SavedTensor, run: Step) -> Effect:
    """Whether the gradients that `run` sent are wrong because `saved` was overwritten before."""
    name = reading.trace.nodes[saved.node].name.removesuffix("0").removesuffix("Backward")
    all_sent = {each.edge: each for each in reading.gradients_in.get(run.id, []) if each.node == saved.node}
    edges = _READERS.get((name, saved.name))
    sent = {edge: each for edge, each in all_sent.items() if edge is not None and (edges is None or edge in edges)}
    if all_sent and not sent:
        return "same"
    gradient = _arrived(reading, saved.node, run)
    if gradient is None:
        return "unknown"
    shape, arrived = ([], []) if isinstance(gradient, Summary) else gradient
    if not isinstance(gradient, Summary) and not any(map(is_nonzero, arrived)):
        return "same"
    values = _values(reading, saved, run)
    if name == "NativeBatchNorm" and values is not None:
        return _by_channel(_Use(saved, name, sent, shape, arrived, *values), all_sent.get(2))
    if isinstance(gradient, Summary) or values is None:
        is_nowhere_zero = _is_nowhere_zero(gradient) if isinstance(gradient, Summary) else all(map(is_nonzero, arrived))
        return "wrong" if values is None and is_nowhere_zero and _always_counts(reading, saved, name, sent) else "unknown"
    use = _Use(saved, name, sent, shape, arrived, *values)
    if name == "MseLoss":
        return _of_difference(reading, use, run)
    if name in _ELEMENTWISE:
        unread, effect = _unread(reading, use), _elementwise(use, _ELEMENTWISE[name])
        return effect if unread is None or effect == "same" else unread
    side = _PRODUCTS.get((name, saved.name))
    return "unknown" if side is None else _by_product(reading, use, side)


def _is_nowhere_zero(gradient: Summary) -> bool:
    return any(isinstance(bound, float | int) and sign * bound > 0 for bound, sign in ((gradient.min, 1), (gradient.max, -1)))


def _always_counts(reading: Reading, saved: SavedTensor, name: str, sent: dict[int, Gradient]) -> bool:
    """Whether every changed element changes the result if the received gradient is nonzero in this element."""
    if (
        _ELEMENTWISE.get(name) is not _value
        or name == "Addcmul"
        or (name == "MseLoss" and len(_overwritten(reading, saved)) > 1)
    ):
        return False
    reading_whole = [edge for edge, each in sent.items() if _fits(saved.geometry.shape, each.shape)]
    return not sent or (0 in reading_whole if name == "Div" and saved.name == "other" else bool(reading_whole))


def _overwritten(reading: Reading, saved: SavedTensor) -> list[SavedTensor]:
    return [each for each in reading.saved_by.get(saved.node, []) if each.overwritten]


def _values(reading: Reading, saved: SavedTensor, run: Step) -> tuple[list[Value], list[Value]] | None:
    """The saved elements before the write, and the elements that the run read; None if either list is unknown."""
    trace = reading.trace
    first, write = saved.overwritten[0]
    before = read(trace, saved.geometry, Tick(first - 1))
    if write is not None and trace.writes[write].storage == saved.geometry.storage:
        after = read(trace, saved.geometry, run.began)
    elif saved.tensor is not None:  # `.data =` and `set_` replace the Storage
        after = elements(trace, saved.tensor, run.began)
    else:
        return None
    known = isinstance(before, list) and isinstance(after, list) and len(before) == len(after)
    return (before, after) if known and isinstance(before, list) and isinstance(after, list) else None


def _arrived(reading: Reading, node: NodeId, run: Step) -> _Gradient | Summary | None:
    """The gradient that a run of a Node received; None if it is unknown or if several arrived."""
    earlier = reading.last_run(node, Tick(run.began - 1))
    since = Tick(-1) if earlier is None else end_of(earlier)
    arrived = list(events_after(reading.gradients_to.get(node, []), since, run.began))
    if len(arrived) != 1:
        return None
    value = arrived[0].value
    if isinstance(value, Cells):
        return arrived[0].shape, value.values
    return value if isinstance(value, Summary) else None


def _numbers(gradient: Gradient | None) -> list[float] | None:
    return (
        [_number(each) for each in gradient.value.values]
        if gradient is not None and isinstance(gradient.value, Cells)
        else None
    )


def _factors(use: _Use) -> list[tuple[float, float]]:
    """For each element with a nonzero gradient: the value that was read, and the factor that multiplied the gradient."""
    sent = _numbers(use.sent.get(0)) or []
    rows = zip(use.after, use.arrived, sent, strict=False) if len(sent) == len(use.arrived) == len(use.after) else ()
    numbers = ((_number(value), _number(arrived), each) for value, arrived, each in rows)
    return [(value, each / arrived) for value, arrived, each in numbers if arrived and math.isfinite(value + arrived + each)]


def _unread(reading: Reading, use: _Use) -> Effect | None:
    """Compares the sent gradient with the received gradient.

    "same" if the Node does not use the saved tensor, as for `x ** 1`; None if it does.
    """
    factors = _factors(use)
    multiplied, values = {factor for _, factor in factors}, {abs(value) for value, _ in factors}
    if use.name == "Pow" and multiplied == {1.0}:  # for other exponents, the factor is 1 at one |x| < 1 at most
        return "same" if len(values) > 1 or max(value for value, _ in factors) > 1 or 0 in values else "unknown"
    if use.name == "Pow" and multiplied == {0.0}:
        return "same" if max(values) >= 0.5 else None if _is_plain(reading, use) else "unknown"
    if use.name == "LeakyRelu":
        below = {factor for value, factor in factors if value <= 0}
        return "same" if below == {1.0} else None if below else "unknown"
    if use.name == "Addcmul" and _is_all_zero(use):
        return "same" if any(map(is_nonzero, use.after)) else None if _is_plain(reading, use) else "unknown"
    return None


def _is_all_zero(use: _Use) -> bool:
    """Whether all sent gradients consist of zeros."""
    sent = [_numbers(each) for each in use.sent.values()]
    return bool(sent) and not any(each is None or any(each) for each in sent)


def _is_plain(reading: Reading, use: _Use) -> bool:
    """Whether the call's source shows that the gradient depends on the saved tensor: an exponent other than 0 and 1, or no
    `alpha`.
    """
    made_by = reading.trace.nodes[use.saved.node].made_by
    piece = None if made_by is None else reading.node_at(reading.trace.steps[made_by].span)
    match piece:
        case (
            ast.BinOp(op=ast.Pow(), right=ast.Constant(value=int() | float() as exponent))
            | ast.AugAssign(op=ast.Pow(), value=ast.Constant(value=int() | float() as exponent))
            | ast.Call(func=ast.Attribute(attr="pow"), args=[*_, ast.Constant(value=int() | float() as exponent)])
        ):
            return exponent not in (0, 1)
        case ast.Call(func=ast.Attribute(attr="square")):
            return True
        case ast.Call(keywords=keywords):
            return use.name != "Pow" and not any(each.arg in ("alpha", "value", None) for each in keywords)
    return use.name != "Pow" and piece is not None


def _elementwise(use: _Use, differs: _Differs) -> Effect:
    shape, arrived = use.shape, use.arrived
    if prod(shape) == 1:  # the loss is a mean, so one gradient was received for all elements
        shape, arrived = use.saved.geometry.shape, arrived * prod(use.saved.geometry.shape)
    places = _places(use.saved.geometry.shape, shape)
    if places is None or len(places) != len(arrived):
        return "unknown"
    rows = [(use.before[place], use.after[place], each) for place, each in zip(places, arrived, strict=True)]
    is_exact = differs in (_value, _size, _sign, _signum) or use.saved.geometry.dtype in _EXACT
    found = {_differs(differs, *row, is_exact) for row in rows if row[0] != row[1] and is_nonzero(row[2])}
    if use.name == "Pow" and len(_factors(use)) < len(rows):  # the root of a negative number is NaN
        found = {None if each else each for each in found}
    if True not in found:
        return "unknown" if None in found else "same"
    if use.name == "Div" and use.saved.name == "other" and 0 not in use.sent and use.sent:
        return _by_divisor(use)
    added = [each.shape for each in use.sent.values() if prod(each.shape) < prod(shape)]
    if len(added) < len(use.sent) or not use.sent:
        return "wrong"
    if (use.name, use.saved.name) not in _LINEAR:
        return "unknown"
    terms = [(_number(after) - _number(before)) * _number(each) for before, after, each in rows]
    return _most({_of_sums(_grouped(terms, _places(sizes, shape))) for sizes in added})


def _differs(differs: _Differs, before: Value, after: Value, gradient: Value, is_exact: bool) -> bool | None:
    """Whether the change of an element changed the factor of its gradient; None if unknown."""
    if any(isinstance(value, tuple) for value in (before, after, gradient)):
        return True if differs is _value else None
    found = differs(_number(before), _number(after)) if math.isfinite(_number(gradient)) else None
    return None if found and not is_exact else found


def _by_divisor(use: _Use) -> Effect:
    """The effect on the gradient of a divisor, which depends on the square of the divisor."""
    sent = _numbers(use.sent.get(1))
    if sent is None or len(sent) != len(use.after):
        return "unknown"
    rows = zip(use.before, use.after, sent, strict=True)
    return "wrong" if any(each and abs(_number(before)) != abs(_number(after)) for before, after, each in rows) else "unknown"


def _of_difference(reading: Reading, use: _Use, run: Step) -> Effect:
    """The effect for `MseLoss`, whose gradient depends on a difference: equal changes of both tensors have no effect."""
    before, after = use.before, use.after
    others = [each for each in _overwritten(reading, use.saved) if each.id != use.saved.id]
    if len(others) > 1:  # torch saves two tensors; comparing more, in a forged trace, would take quadratic time
        return "unknown"
    for other in others:
        values = _values(reading, other, run)
        if values is None or len(values[0]) != len(before):
            return "unknown"
        before, after = _less(before, values[0]), _less(after, values[1])
    return _elementwise(replace(use, before=before, after=after), _value)


def _less(values: list[Value], others: list[Value]) -> list[Value]:
    return [_number(one) - _number(other) for one, other in zip(values, others, strict=True)]


def _by_channel(use: _Use, bias: Gradient | None) -> Effect:
    """The effect for batch norm in evaluation mode: the running variance scales the gradients of input and weight, and the
    running mean shifts the gradient of the weight."""
    changed = {place for place, (before, after) in enumerate(zip(use.before, use.after, strict=True)) if before != after}
    if use.saved.name == "running_mean":
        added = _numbers(bias)  # the gradient of the bias is the sum of the received gradient for each channel
        terms = added if added else [_number(each) for each in use.arrived]
        sums = _grouped(terms, range(len(terms)) if added else _channels(use.shape))
        return _most({_of_sums({place: sums[place]}) for place in changed if place in sums} or {"unknown"})
    for edge, each in use.sent.items():
        sent = _numbers(each) or []
        channels = range(len(sent)) if edge or not sent else _channels(each.shape)
        if any(number and place in changed for number, place in zip(sent, channels, strict=False)):
            return "wrong"
    return "unknown"


def _channels(shape: list[int]) -> list[int]:
    """The channel of each element in a batch of this shape."""
    inner = prod(shape[2:])
    return [place // inner % shape[1] for place in range(prod(shape))] if len(shape) > 1 else []


def _fits(shape: list[int], sizes: list[int]) -> bool:
    """Whether a tensor of shape `shape` broadcasts to `sizes`."""
    padded = [1] * (len(sizes) - len(shape)) + shape
    return len(shape) <= len(sizes) and all(one in (1, size) for one, size in zip(padded, sizes, strict=True))


def _places(shape: list[int], sizes: list[int]) -> list[int] | None:
    """For each element of a result of shape `sizes`, the index of the element that it reads by broadcasting; None if the shapes
    do not broadcast."""
    if not _fits(shape, sizes):
        return None
    padded = [1] * (len(sizes) - len(shape)) + shape
    strides = [0 if one == 1 else prod(padded[number + 1 :]) for number, one in enumerate(padded)]
    return [sum(map(int.__mul__, index, strides)) for index in product(*map(range, sizes))]


def _grouped(terms: list[float], places: Sequence[int] | None) -> dict[int, list[float]]:
    """Groups the terms by the result element to which they are added."""
    found: dict[int, list[float]] = defaultdict(list)
    for place, term in zip(places or (), terms, strict=False):
        found[place].append(term)
    return found


def _of_sums(sums: dict[int, list[float]]) -> Effect:
    """The effect of changes that are added up: "wrong" if a sum is not 0, apart from rounding errors."""
    rests = [(abs(sum(terms)), sum(map(abs, terms))) for terms in sums.values()]
    if any(rest > _ROUNDED * whole for rest, whole in rests):
        return "wrong"
    return "unknown" if not rests or any(rest for rest, _ in rests) else "same"


def _most(effects: set[Effect]) -> Effect:
    return "wrong" if "wrong" in effects else "unknown" if "unknown" in effects else "same"


def _by_product(reading: Reading, use: _Use, side: str) -> Effect:
    """The effect of a changed matrix in a product: "same" if the product of the gradient and the change is zero."""
    if any(isinstance(value, str | tuple) for row in (use.before, use.after, use.arrived) for value in row):
        return "unknown"
    change = [_number(after) - _number(before) for before, after in zip(use.before, use.after, strict=True)]
    if side == "outer":
        return "wrong" if any(change) and any(map(_number, use.arrived)) else "same"
    products = _products(use, side, change)
    if products is None:
        return "unknown"
    if _is_all_zero(use):  # for example, `alpha` is 0
        read = _products(use, side, [_number(after) for after in use.after])
        if read is not None and _of_sums(dict(enumerate(read))) == "wrong":
            return "same"
        if not _is_plain(reading, use):
            return "unknown"
    return _of_sums(dict(enumerate(products)))


def _products(use: _Use, side: str, matrix: list[float]) -> Iterator[list[float]] | None:
    """The terms of each element of the product of the gradient and `matrix`, which replaces the saved matrix; None if the
    product is too large."""
    grads, shape = [_number(each) for each in use.arrived], use.saved.geometry.shape
    rows = shape[0]
    columns = len(matrix) // max(rows, 1)
    others = len(grads) // max(rows if side == "left" else columns, 1)
    if (use.shape[:1] != [rows] and side == "left") or rows * columns * others > MOST_PRODUCTS:
        return None
    if side == "left":  # shapes [rows, columns] and [rows, others], summed over the rows
        return (
            [matrix[row * columns + column] * grads[row * others + other] for row in range(rows)]
            for column in range(columns)
            for other in range(others)
        )
    return (  # shapes [rows, columns] and [others, columns], summed over the columns
        [matrix[row * columns + column] * grads[other * columns + column] for column in range(columns)]
        for row in range(rows)
        for other in range(others)
    )
