"""Finds a write to one element of an expanded tensor that changed other elements in the same memory location."""

import ast
from collections.abc import Iterator

from app.explain.finding import Finding, finder, offer
from app.explain.findings.memory.overlapping_write import cloned_where_expanded, repeating_call, repeats
from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.records import TensorId, Tick


@finder()
def find_spread_write(reading: Reading) -> Iterator[Finding]:
    """A hint for each line that wrote a part of a variable whose elements share memory locations."""
    trace = reading.trace
    expanded: set[TensorId] = {
        tensor.id for tensor in trace.tensors if any(repeats(geometry) for _, geometry in tensor.geometry)
    }
    named = {tensor for name in trace.names for _, tensor in name.tensor if tensor is not None and tensor in expanded}
    storages = {geometry.storage for tensor in named for _, geometry in trace.tensors[tensor].geometry}
    lines: set[Line | None] = set()
    for write in trace.writes if named else []:
        step = None if write.step is None else trace.steps[write.step]
        if step is None or write.storage not in storages or not write.changed or reading.line_of(write.step) in lines:
            continue
        piece = reading.node_at(step.span)
        if not isinstance(piece, ast.Subscript) or not isinstance(piece.ctx, ast.Store):
            continue
        tensor = reading.tensor_of(piece.value, step)
        if tensor is not None and tensor in named and _repeats_now(reading, tensor, write.tick):
            lines.add(reading.line_of(write.step))
            maker = trace.tensors[tensor].made_by
            arguments: dict[str, str | int] = {
                "name": reading.syntax.text_of(piece.value),
                "part": reading.syntax.text_of(piece),
                "maker_line": reading.line_of(maker) or 0,
                "operator": repeating_call(reading, maker),
            }
            fixes = [offer("clone_expanded", cloned_where_expanded, reading, maker)]
            yield reading.finding("spread_write", [maker, write.step], [tensor], arguments, fixes=fixes)


def _repeats_now(reading: Reading, tensor: TensorId, tick: Tick) -> bool:
    geometry = reading.geometry_at(tensor, tick)
    return geometry is not None and repeats(geometry)
