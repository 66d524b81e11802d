"""The fixes for an input that a layer refused: adapt the dimensions of the input, or the sizes of the layer."""

import ast
from math import prod

from app.explain.finding import Fixes, offer
from app.explain.findings.mismatch import Failure
from app.explain.findings.refusing_layer import LAST, RECURRENT, SPATIAL, Layer
from app.explain.reading.viewing import Shape
from app.explain.rewriting.fitting import behind, literal, renamed, with_behind
from app.explain.rewriting.replacing import with_replaced

_SIZES = {"LayerNorm": "normalized_shape", "RMSNorm": "normalized_shape", "Linear": "in_features"}
"""By layer: the name of its first parameter, which is the size of the input's last dimension."""

MOST_BATCHED = 3
"""Largest number of dimensions for which `Linear` is assumed to act on the last one: (batch, sequence, features)."""


def fixes_of_layer(failure: Failure, layer: Layer, shape: Shape, rule: str, wanted: int) -> Fixes:
    """The fixes that the shapes of input and weight determine. Empty if another dimension of the input has the wanted size."""
    if layer.kind.startswith("BatchNorm") and rule == "dimensions":
        return _norm_of(failure, layer, shape, wanted)
    if rule == "dimensions":
        return []
    moved, added = _moved(layer, shape, wanted), _added(layer, shape, wanted)
    if moved or added:
        node = _input(failure, layer)
        if node is None:
            return []
        if moved:
            return [offer("channels_second", with_behind, failure.source, node, moved)]
        return [offer("add_dimension", with_behind, failure.source, node, added)]
    if layer.kind == "Linear" and len(shape) > 1 and (prod(shape[1:]) == wanted or len(shape) > MOST_BATCHED):
        return _flattened(failure, layer, shape, wanted)
    is_batched = layer.kind not in SPATIAL or len(shape) > SPATIAL[layer.kind] + 1 or layer.kind == "BatchNorm1d"
    return _resized(failure, layer, shape) if is_batched and wanted not in shape else []


def _input(failure: Failure, layer: Layer) -> ast.expr | None:
    """The expression of the layer's input; None if the layer is inside a `Sequential` and gets another layer's output."""
    piece = failure.piece
    node = piece.args[0] if isinstance(piece, ast.Call) and piece.args else None
    is_it = node is not None and layer.given is not None and layer.given.text == failure.reading.syntax.text_of(node)
    return node if is_it else None


def _moved(layer: Layer, shape: Shape, wanted: int) -> str:
    """The call that moves channels from the last dimension of a convolution's input to their place; "" if the last dimension
    has no channels."""
    if not layer.kind.startswith("Conv") or wanted in shape[:-1] or shape[-1] != wanted:
        return ""
    last = len(shape) - 1
    first = last - SPATIAL[layer.kind]
    order = [*range(first), last, *range(first, last)]
    return f".permute({', '.join(map(str, order))})"


def _added(layer: Layer, shape: Shape, wanted: int) -> str:
    """The call that adds the missing dimension of a single channel or feature; "" if no dimension is missing."""
    if wanted != 1 or 1 in shape:
        return ""
    if layer.kind.startswith("Conv") and len(shape) == SPATIAL[layer.kind] + 1:
        return ".unsqueeze(1)"
    is_row = (layer.kind in RECURRENT and len(shape) == 2) or (layer.kind == "Linear" and len(shape) == 1)
    return ".unsqueeze(-1)" if is_row else ""


def _flattened(failure: Failure, layer: Layer, shape: Shape, wanted: int) -> Fixes:
    """`fc(x.flatten(1))`, or `nn.Flatten()` before the layer in its `Sequential`; also adapts the layer's number of features."""
    count, node = prod(shape[1:]), _input(failure, layer)
    flattened: list[tuple[ast.expr | ast.stmt, str]] = []
    flattened += [] if node is None else [behind(failure.source, node, ".flatten(1)")]
    calls = failure.reading.syntax.ending_in(ast.Call, "Sequential")
    if node is None and any(isinstance(call, ast.Call) and layer.made in call.args for call in calls):
        flattened = [(each, f"{name.rpartition('.')[0]}.Flatten(), {name}") for each, name in renamed(layer.made, "Linear")]
    written = literal(failure.reading.syntax, layer.made, 0, "in_features")
    if not flattened or (count != wanted and written is None):
        return []
    if count == wanted or written is None:
        return [offer("flatten_input", with_replaced, failure.source, flattened)]
    return [offer("flatten_and_count", with_replaced, failure.source, [*flattened, (written, str(count))])]


def _resized(failure: Failure, layer: Layer, shape: Shape) -> Fixes:
    """`nn.Linear(128, 10)` → `nn.Linear(288, 10)`, if the size is a literal."""
    if layer.kind == "MultiheadAttention" or layer.groups != 1:
        return []
    if layer.kind in LAST:
        at, keyword = -1, _SIZES[layer.kind]
    elif layer.kind in RECURRENT:
        at, keyword = -1, "input_size"
    elif layer.kind == "GroupNorm":
        at, keyword = 1, "num_channels"
    else:
        is_norm = layer.kind.startswith("BatchNorm")
        at, keyword = (1, "num_features") if is_norm else (-SPATIAL[layer.kind] - 1, "in_channels")
    written = literal(failure.reading.syntax, layer.made, 1 if layer.kind == "GroupNorm" else 0, keyword)
    return [] if written is None else [offer("fit_layer", with_replaced, failure.source, [(written, str(shape[at]))])]


def _norm_of(failure: Failure, layer: Layer, shape: Shape, wanted: int) -> Fixes:
    """`nn.BatchNorm2d` for an input without height and width → `nn.BatchNorm1d`, and similar."""
    name = {2: "BatchNorm1d", 3: "BatchNorm1d", 4: "BatchNorm2d", 5: "BatchNorm3d"}.get(len(shape))
    if name is None or len(shape) == wanted or shape[1] != layer.weight.shape[0]:
        return []
    return [offer("norm_of_dimensions", with_replaced, failure.source, renamed(layer.made, name))]
