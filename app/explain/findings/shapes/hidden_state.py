"""Finds an initial state of an `RNN`, `GRU` or `LSTM` with the wrong number of layers, batch size or hidden size."""

import ast

from app.explain.finding import Arguments, Finding, offer
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder, function_of_torch
from app.explain.findings.refusing_layer import RECURRENT, Layer, refusing_layer
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand, named_at, of_tensor, path_at
from app.explain.reading.viewing import Shape
from app.explain.rewriting.replacing import with_replaced

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
"""Rows of `weight_ih_l0` per hidden feature."""

_FILLED = ("zeros", "ones", "randn", "rand")
"""Functions that take the sizes of their result as arguments."""

_PLAIN = {"input_size", "hidden_size", "bias", "dropout", "nonlinearity"}
"""Keyword arguments of a layer that its weights already show, or that do not affect the shape of its states."""


@failure_finder(*REFUSED_SHAPES)
def find_hidden_state(failure: Failure) -> list[Finding]:
    """An error for the first state with a shape that does not fit the layer and its input."""
    layer = refusing_layer(failure)
    given = None if layer is None else layer.given
    is_refused = failure.step.name == "RuntimeError"  # for a wrong dtype, torch raises ValueError
    if layer is None or layer.kind not in RECURRENT or given is None or not is_refused:
        return []
    layers, batch_at = _layers(failure, layer), _batch_at(layer)
    if layers is None or batch_at is None or len(given.shape) not in (2, 3) or given.shape[-1] != layer.weight.shape[1]:
        return []
    hidden = layer.weight.shape[0] // _GATES[layer.kind]
    is_batched = len(given.shape) == 3
    wanted = (layers, given.shape[batch_at], hidden) if is_batched else (layers, hidden)
    state = next((each for each in _states(failure, layer) if each.shape != wanted), None)
    if state is None:
        return []
    arguments: Arguments = {
        "rule": _rule(state.shape, wanted),
        "layer": layer.kind,
        "module": layer.name,
        "wanted": str(wanted),
        "layers": layers,
        "batch": given.shape[batch_at] if is_batched else 0,
        "at": batch_at,
        "hidden": hidden,
    }
    sizes = [str(layers), f"{given.text}.size({batch_at})", str(hidden)] if is_batched else [str(layers), str(hidden)]
    fixes = [offer("fit_state", _with_states, failure, layer, wanted, sizes)]
    return [failure.finding("hidden_state", state, given, arguments, fixes=fixes)]


def _with_states(failure: Failure, layer: Layer, wanted: Shape, sizes: list[str]) -> str | None:
    """Replaces the wrong sizes of states such as `torch.zeros(1, x.size(0), 8)`, if the input has a name where the states are
    created."""
    reading, given = failure.reading, layer.given
    replaced: list[tuple[ast.expr, str]] = []
    for state in _states(failure, layer):
        maker = None if state.maker is None else reading.trace.steps[state.maker]
        made = None if maker is None else reading.node_at(maker.span)
        if maker is None or given is None or not isinstance(made, ast.Call):
            return None
        name, is_torch = function_of_torch(reading, made.func, maker)
        written = made.args[0].elts if len(made.args) == 1 and isinstance(made.args[0], ast.Tuple) else made.args
        if not is_torch or name not in _FILLED or len(written) != len(wanted) or len(state.shape) != len(wanted):
            return None
        named = named_at(reading, given.text, maker) if given.text.isidentifier() else None
        differing = [place for place, size in enumerate(wanted) if state.shape[place] != size]
        if 1 in differing and len(wanted) == 3 and (named != given.tensor or maker.frame != failure.step.frame):
            return None
        replaced += [(written[place], sizes[place]) for place in differing]
    return with_replaced(failure.source, dict(replaced).items())


def _layers(failure: Failure, layer: Layer) -> int | None:
    """The first size of a state, layers times directions; None if the weights disagree with the call that created the layer."""
    reading, made = failure.reading, layer.made
    keywords = {keyword.arg: keyword.value for keyword in made.keywords}
    is_plain = not any(isinstance(each, ast.Starred) for each in made.args)
    if len(made.args) > 3 or not is_plain or not keywords.keys() <= _PLAIN | {"num_layers", "batch_first", "bidirectional"}:
        return None
    written = keywords.get("num_layers", made.args[2] if len(made.args) == 3 else None)
    count = 1
    if written is not None and layer.weight.maker is not None:
        count = integer(reading, written, reading.trace.steps[layer.weight.maker]) or 0
    both = _flag(keywords.get("bidirectional"))
    names = [f"{layer.name}.weight_ih_l{place}" for place in (count - 1, count)]
    last, beyond = (named_at(reading, name, failure.step) is not None for name in names)
    is_both = named_at(reading, f"{layer.name}.weight_ih_l0_reverse", failure.step) is not None
    return count * (1 + is_both) if count > 0 and last and not beyond and both is is_both else None


def _batch_at(layer: Layer) -> int | None:
    """The batch dimension of the input; None if unknown."""
    is_first = _flag(next((keyword.value for keyword in layer.made.keywords if keyword.arg == "batch_first"), None))
    return None if is_first is None else 1 - is_first


def _flag(node: ast.expr | None) -> bool | None:
    """The value of a keyword whose default is False; None if the value is not a literal True or False."""
    match node:
        case None:
            return False
        case ast.Constant(value=bool(value)):
            return value
    return None


def _states(failure: Failure, layer: Layer) -> list[Operand]:
    """The states that the call passes to its layer, two for an `LSTM`; empty if one of them is unknown."""
    piece = failure.piece
    if not isinstance(piece, ast.Call):
        return []
    written = piece.args[1] if len(piece.args) == 2 else failure.keyword("hx")
    if layer.kind != "LSTM":
        return [] if written is None else failure.operands([written])
    match written:
        case ast.Tuple(elts=[first, second]):
            return failure.operands([first, second])
        case ast.Name() | ast.Attribute():
            path = path_at(failure.reading, written, failure.step)
            named = [(f"{path}[{place}]", named_at(failure.reading, f"{path}[{place}]", failure.step)) for place in (0, 1, 2)]
            found = [of_tensor(failure.reading, tensor, failure.step, name) for name, tensor in named if tensor is not None]
            known = [each for each in found if each is not None]
            return known if len(known) == 2 and len(found) == 2 else []
    return []


def _rule(given: Shape, wanted: Shape) -> str:
    """Why a state's shape is wrong: the number of dimensions, or the first size that differs."""
    if len(given) != len(wanted):
        return "dimensions"
    if len(wanted) == 3 and given == (wanted[1], wanted[0], wanted[2]):
        return "batch_first"
    at = next(place for place, (one, other) in enumerate(zip(given, wanted, strict=True)) if one != other)
    return ("layers", "batch", "hidden")[at] if len(wanted) == 3 else ("layers", "hidden")[at]
