"""Finds the index of a class that does not exist: labels that start at 1, too small a `num_classes`, an index beyond a table."""

import ast
from math import prod

from app.explain.finding import Arguments, Finding, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.findings.shapes.loss_target import OF_CLASSES
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand
from app.trace.query import elements

_IGNORED = -100
"""The target that a loss ignores by default."""


@failure_finder("IndexError", "RuntimeError")
def find_class_index(failure: Failure) -> list[Finding]:
    """An error for the first class index that is negative or beyond the last class."""
    piece = failure.piece
    if not isinstance(piece, ast.Call) or not piece.args:
        return []
    name, made = called_by(failure, piece.func)
    if name in OF_CLASSES:
        return _of_loss(failure, piece, name, made)
    written = piece.args[1] if len(piece.args) > 1 else failure.keyword("num_classes")
    if name == "one_hot":
        classes = None if written is None else integer(failure.reading, written, failure.step)
        return _finding(failure, ("one_hot", name), piece.args[0], None, (classes, None))
    if name == "embedding" and len(piece.args) > 1:
        table = failure.operand(piece.args[1])
        if table is not None and len(table.shape) == 2:
            return _finding(failure, ("table", name), piece.args[0], table, (table.shape[0], None))
    return []


def _of_loss(failure: Failure, piece: ast.Call, name: str, made: ast.Call | None) -> list[Finding]:
    given = failure.operand(piece.args[0])
    target = piece.args[1] if len(piece.args) > 1 else failure.keyword("target")
    if given is None or target is None or not given.shape or (name[0].isupper() and made is None):
        return []
    indices = failure.operand(target)
    if indices is None or indices.shape != (given.shape[:1] + given.shape[2:] if len(given.shape) > 1 else ()):
        return []  # reported by another finding
    keywords = piece.keywords if made is None else made.keywords
    ignored = next((keyword.value for keyword in keywords if keyword.arg == "ignore_index"), None)
    left_out = _IGNORED if ignored is None else integer(failure.reading, ignored, failure.step)
    classes = given.shape[1 if len(given.shape) > 1 else 0]
    return [] if left_out is None else _finding(failure, ("loss", name), target, given, (classes, left_out))


def _finding(
    failure: Failure, how: tuple[str, str], node: ast.expr, given: Operand | None, bounds: tuple[int | None, int | None]
) -> list[Finding]:
    """A finding for the first invalid index; empty if all are valid.

    `how` contains the rule and the function's name; `bounds` contains the number of classes and the ignored index.
    """
    (rule, name), (classes, left_out) = how, bounds
    indices = failure.operand(node)
    if indices is None or not indices.dtype.startswith(("int", "uint")):
        return []
    shown = elements(failure.reading.trace, indices.tensor, failure.step.began)
    whole = shown if isinstance(shown, list) and len(shown) == prod(indices.shape) else []
    numbers = [each for each in whole if isinstance(each, int) and each != left_out]
    outside = [each for each in numbers if each < 0 or (classes is not None and each >= classes)]
    if not outside:
        return []
    is_from_one = rule != "table" and classes is not None and min(numbers) == 1 and max(numbers) == classes
    fixes = [offer("labels_from_zero", _from_zero, failure, node)] if is_from_one and rule == "loss" else []
    arguments: Arguments = {
        **failure.told(indices, "right"),
        "rule": rule,
        "function": name,
        "index": outside[0],
        "sign": "negative" if outside[0] < 0 else "beyond",
        "classes": classes or 0,
        "last": (classes or 0) - 1,
        "largest": max(numbers),
        "left": "none" if given is None else given.text,
        "advice": "from_one" if is_from_one else "ignore" if rule == "loss" and outside[0] < 0 else "none",
    }
    operands = [indices] if given is None else [given, indices]
    return [failure.single_finding("class_index", operands, arguments, fixes=fixes)]


def _from_zero(failure: Failure, node: ast.expr) -> str | None:
    """`labels` → `labels - 1`."""
    text = ast.get_source_segment(failure.reading.syntax.text, node)
    is_plain = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    return failure.replaced(node, f"{text} - 1") if text is not None and is_plain else None
