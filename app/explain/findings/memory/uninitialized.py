"""Finds a leaf from `torch.empty` that a forward pass used before any write to the leaf."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.reading import Reading
from app.trace.query import events_after
from app.trace.records import TensorId, Tick

_MAKERS = ("empty", "empty_like", "new_empty", "empty_strided")


@finder()
def find_uninitialized(reading: Reading) -> Iterator[Finding]:
    """A warning for each call that allocates the memory of a leaf, if a forward pass reads the leaf before any write."""
    told: set[ast.stmt] = set()
    calls = [call for name in _MAKERS for call in reading.syntax.ending_in(ast.Call, name)]
    makers = {statement: call for call in calls if (statement := reading.syntax.statement_around(call)) is not None}
    for node in reading.trace.nodes if makers else []:
        leaf = node.variable
        maker = None if leaf is None else reading.statement_of(reading.trace.tensors[leaf].made_by)
        statement = reading.statement_at(maker)
        call = None if statement is None or statement in told else makers.get(statement)
        if leaf is None or maker is None or statement is None or call is None or _is_written(reading, leaf, node.born):
            continue
        if not isinstance(call, ast.Call) or not any(
            reading.node_at(each.span) is call for each in reading.operators_of(maker)
        ):
            continue
        told.add(statement)
        arguments: Arguments = {
            "name": reading.name_of(leaf) or "none",
            "maker": reading.syntax.text_of(call.func),
        }
        yield reading.finding("uninitialized", [maker.id], [leaf], arguments, severity="warning")


def _is_written(reading: Reading, leaf: TensorId, until: Tick) -> bool:
    """Whether the memory of a leaf was written before a tick. True if the leaf's memory is unknown."""
    geometry = reading.geometry_at(leaf, until)
    if geometry is None or geometry.storage is None:
        return True
    return next(events_after(reading.writes_to.get(geometry.storage, []), Tick(-1), until), None) is not None
