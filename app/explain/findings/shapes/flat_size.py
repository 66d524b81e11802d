"""The fix for images that `view(-1, 400)` split into rows of the wrong size."""

import ast
from math import prod

from app.explain.finding import Fixes, offer
from app.explain.findings.mismatch import Failure
from app.explain.reading.integers import integer
from app.explain.reading.shapes import operand
from app.explain.reading.viewing import Shape
from app.explain.rewriting.fitting import literal
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Step

_VIEWS = ("view", "reshape")

MOST_RUNS = 20
"""Maximum number of runs of `view` that are searched for the run that changed the batch size."""


def flattened_rows(failure: Failure, call: ast.expr | ast.stmt, shape: Shape, step: Step) -> Fixes:
    """`x.view(-1, 400)` → `x.flatten(1)`, and the size of each image as `in_features` of the only `Linear` with 400 features."""
    syntax = failure.reading.syntax
    match call:
        case ast.Call(func=ast.Attribute(value=value), args=[_, features]) if len(shape) > 2:
            count = integer(failure.reading, features, step)
            written = [
                found
                for each in syntax.ending_in(ast.Call, "Linear")
                if isinstance(each, ast.Call) and (found := literal(syntax, each, 0, "in_features")) is not None
            ]
            fed = [each for each in written if integer(failure.reading, each, step) == count]
            text = ast.get_source_segment(syntax.text, value)
            if len(fed) == 1 and text is not None and count != prod(shape[1:]):
                replaced = [(call, f"{text}.flatten(1)"), (fed[0], str(prod(shape[1:])))]
                return [offer("flatten_and_count", with_replaced, failure.source, replaced)]
    return []


def rows_cut_anew(failure: Failure, rows: int, wanted: int) -> Fixes:
    """The fix for a loss with an input that has `rows` rows although the batch has `wanted` rows.

    Empty unless exactly one `view` in the snippet explains the number of rows.
    """
    found: dict[ast.expr, Fixes] = {}
    for method in _VIEWS:
        for step, _, node in failure.reading.runs_with(ast.Call, method)[:MOST_RUNS]:
            match node:
                case ast.Call(func=ast.Attribute(value=value), args=[_, features]):
                    given, count = operand(failure.reading, value, step), integer(failure.reading, features, step)
                    if given is not None and count and given.shape[:1] == (wanted,) and prod(given.shape) == rows * count:
                        found[node] = flattened_rows(failure, node, given.shape, step)
    return next(iter(found.values())) if len(found) == 1 else []
