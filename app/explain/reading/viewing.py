"""Computes the shapes of views from their source (`x.t()`, `x[0]`), and of broadcasting."""

import ast
from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import prod

Shape = tuple[int, ...]
Integers = Callable[[Sequence[ast.expr]], list[int] | None]
"""Evaluates expressions; None unless all are known integers."""

_SAME = ("detach", "contiguous", "clone", "float", "double", "long", "to", "cpu", "requires_grad_")
"""Methods that keep the shape. If they copy, their operator creates a recorded tensor."""

_SHAPED = "t transpose swapaxes swapdims permute unsqueeze squeeze flatten view reshape view_as reshape_as expand_as".split()


def is_view(node: ast.expr) -> ast.expr | None:
    """The tensor expression of which `x[0]`, `x.T` or `x.view(2)` is a view; None for other expressions."""
    match node:
        case ast.Subscript(value=value) | ast.Attribute(value=value, attr="T" | "mT" | "data"):
            return value
        case ast.Call(func=ast.Attribute(value=value, attr=method)):
            return value if method in _SAME or method in _SHAPED else None
    return None


def viewed(node: ast.expr, shape: Shape, integers: Integers) -> Shape | None:
    """The shape of a view of a tensor with this shape; None if the result is unknown or torch refuses the view."""
    match node:
        case ast.Attribute(attr="data"):
            return shape
        case ast.Attribute(attr="T"):
            return shape[::-1]
        case ast.Attribute(attr="mT"):
            return (*shape[:-2], shape[-1], shape[-2]) if len(shape) > 1 else None
        case ast.Subscript(slice=index):
            return _indexed(index, shape, integers)
        case ast.Call(func=ast.Attribute(attr=method)) if method in _SAME:
            return shape
        case ast.Call(func=ast.Attribute(attr=method), args=args, keywords=[]):
            match args:
                case [ast.Tuple(elts=args) | ast.List(elts=args)]:
                    pass
            numbers = integers(args)
            return None if numbers is None else reshaped(method, shape, numbers)
    return None


def reshaped(method: str, shape: Shape, numbers: list[int]) -> Shape | None:
    """The shape of `x.method(*numbers)`."""
    last = len(shape)
    match method, numbers:
        case "t", []:
            return shape[::-1] if last <= 2 else None
        case (("transpose" | "swapaxes" | "swapdims"), [one, other]) if -last <= one < last and -last <= other < last:
            swapped = list(shape)
            swapped[one], swapped[other] = shape[other], shape[one]
            return tuple(swapped)
        case "permute", _ if sorted(number % last if last else 0 for number in numbers) == list(range(last)):
            return tuple(shape[number] for number in numbers)
        case "unsqueeze", [place] if -last - 1 <= place <= last:
            at = place if place >= 0 else place + last + 1
            return (*shape[:at], 1, *shape[at:])
        case "squeeze", []:
            return tuple(size for size in shape if size != 1)
        case "squeeze", [place] if -last <= place < last:
            return shape if shape[place] != 1 else shape[: place % last] + shape[place % last + 1 :]
        case "flatten", _ if len(numbers) <= 2 and last:
            begin, end = (place % last for place in [*numbers, *(0, -1)[len(numbers) :]])
            return (*shape[:begin], prod(shape[begin : end + 1]), *shape[end + 1 :]) if begin <= end else None
        case (("view" | "reshape"), _):
            return filled(prod(shape), numbers)
    return None


def filled(count: int, sizes: list[int]) -> Shape | None:
    """The arguments of `view` with -1 replaced by the computed size; None if `count` elements cannot have these sizes."""
    rest = prod(size for size in sizes if size != -1)
    if sizes.count(-1) > 1 or any(size < -1 for size in sizes):
        return None
    if -1 not in sizes:
        return tuple(sizes) if rest == count else None
    return tuple(count // rest if size == -1 else size for size in sizes) if rest and count % rest == 0 else None


def _indexed(index: ast.expr, shape: Shape, integers: Integers) -> Shape | None:
    """The shape of `x[index]` for an index of integers, slices, `None` and `...`; None if unknown."""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    if not any(_is_constant(item, Ellipsis) for item in items):
        items = [*items, ast.Constant(value=Ellipsis)]
    missing = len(shape) - sum(not _is_constant(item, None) and not _is_constant(item, Ellipsis) for item in items)
    if missing < 0 or sum(_is_constant(item, Ellipsis) for item in items) > 1:
        return None
    sizes: list[int] = []
    left = list(shape)
    for item in items:
        if _is_constant(item, None):
            sizes.append(1)
        elif _is_constant(item, Ellipsis):
            sizes += left[:missing]
            left = left[missing:]
        else:
            taken = _taken(item, left.pop(0), integers)
            if taken is None:
                return None
            sizes += taken
    return tuple(sizes)


def _taken(item: ast.expr, size: int, integers: Integers) -> list[int] | None:
    """The sizes that an index or a slice leaves of a dimension: none or one; None if unknown."""
    if not isinstance(item, ast.Slice):
        number = integers([item])
        return [] if number is not None and -size <= number[0] < size else None
    bounds = (item.lower, item.upper, item.step)
    numbers = integers([each for each in bounds if each is not None])
    if numbers is None:
        return None
    given = iter(numbers)
    begin, end, by = (None if each is None else next(given) for each in bounds)
    return None if by is not None and by < 1 else [len(range(*slice(begin, end, by).indices(size)))]


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def broadcast(one: Shape, other: Shape) -> Shape | None:
    """The shape that two shapes broadcast to; None if they do not broadcast."""
    sizes = []
    for a, b in zip_longest(reversed(one), reversed(other), fillvalue=1):
        if a != b and 1 not in (a, b):
            return None
        sizes.append(b if a == 1 else a)
    return tuple(reversed(sizes))


def disagreeing(one: Shape, other: Shape) -> list[int]:
    """The dimensions in which two shapes do not broadcast, as negative indices (-1 is the last)."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return [-1 - place for place, (a, b) in enumerate(pairs) if a != b and 1 not in (a, b)]
