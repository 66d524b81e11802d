"""Finds the last step of a sequence taken from the batch dimension, because the layer has no `batch_first=True`."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import operand
from app.explain.reading.syntax import last_name
from app.explain.rewriting.rewrites import with_keyword
from app.trace.records import Step

_LAYERS = ("LSTM", "GRU", "RNN")

DIMENSIONS = 3


@finder()
def find_last_of_batch(reading: Reading) -> Iterator[Finding]:
    """A warning for each `out[:, -1]` on the output of a layer without `batch_first=True`, if dimension 1 has several samples."""
    makers = [call for name in _LAYERS for call in reading.syntax.ending_in(ast.Call, name)]
    for node in reading.syntax.of(ast.Subscript) if makers else []:
        statement = reading.syntax.statement_around(node)
        runs = [] if statement is None else reading.runs_of_statement.get(statement, [])[:1]
        found = _finding(reading, runs[0], node) if runs and _is_last(node.slice) else None
        if found is not None:
            yield found


def _is_last(index: ast.expr) -> bool:
    """Whether an index is `:, -1` or `:, -1, :`."""
    match index:
        case ast.Tuple(
            elts=[ast.Slice(lower=None, upper=None), ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)), *rest]
        ):
            return all(isinstance(each, ast.Slice) and each.lower is None and each.upper is None for each in rest)
    return False


def _finding(reading: Reading, step: Step, node: ast.Subscript) -> Finding | None:
    definition = reading.defined_by(node.value.id, step) if isinstance(node.value, ast.Name) else None
    maker = None
    match None if definition is None else definition[0]:
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=ast.Call(func=layer)) if (
            isinstance(node.value, ast.Name) and name == node.value.id
        ):
            kind = type(layer)
            if kind in (ast.Name, ast.Attribute):
                maker = reading.syntax.only_value(ast.Name if kind is ast.Name else ast.Attribute, last_name(layer))
    if not isinstance(maker, ast.Call) or last_name(maker) not in _LAYERS or definition is None:
        return None
    given = operand(reading, node.value, step)
    words = {keyword.arg: keyword.value for keyword in maker.keywords}
    batch_first = words.get("batch_first", ast.Constant(False))
    is_first = not (isinstance(batch_first, ast.Constant) and batch_first.value is False) or None in words
    if is_first or given is None or len(given.shape) != DIMENSIONS or given.shape[1] < 2 or given.shape[0] < 2:
        return None
    arguments: Arguments = {
        "piece": reading.syntax.text_of(node),
        "name": given.text,
        "shape": str(given.shape),
        "layer": last_name(maker),
        "layer_line": maker.lineno,
    }
    fixes = [offer("batch_first", with_keyword, reading.trace.source, maker, "batch_first=True")] if not words else []
    steps = [definition[1].id, step.id]
    return reading.finding("last_of_batch", steps, [given.tensor], arguments, fixes=fixes, severity="warning")
