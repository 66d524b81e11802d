"""Finds an index out of range: `x[5]`, `x[0, 0, 0]` with a matrix, `index_select`, `gather` and `scatter`."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder
from app.explain.reading.integers import integer
from app.explain.reading.recorded_values import outside
from app.explain.reading.shapes import Operand
from app.explain.rewriting.fitting import to_shape
from app.explain.rewriting.replacing import with_replaced

_GATHERING = ("gather", "scatter", "scatter_", "scatter_add", "scatter_add_")
"""Functions of a tensor, a dimension, and an index tensor with the same number of dimensions."""


@failure_finder(*REFUSED_SHAPES)
def find_index_beyond(failure: Failure) -> list[Finding]:
    """An error if the run ended because of an index out of range, or of an index tensor with a wrong shape."""
    if isinstance(failure.piece, ast.Subscript):
        return _of_subscript(failure, failure.piece)
    name, nodes = failure.called
    written = [*nodes[:3], *(failure.keyword(word) for word in ("input", "dim", "index")[len(nodes) :])]
    known = [each for each in written if each is not None]
    if name not in ("index_select", *_GATHERING) or len(known) != 3:
        return []
    indexed, index = failure.operand(known[0]), failure.operand(known[2])
    dimension = integer(failure.reading, known[1], failure.step)
    if indexed is None or index is None or dimension is None or index.dtype != "int64":
        return []
    if not -len(indexed.shape) <= dimension < len(indexed.shape):
        return []
    at = dimension % len(indexed.shape)
    if name == "index_select" and len(index.shape) > 1:
        told: Arguments = {"function": name, "dimension": at, "at": 0, "left_size": len(indexed.shape)}
        return [failure.finding("gather_mismatch", indexed, index, {**told, "rule": "vector", "right_size": len(index.shape)})]
    mismatch = _mismatch(failure, name, indexed, index, at) if name in _GATHERING else []
    return mismatch or _beyond(failure, name, indexed, index, at)


def _of_subscript(failure: Failure, piece: ast.Subscript) -> list[Finding]:
    """Finds an integer out of range in `x[i, :, j]`, or more integers and slices than `x` has dimensions."""
    is_path = isinstance(piece.value, ast.Name | ast.Attribute | ast.Subscript)
    indexed = failure.operand(piece.value) if is_path and failure.step.name == "IndexError" else None
    if indexed is None:
        return []
    items = piece.slice.elts if isinstance(piece.slice, ast.Tuple) else [piece.slice]
    told = failure.told(indexed, "left")
    at = 0
    for item in items:
        if isinstance(item, ast.Constant) and item.value is None:
            continue
        if isinstance(item, ast.Constant) and isinstance(item.value, bool):
            return []
        number = None if isinstance(item, ast.Slice) else integer(failure.reading, item, failure.step)
        if number is None and not isinstance(item, ast.Slice):
            return []
        size = indexed.shape[at] if at < len(indexed.shape) else None
        if number is not None and size is not None and not -size <= number < size:
            rule = "negative" if number < 0 else "number"
            arguments: Arguments = {**told, "rule": rule, "index": number, "at": at, "size": size, "last": size - 1}
            return [failure.single_finding("index_beyond", [indexed], arguments)]
        at += 1
    if at <= len(indexed.shape):
        return []
    arguments = {**told, "rule": "count", "indices": at, "dimensions": len(indexed.shape)}
    return [failure.single_finding("index_beyond", [indexed], arguments, fixes=_read(failure, piece, indexed))]


def _read(failure: Failure, piece: ast.Subscript, indexed: Operand) -> Fixes:
    """`loss.data[0]` → `loss.data.item()`. Before version 0.4 of torch, an index returned the number.

    In `loss[0].item()`, the fix removes the index.
    """
    is_zero = isinstance(piece.slice, ast.Constant) and piece.slice.value == 0
    if not is_zero or indexed.shape or not isinstance(piece.ctx, ast.Load):
        return []
    text = failure.reading.syntax.text_of(piece.value)
    statement = failure.reading.syntax.statement_around(piece)
    pieces = [] if statement is None else failure.reading.syntax.walk(statement)
    if any(isinstance(each, ast.Attribute) and each.value is piece for each in pieces):
        return [offer("whole_tensor", with_replaced, failure.source, [(piece, text)])]
    return [offer("read_number", with_replaced, failure.source, [(piece, f"{text}.item()")])]


def _mismatch(failure: Failure, function: str, indexed: Operand, index: Operand, dimension: int) -> list[Finding]:
    """Finds an index tensor with a different number of dimensions than the indexed tensor, or with a size that is too large."""
    if not indexed.shape or not index.shape or 0 in index.shape:
        return []
    arguments: Arguments = {"function": function, "dimension": dimension, "at": 0, "left_size": 0, "right_size": 0}
    if len(indexed.shape) != len(index.shape):
        arguments |= {"rule": "count", "left_size": len(indexed.shape), "right_size": len(index.shape)}
        node = failure.node_of(index)
        wanted = (*indexed.shape[:dimension], 1, *indexed.shape[dimension + 1 :])
        fixes = [] if node is None else to_shape(failure.source, node, index.shape, wanted)
        return [failure.finding("gather_mismatch", indexed, index, arguments, fixes=fixes)]
    sizes = enumerate(zip(indexed.shape, index.shape, strict=True))
    places = [place for place, (one, other) in sizes if place != dimension and other > one]
    if not places:
        return []
    at = places[0]
    arguments |= {"rule": "larger", "at": at, "left_size": indexed.shape[at], "right_size": index.shape[at]}
    return [failure.finding("gather_mismatch", indexed, index, arguments)]


def _beyond(failure: Failure, function: str, indexed: Operand, index: Operand, at: int) -> list[Finding]:
    """Finds an element of the index tensor that is out of range."""
    size = indexed.shape[at]
    beyond = outside(failure.reading, index.tensor, failure.step.began, size)
    if not beyond:
        return []
    told = {**failure.told(indexed, "left"), **failure.told(index, "right")}
    arguments: Arguments = {"rule": "held", "function": function, "index": beyond[0], "at": at, "size": size, "last": size - 1}
    return [failure.single_finding("index_beyond", [indexed, index], {**told, **arguments})]
