"""Identifies the torch layer that refused its input, by the layer's weight and by the call that created the layer."""

import ast
from dataclasses import dataclass, replace

from app.explain.findings.mismatch import Failure, function_of_torch
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand, named_at, of_tensor, path_at
from app.explain.reading.viewing import reshaped
from app.trace.records import Step

SPATIAL = {f"{kind}{n}d": n for kind in ("Conv", "ConvTranspose", "BatchNorm") for n in (1, 2, 3)}
"""Layers with channels in dimension 1, and how many dimensions follow it."""

RECURRENT = ("LSTM", "GRU", "RNN")

CELLS = ("LSTMCell", "GRUCell", "RNNCell")

LAST = {"Linear": 1, "MultiheadAttention": 1, "LayerNorm": 0, "RMSNorm": 0, **dict.fromkeys(CELLS, 1)}
"""Layers that count features in the last dimension, and the dimension of their weight that has this size."""

_OTHERS = ("GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "PReLU")

_SLOTS = (".weight", ".weight_ih_l0", ".in_proj_weight", ".weight_ih", "[0].weight")
"""Names of weights that identify a module. The last name belongs to the first layer of a `Sequential`."""

MOST_CHILDREN = 100
"""Maximum number of examined modules of a `Sequential`."""

_NORM_OPERATORS = ("aten::native_batch_norm", "aten::_native_batch_norm_legit", "aten::cudnn_batch_norm", "aten::batch_norm")
"""The operators of a batch norm."""

_GROUPS = {"aten::addmm": "Linear", "aten::mm": "Linear", "aten::convolution": "Conv"}
"""Operators in a `Sequential` that identify a layer, and how the layer's class name begins."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A torch module with the path `name`, the call that created it, its weight, and its input."""

    kind: str
    name: str
    made: ast.Call
    weight: Operand
    groups: int | None
    given: Operand | None


def refusing_layer(failure: Failure) -> Layer | None:
    """The layer that the failed call calls, or the layer inside the called `Sequential`; None if unknown."""
    piece = failure.piece
    if not isinstance(piece, ast.Call) or not piece.args:
        return None
    path = path_at(failure.reading, piece.func, failure.step)
    given = failure.operand(piece.args[0])
    if not path:
        return None
    layer = None if given is None else _layer_at(failure, path, given)
    return layer or _within(failure, path, piece, given)


def _layer_at(failure: Failure, path: str, given: Operand | None) -> Layer | None:
    reading, step = failure.reading, failure.step
    for slot in ("weight", "weight_ih_l0", "in_proj_weight", "weight_ih"):
        tensor = named_at(reading, f"{path}.{slot}", step)
        weight = None if tensor is None else of_tensor(reading, tensor, step, f"{path}.{slot}")
        maker = None if weight is None or weight.maker is None else reading.trace.steps[weight.maker]
        made = None if maker is None else reading.node_at(maker.span)
        if weight is None or maker is None or not isinstance(made, ast.Call):
            continue
        kind, is_torch = function_of_torch(reading, made.func, maker)
        if is_torch and (kind in LAST or kind in SPATIAL or kind in RECURRENT or kind in _OTHERS):
            written = next((keyword.value for keyword in made.keywords if keyword.arg == "groups"), None)
            groups = (1 if len(made.args) < 7 else None) if written is None else integer(reading, written, maker)
            return Layer(kind, path, made, weight, groups, given)
    return None


def _within(failure: Failure, path: str, piece: ast.Call, given: Operand | None) -> Layer | None:
    """The layer that raised in a `Sequential`.

    It is found by counting the operators of its kind that ran, because layers run in order.
    """
    reading = failure.reading
    ran = [each for each in reading.operators_of(reading.statement_of(failure.step.id)) if reading.node_at(each.span) is piece]
    if not ran:  # the first layer raised before it ran any operator
        return None if given is None else _layer_at(failure, f"{path}[0]", given)
    group = _GROUPS.get(ran[-1].name or "")
    if group is None or reading.made_in.get(ran[-1].id):
        return None
    before = [each for each in ran[:-1] if _GROUPS.get(each.name or "") == group]
    at = 0
    children: list[Layer] = []
    for number in range(MOST_CHILDREN):
        child = _layer_at(failure, f"{path}[{number}]", given)
        if child is not None and child.kind.startswith(group) and len(children) <= len(before):
            at = number
            children.append(child)
    if len(children) != len(before) + 1 or not all(
        _is_output(failure, operator, layer) for operator, layer in zip(before, children, strict=False)
    ):
        return None
    made = [(place, each) for place, each in enumerate(ran[:-1]) if reading.made_in.get(each.id)]
    source = given
    if made:
        source = of_tensor(reading, reading.made_in[made[-1][1].id][0].id, failure.step, f"{path}[{at - 1}](…)")
    views = [each.name for each in ran[made[-1][0] + 1 if made else 0 : -1] if each.name != "aten::t"]
    if source is not None and views:
        source = _flattened(failure, children[-1].made, source, f"{path}[{at - 1}](…)", views)
    return None if source is None else replace(children[-1], given=source)


def _is_output(failure: Failure, operator: Step, layer: Layer) -> bool:
    """Whether the result of an operator has as many features or channels as the output of `layer`."""
    made = failure.reading.made_in.get(operator.id, [])
    operand = of_tensor(failure.reading, made[0].id, failure.step) if made else None
    place = -1 if layer.kind == "Linear" else -SPATIAL[layer.kind] - 1
    return operand is not None and len(operand.shape) >= -place and operand.shape[place] == layer.weight.shape[0]


def _flattened(failure: Failure, made: ast.Call, source: Operand, text: str, views: list[str | None]) -> Operand | None:
    """The output of an `nn.Flatten()` right before a layer in its `Sequential`; None if unknown.

    Without `Flatten`, the shape is unchanged: `Linear` itself views an input of more than two dimensions as a matrix.
    """
    for call in failure.reading.syntax.ending_in(ast.Call, "Sequential"):
        match call:
            case ast.Call(args=args) if made in args[1:]:
                match args[args.index(made) - 1]:
                    case ast.Call(func=ast.Attribute(attr="Flatten") | ast.Name(id="Flatten"), args=[], keywords=[]):
                        shape = reshaped("flatten", source.shape, [1])
                        return None if shape is None else replace(source, shape=shape, text=text)
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="nn"), attr=name)) if name != "Unflatten":
                        return replace(source, text=text) if len(source.shape) > 2 and len(views) == 1 else None
    return None


