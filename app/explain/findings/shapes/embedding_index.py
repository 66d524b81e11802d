"""Finds an index beyond the rows of an `Embedding`."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.mismatch import clipped, function_of_torch
from app.explain.reading.reading import Reading
from app.explain.reading.recorded_values import outside
from app.explain.reading.shapes import named_at, of_tensor, operand, path_at
from app.explain.rewriting.fitting import literal
from app.explain.rewriting.replacing import with_replaced


@finder()
def find_embedding_index(reading: Reading) -> Iterator[Finding]:
    """An error for each call of an `Embedding` with an index that is negative or beyond the last row."""
    for step, piece in reading.raised_as("IndexError"):
        match piece:
            case ast.Call(func=ast.Name() | ast.Attribute() | ast.Subscript() as function, args=[given], keywords=[]):
                path, indices = path_at(reading, function, step), operand(reading, given, step)
                tensor = named_at(reading, f"{path}.weight", step) if path else None
                weight = None if tensor is None else of_tensor(reading, tensor, step, path)
                maker = None if weight is None or weight.maker is None else reading.trace.steps[weight.maker]
                made = None if maker is None else reading.node_at(maker.span)
                if weight is None or maker is None or indices is None or not isinstance(made, ast.Call):
                    continue
                beyond = outside(reading, indices.tensor, step.began, weight.shape[0])
                is_torch = function_of_torch(reading, made.func, maker) == ("Embedding", True)
                if not is_torch or not beyond:
                    continue
                written = None if min(beyond) < 0 else literal(reading.syntax, made, 0, "num_embeddings")
                rows = [] if written is None else [(written, str(max(beyond) + 1))]
                fixes = [offer("more_rows", with_replaced, reading.trace.source, rows)] if rows else []
                arguments: Arguments = {
                    "index": beyond[0],
                    "indices": clipped(indices.text),
                    "module": reading.told(path, step.frame),
                    "rows": weight.shape[0],
                    "last": weight.shape[0] - 1,
                    "made_line": reading.line_of(maker.id) or 0,
                }
                tensors, makers = [indices.tensor, weight.tensor], [indices.maker, maker.id]
                yield reading.exception_finding("embedding_index", step, tensors, arguments, fixes=fixes, makers=makers)
