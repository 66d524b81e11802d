"""Finds a mask, or a value written by an index, that does not fit the tensor: `x[mask]`, `x[mask] = y`, `x[indices] = y`."""

import ast
from collections.abc import Sequence
from math import prod

from app.explain.finding import Arguments, Clash, Finding
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.reading.integers import integer, integers
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape, disagreeing, viewed
from app.trace.query import elements


@failure_finder("IndexError", "RuntimeError", "ValueError")
def find_mask_mismatch(failure: Failure) -> list[Finding]:
    """An error if the run ended because a mask, or a value written by an index, does not fit the tensor."""
    match failure.piece:
        case ast.Subscript(value=value, slice=index) as piece:
            pass
        case _:
            return []
    indexed = failure.operand(value)
    if indexed is None:
        return []
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    chosen = [(at, tensor) for at, tensor in enumerate(map(failure.operand, items)) if tensor is not None]
    if len(chosen) != 1 or not all(at == chosen[0][0] or _is_basic(failure, item) for at, item in enumerate(items)):
        return []
    at, tensor = chosen[0]
    if tensor.dtype in ("bool", "uint8"):
        return _of_mask(failure, piece, indexed, tensor, at)
    return _of_indices(failure, piece, indexed, tensor) if len(items) == 1 else []


def _is_basic(failure: Failure, item: ast.expr) -> bool:
    return isinstance(item, ast.Slice) or integer(failure.reading, item, failure.step) is not None


def _of_mask(failure: Failure, piece: ast.Subscript, indexed: Operand, mask: Operand, at: int) -> list[Finding]:
    covered = indexed.shape[at : at + len(mask.shape)]
    if len(covered) < len(mask.shape):
        return [_finding(failure, "count", indexed, mask, (0, len(indexed.shape) - at, len(mask.shape)))]
    wrong = next((place for place, (one, other) in enumerate(zip(covered, mask.shape, strict=True)) if one != other), None)
    if wrong is not None:
        clashes = failure.clash_between(indexed, at + wrong, mask, wrong)
        return [_finding(failure, "shape", indexed, mask, (wrong, covered[wrong], mask.shape[wrong]), clashes)]
    written = _written(failure, piece)
    shown = elements(failure.reading.trace, mask.tensor, failure.step.began)
    wanted = _selected(failure, piece, indexed, mask, at)
    if written is None or wanted is None or not isinstance(shown, list) or len(shown) != prod(mask.shape):
        return []
    before, after = wanted
    return _of_written(failure, "written", mask, written, (*before, sum(bool(each) for each in shown), *after))


def _selected(failure: Failure, piece: ast.Subscript, indexed: Operand, mask: Operand, at: int) -> tuple[Shape, Shape] | None:
    """The sizes of the selection before and after the one dimension that replaces the masked dimensions; None if unknown."""
    items = piece.slice.elts if isinstance(piece.slice, ast.Tuple) else [piece.slice]
    whole: list[ast.expr] = [ast.Slice() for _ in mask.shape]
    sliced = ast.Subscript(piece.value, ast.Tuple([*items[:at], *whole, *items[at + 1 :]]))
    shape = viewed(sliced, indexed.shape, lambda nodes: integers(failure.reading, nodes, failure.step))
    before = sum(isinstance(item, ast.Slice) for item in items[:at])
    return None if shape is None else (shape[:before], shape[before + len(mask.shape) :])


def _of_indices(failure: Failure, piece: ast.Subscript, indexed: Operand, index: Operand) -> list[Finding]:
    written = _written(failure, piece)
    if written is None or not indexed.shape or index.dtype not in ("int64", "int32"):
        return []
    return _of_written(failure, "indexed", index, written, (*index.shape, *indexed.shape[1:]))


def _of_written(failure: Failure, rule: str, index: Operand, written: Operand, wanted: Shape) -> list[Finding]:
    """An error if the written value does not broadcast to the selection, whose shape is `wanted`."""
    is_longer = len(written.shape) > len(wanted) and any(
        size != 1 for size in written.shape[: len(written.shape) - len(wanted)]
    )
    narrower = [-1 - n for n, (a, b) in enumerate(zip(wanted[::-1], written.shape[::-1], strict=False)) if a == 1 and b != 1]
    if not disagreeing(wanted, written.shape) and not narrower and not is_longer:
        return []
    arguments: Arguments = {"rule": rule, "at": 0, "left_size": 0, "right_size": 0, "wanted": str(wanted)}
    return [failure.finding("mask_mismatch", index, written, arguments)]


def _written(failure: Failure, piece: ast.Subscript) -> Operand | None:
    statement = failure.reading.syntax.statement_around(piece)
    if isinstance(piece.ctx, ast.Store) and isinstance(statement, ast.Assign) and statement.targets == [piece]:
        return failure.operand(statement.value)
    return None


def _finding(
    failure: Failure,
    rule: str,
    indexed: Operand,
    mask: Operand,
    told: tuple[int, int, int],
    clashes: Sequence[Clash] = (),
) -> Finding:
    """A finding about `told`: a dimension and its sizes in both tensors, or 0 and two numbers of dimensions."""
    at, size, other = told
    arguments: Arguments = {"rule": rule, "at": at, "left_size": size, "right_size": other, "wanted": "none"}
    return failure.finding("mask_mismatch", indexed, mask, arguments, clashes=clashes)