def embedding_of(failure: Failure) -> str:
    """The path of the torch `Embedding` that the failed call calls; "" for anything else."""
    piece, reading = failure.piece, failure.reading
    path = path_at(reading, piece.func, failure.step) if isinstance(piece, ast.Call) else ""
    tensor = named_at(reading, f"{path}.weight", failure.step) if path else None
    maker = None if tensor is None else reading.trace.tensors[tensor].made_by
    made = None if maker is None else reading.node_at(reading.trace.steps[maker].span)
    if maker is None or not isinstance(made, ast.Call):
        return ""
    kind, is_torch = function_of_torch(reading, made.func, reading.trace.steps[maker])
    return path if is_torch and kind in ("Embedding", "EmbeddingBag") else ""


def norm_within(failure: Failure) -> Layer | None:
    """The batch norm of a `Sequential` that refused its input, found by the number of batch norms that ran before."""
    piece, reading = failure.piece, failure.reading
    path = path_at(reading, piece.func, failure.step) if isinstance(piece, ast.Call) else ""
    ran = [each for each in reading.operators_of(reading.statement_of(failure.step.id)) if reading.node_at(each.span) is piece]
    made = [tensor for each in ran for tensor in reading.made_in.get(each.id, [])]
    last = of_tensor(reading, made[-1].id, failure.step) if path and made else None
    done = sum(each.name in _NORM_OPERATORS for each in ran)
    children = [
        (number, child)
        for number in range(MOST_CHILDREN if last is not None else 0)
        if (child := _layer_at(failure, f"{path}[{number}]", last)) is not None and child.kind.startswith("BatchNorm")
    ]
    if last is None or done >= len(children) or not children[done][0]:
        return None
    number, child = children[done]
    return replace(child, given=replace(last, text=f"{path}[{number - 1}](…)"))


def refusing_path(failure: Failure) -> str:
    """The path of the torch module that the failed call calls, identified by its weight; "" for anything else."""
    piece, reading = failure.piece, failure.reading
    path = path_at(reading, piece.func, failure.step) if isinstance(piece, ast.Call) else ""
    for slot in _SLOTS if path else ():
        tensor = named_at(reading, f"{path}{slot}", failure.step)
        maker = None if tensor is None else reading.trace.tensors[tensor].made_by
        made = None if maker is None else reading.node_at(reading.trace.steps[maker].span)
        if maker is not None and isinstance(made, ast.Call):
            return path if function_of_torch(reading, made.func, reading.trace.steps[maker])[1] else ""
    return ""
