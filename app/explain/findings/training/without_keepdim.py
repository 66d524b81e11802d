"""Finds a sum, mean or norm of rows that is broadcast along the columns of its matrix, because `keepdim=True` is missing."""

import ast
from collections.abc import Iterator
from itertools import islice

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.mismatch import clipped
from app.explain.reading.first_runs import first_pieces
from app.explain.reading.integers import integer
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand, operand
from app.explain.rewriting.rewrites import with_keyword
from app.trace.records import Step

MOST_PIECES = 50
"""Maximum number of expressions of the snippet that are examined, in their first run."""

_OPERATORS = ("aten::div", "aten::sub", "aten::mul", "aten::add")
_METHODS = ("sum", "mean", "std", "var", "norm", "amax", "amin", "logsumexp", "prod", "vector_norm")
_PAIRS = ("max", "min", "median")
"""Methods that return values and indices."""


@finder()
def find_without_keepdim(reading: Reading) -> Iterator[Finding]:
    """A warning for each `x / x.sum(1)` that broadcasts along a dimension that was not reduced."""
    for step, piece in islice(first_pieces(reading, _OPERATORS, ast.BinOp), MOST_PIECES):
        for whole, part in ((piece.left, piece.right), (piece.right, piece.left)):
            found = _finding(reading, step, whole, part)
            if found is not None:
                yield found
                break


def _finding(reading: Reading, step: Step, whole: ast.expr, part: ast.expr) -> Finding | None:
    made, node = step, part
    if isinstance(part, ast.Name):
        definition = reading.defined_by(part.id, step)
        value = None if definition is None else getattr(definition[0], "value", None)
        if definition is None or not isinstance(value, ast.expr):
            return None
        made, node = definition[1], value
    call, subject, dimension = _reduced(reading, node, made)
    if call is None or subject is None or dimension is None or reading.syntax.text_of(subject) != reading.syntax.text_of(whole):
        return None
    one, other = operand(reading, whole, step), operand(reading, part, step)
    before = one if made is step else operand(reading, subject, made)
    if one is None or other is None or before is None or before.tensor != one.tensor:
        return None
    at = dimension % len(one.shape) if one.shape else 0
    if at == 0 or other.shape != (*one.shape[:at], *one.shape[at + 1 :]) or max(other.shape, default=1) == 1:
        return None
    return _told(reading, step, made, (one, other), at, call)


def _told(reading: Reading, step: Step, made: Step, operands: tuple[Operand, Operand], at: int, call: ast.Call) -> Finding:
    one, other = operands
    arguments: Arguments = {
        "whole": clipped(one.text),
        "part": clipped(other.text),
        "shape": str(one.shape),
        "reduced_shape": str(other.shape),
        "dimension": at,
        "reduced_line": reading.line_of(made.id) or 0,
    }
    fixes = [offer("keepdim", with_keyword, reading.trace.source, call, "keepdim=True")]
    steps = [made.id, step.id]
    tensors = [one.tensor, other.tensor]
    return reading.finding("without_keepdim", steps, tensors, arguments, fixes=fixes, severity="warning")


def _reduced(reading: Reading, node: ast.expr, step: Step) -> tuple[ast.Call | None, ast.expr | None, int | None]:
    """The reducing call, its operand, and the reduced dimension; None unless the call reduces a single dimension without
    keeping it."""
    names: tuple[str, ...] = ()
    match node:
        case ast.Attribute(value=ast.Call() as call, attr="values") | ast.Subscript(value=ast.Call() as call):
            names = _PAIRS
        case ast.Call() as call:
            names = _METHODS
        case _:
            return None, None, None
    match call.func:
        case ast.Attribute(value=owner, attr=attr) if attr in names:
            text = reading.syntax.text_of(owner)
            is_function = text == "torch" or text.startswith("torch.")
        case _:
            return None, None, None
    subject, arguments = (call.args[0], call.args[1:]) if is_function and call.args else (owner, call.args)
    words = {keyword.arg: keyword.value for keyword in call.keywords}
    place = 1 if attr in ("norm", "vector_norm") else 0
    at = words.get("dim", arguments[place] if len(arguments) > place else None)
    if at is None or "keepdim" in words or len(arguments) > place + 1:
        return None, None, None
    return call, subject, integer(reading, at, step)
