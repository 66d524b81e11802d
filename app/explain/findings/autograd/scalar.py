"""Finds a backward from a tensor of several elements without a `gradient` argument."""

import ast
from collections.abc import Iterator
from math import prod

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.backward_calls import backward_call
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced

_PLAIN = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)


@finder()
def find_not_scalar(reading: Reading) -> Iterator[Finding]:
    """An error for each refused backward, because torch differentiates only a single number without `gradient`."""
    for step, piece in reading.failures:
        called, statement = backward_call(piece), reading.statement_of(step.id)
        if called is None or called.has_gradient or len(called.roots) != 1 or statement is None:
            continue
        root = called.roots[0]
        tensor = reading.tensor_of(root, step)
        geometry = reading.geometry_at(tensor, step.began)
        if tensor is None or geometry is None or prod(geometry.shape) == 1 or statement.id in reading.nodes_run:
            continue
        if not reading.requires_grad(tensor, step.began):
            continue
        text = reading.syntax.text_of(root)
        summed = f"{text}.sum()" if isinstance(root, _PLAIN) else f"({text}).sum()"
        fixes = [offer("sum_root", with_replaced, reading.trace.source, [(root, summed)])]
        arguments: Arguments = {
            "name": reading.quoted(text, step.frame),
            "shape": str(tuple(geometry.shape)),
            "count": prod(geometry.shape),
        }
        makers = [reading.trace.tensors[tensor].made_by]
        yield reading.exception_finding("not_scalar", step, [tensor], arguments, fixes=fixes, makers=makers)
