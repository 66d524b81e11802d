"""Finds a state with the wrong batch size or hidden size for an `RNNCell`, `GRUCell` or `LSTMCell`."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder
from app.explain.findings.refusing_layer import CELLS, refusing_layer
from app.explain.reading.shapes import Operand

_GATES = {"LSTMCell": 4, "GRUCell": 3, "RNNCell": 1}
"""Rows of `weight_ih` per hidden feature."""


@failure_finder(*REFUSED_SHAPES)
def find_cell_state(failure: Failure) -> list[Finding]:
    """An error for the first state with a shape that does not fit the cell and its input."""
    layer = refusing_layer(failure)
    given = None if layer is None else layer.given
    if layer is None or layer.kind not in CELLS or given is None or len(given.shape) not in (1, 2):
        return []
    if given.shape[-1] != layer.weight.shape[1] or given.dtype != layer.weight.dtype:
        return []
    hidden = layer.weight.shape[0] // _GATES[layer.kind]
    wanted = (*given.shape[:-1], hidden)
    state = next((each for each in _states(failure) if each.shape != wanted), None)
    if state is None:
        return []
    arguments: Arguments = {
        "rule": "cell",
        "layer": layer.kind,
        "module": layer.name,
        "wanted": str(wanted),
        "layers": 1,
        "batch": given.shape[0] if len(given.shape) == 2 else 0,
        "at": 0,
        "hidden": hidden,
    }
    return [failure.finding("hidden_state", state, given, arguments)]


def _states(failure: Failure) -> list[Operand]:
    """The states that the call passes to its cell."""
    match failure.piece:
        case ast.Call(args=[_, ast.Tuple(elts=[first, second])]):
            return failure.operands([first, second])
        case ast.Call(args=[_, written]):
            return failure.operands([written])
    return []
