"""Finds `cat` and `stack` of tensors with shapes that differ in a dimension that must be equal."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder, function_of_torch
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand, of_tensor
from app.explain.rewriting.fitting import to_shape
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import with_keyword
from app.trace.query import MODULE

_JOINING = {"cat": 0, "concat": 0, "concatenate": 0, "stack": None, "vstack": 0, "hstack": 1}
"""Functions that join tensors, and the default dimension along which they join. `stack` joins along a new dimension."""

MOST_JOINED = 1_000
"""Maximum number of tensors of a list that are compared with the first tensor."""


@failure_finder(*REFUSED_SHAPES)
def find_join_mismatch(failure: Failure) -> list[Finding]:
    """An error for the first tensor in a list that does not fit the list's first tensor."""
    name, nodes = failure.called
    if name not in _JOINING or not nodes:
        return []
    joined = _joined(failure, nodes[0])
    written = nodes[1] if len(nodes) > 1 else failure.keyword("dim") or failure.keyword("axis")
    dimension = _JOINING[name] if written is None else integer(failure.reading, written, failure.step)
    if written is not None and (dimension is None or name in ("vstack", "hstack")):
        return []
    first = joined[0] if joined else None
    for other in joined[1:]:
        if first is None or other is None:
            return []
        rule, at = _differing(name, first, other, dimension)
        if rule:
            arguments: Arguments = {
                "rule": rule,
                "function": name,
                "at": at,
                "dimension": dimension or 0,
                "left_size": first.shape[at] if rule in ("size", "stack") else len(first.shape),
                "right_size": other.shape[at] if rule in ("size", "stack") else len(other.shape),
            }
            fixes = _fixes(failure, joined, first, other, dimension)
            clashes = failure.clash_between(first, at, other, at) if rule in ("size", "stack") else []
            return [failure.finding("join_mismatch", first, other, arguments, fixes=fixes, clashes=clashes)]
    return []


def _fixes(failure: Failure, joined: list[Operand | None], first: Operand, other: Operand, dimension: int | None) -> Fixes:
    """Fixes that join along the only dimension along which all tensors fit, or that reshape or resize one tensor to fit the
    other."""
    piece, count = failure.piece, len(first.shape)
    if dimension is None or not isinstance(piece, ast.Call) or len(joined) == MOST_JOINED:
        return []
    if count == len(other.shape):
        shapes = [each.shape for each in joined if each is not None and len(each.shape) == count]
        along = [at for at in range(count) if len({(*shape[:at], *shape[at + 1 :]) for shape in shapes}) == 1]
        if len(along) != 1 or len(shapes) != len(joined):
            return _resized(failure, first, other, dimension)
        written = piece.args[1] if len(piece.args) > 1 else failure.keyword("dim") or failure.keyword("axis")
        if written is not None:
            return [offer("join_along", with_replaced, failure.source, [(written, str(along[0]))])]
        is_plain = failure.called[0] not in ("vstack", "hstack")
        return [offer("join_along", with_keyword, failure.source, piece, f"dim={along[0]}")] if is_plain else []
    shorter, longer = (first, other) if count < len(other.shape) else (other, first)
    node, at = failure.node_of(shorter), dimension % len(longer.shape)
    wanted = (*longer.shape[:at], 1, *longer.shape[at + 1 :])
    return [] if node is None or len(joined) != 2 else to_shape(failure.source, node, shorter.shape, wanted)


def _resized(failure: Failure, first: Operand, other: Operand, dimension: int) -> Fixes:
    """`F.interpolate(x, scale_factor=2)` → `F.interpolate(x, size=y.shape[2:])`, if the result is joined with `y`."""
    for made, like in ((first, other), (other, first)):
        maker = None if made.maker is None else failure.reading.trace.steps[made.maker]
        call = None if maker is None else failure.reading.node_at(maker.span)
        name = like.text.partition(".")[0].partition("[")[0]
        if maker is None or not isinstance(call, ast.Call) or dimension != 1 or maker.frame != failure.step.frame:
            continue
        known = function_of_torch(failure.reading, call.func, maker) == ("interpolate", True)
        scale = next((each for each in call.keywords if each.arg == "scale_factor"), None)
        if known and scale is not None and failure.reading.named(name, maker.frame, maker.began) == like.tensor:
            size = f"size={like.text}.shape[2:]"
            return [offer("resize_alike", with_replaced, failure.source, [(scale, size)])]
    return []


def _joined(failure: Failure, node: ast.expr) -> list[Operand | None]:
    """The tensors of a list literal, or of the list in a variable."""
    if isinstance(node, ast.List | ast.Tuple):
        return [failure.operand(each) for each in node.elts[:MOST_JOINED]]
    reading, step = failure.reading, failure.step
    if not isinstance(node, ast.Name) or node.id in reading.rebound_in(step, failure.piece):
        return []
    held = reading.held(node.id, step)
    found: list[Operand | None] = []
    for number in range(min(held.length or 0, MOST_JOINED) if held is not None and held.kind == "collection" else 0):
        path = f"{node.id}[{number}]"
        tensor = reading.named(path, step.frame if step.frame is not None else MODULE, step.began)
        operand = None if tensor is None else of_tensor(reading, tensor, step, path)
        if operand is None:
            break
        found.append(operand)
    return found


def _differing(name: str, first: Operand, other: Operand, dimension: int | None) -> tuple[str, int]:
    """Why a tensor cannot be joined to the first tensor, and the dimension, from 0, in which the two differ."""
    if name in ("vstack", "hstack") and min(len(first.shape), len(other.shape)) < 2:
        return "", 0
    if name == "stack":
        if len(first.shape) != len(other.shape):
            return "stack_count", 0
        places = [place for place, size in enumerate(first.shape) if other.shape[place] != size]
        return ("stack", places[0]) if places else ("", 0)
    if (0,) in (first.shape, other.shape) or dimension is None:  # `cat` accepts a tensor of shape (0,) with any others
        return "", 0
    if len(first.shape) != len(other.shape):
        return "count", 0
    last = len(first.shape)
    if not -last <= dimension < last:
        return "", 0
    places = [place for place, size in enumerate(first.shape) if place != dimension % last and other.shape[place] != size]
    return ("size", places[0]) if places else ("", 0)
