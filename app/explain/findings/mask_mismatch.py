"""A mask, or what is written through one, that does not fit the tensor: `x[mask]`, `x[mask] = y`, `x[indices] = y`."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import Failure, failure_of
from app.explain.reading.integers import integer
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape, disagreeing
from app.trace.query import elements


def find_mask_mismatch(reading: Reading) -> list[Finding]:
    """An error for the mask, or for what was written, that ended the run."""
    failure = failure_of(reading, "IndexError", "RuntimeError", "ValueError")
    match None if failure is None else failure.piece:
        case ast.Subscript(value=value, slice=index) as piece:
            pass
        case _:
            return []
    indexed = None if failure is None else failure.operand(value)
    if failure is None or indexed is None:
        return []
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    for at, item in enumerate(items):
        tensor = failure.operand(item)
        if tensor is not None and tensor.dtype in ("bool", "uint8"):
            return _of_mask(failure, piece, indexed, tensor, at) if item is items[-1] else []
        if tensor is not None and item is items[-1] and not at:
            return _of_indices(failure, piece, indexed, tensor)
        if not isinstance(item, ast.Slice) and integer(failure.reading, item, failure.step) is None:
            return []
    return []


def _of_mask(failure: Failure, piece: ast.Subscript, indexed: Operand, mask: Operand, at: int) -> list[Finding]:
    covered = indexed.shape[at : at + len(mask.shape)]
    if len(covered) < len(mask.shape):
        return [_finding(failure, "count", indexed, mask, (0, len(indexed.shape) - at, len(mask.shape)))]
    wrong = next((place for place, (one, other) in enumerate(zip(covered, mask.shape, strict=True)) if one != other), None)
    if wrong is not None:
        return [_finding(failure, "shape", indexed, mask, (wrong, covered[wrong], mask.shape[wrong]))]
    written = _written(failure, piece)
    shown = elements(failure.reading.trace, mask.tensor, failure.step.began)
    if written is None or not isinstance(shown, list) or at or len(shown) != _count(mask.shape):
        return []
    taken = sum(bool(each) for each in shown)
    return _of_written(failure, "written", mask, written, (taken, *indexed.shape[len(mask.shape) :]))


def _of_indices(failure: Failure, piece: ast.Subscript, indexed: Operand, index: Operand) -> list[Finding]:
    written = _written(failure, piece)
    if written is None or not indexed.shape or index.dtype not in ("int64", "int32"):
        return []
    return _of_written(failure, "indexed", index, written, (*index.shape, *indexed.shape[1:]))


def _of_written(failure: Failure, rule: str, index: Operand, written: Operand, wanted: Shape) -> list[Finding]:
    """What is written has to broadcast to what is chosen."""
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


def _finding(failure: Failure, rule: str, indexed: Operand, mask: Operand, told: tuple[int, int, int]) -> Finding:
    """One that tells a dimension and its sizes, or two counts of dimensions."""
    at, size, other = told
    arguments: Arguments = {"rule": rule, "at": at, "left_size": size, "right_size": other, "wanted": "none"}
    return failure.finding("mask_mismatch", indexed, mask, arguments)


def _count(shape: Shape) -> int:
    count = 1
    for size in shape:
        count *= size
    return count
