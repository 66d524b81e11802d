"""Finds an input that a layer of torch refuses: a `Linear`, convolution, norm, recurrent or attention layer."""

from math import prod

from app.explain.finding import Arguments, Clash, Finding
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder
from app.explain.findings.refusing_layer import LAST, RECURRENT, SPATIAL, Layer, norm_within, refusing_layer
from app.explain.findings.shapes.fitted_layer import fixes_of_layer
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape


@failure_finder(*REFUSED_SHAPES)
def find_layer_input(failure: Failure) -> list[Finding]:
    """An error for an input whose features, channels or dimensions do not match the layer."""
    layer = refusing_layer(failure)
    if layer is None and failure.step.name == "ValueError":  # norms raise it for a wrong number of dimensions
        layer = norm_within(failure)
    given = None if layer is None else layer.given
    if layer is None or given is None:
        return []
    rule, at, wanted = _refused(layer, given.shape)
    if not rule:
        return []
    arguments: Arguments = {
        "rule": rule,
        "layer": layer.kind,
        "module": layer.name,
        "at": at,
        "size": given.shape[at] if rule == "size" else len(given.shape),
        "wanted": wanted,
        "less": wanted - 1 if rule == "dimensions" and _takes_less(layer) else 0,
        "advice": _advice(layer, given.shape, at, wanted),
    }
    fixes = fixes_of_layer(failure, layer, given.shape, rule, wanted)
    clashes = _clashes(failure, layer, given, at, wanted) if rule == "size" else []
    return [failure.finding("layer_input", given, layer.weight, arguments, fixes=fixes, clashes=clashes)]


def _clashes(failure: Failure, layer: Layer, given: Operand, at: int, wanted: int) -> list[Clash]:
    """The clashing sizes of input and weight.

    With groups of channels, no dimension of the weight has the wanted size; then only the input is marked.
    """
    weight = layer.weight
    at_weight = 1 if layer.kind in RECURRENT or layer.kind.startswith("Conv") else LAST.get(layer.kind, 0)
    if layer.kind.startswith("ConvTranspose"):
        at_weight = 0
    of_weight = failure.clash(weight, at_weight, given.shape[at]) if weight.shape[at_weight] == wanted else []
    return [*failure.clash(given, at, wanted), *of_weight]


def _refused(layer: Layer, given: Shape) -> tuple[str, int, int]:
    """Why a layer refuses a shape: the dimension and its wanted size, or the wanted number of dimensions; "" if the layer
    accepts it."""
    weight = layer.weight.shape
    if layer.kind in LAST:
        is_known = bool(given) and (len(weight) == 1 or layer.kind not in ("LayerNorm", "RMSNorm"))
        wanted = weight[LAST[layer.kind]]
        return ("size", -1, wanted) if is_known and given[-1] != wanted else ("", 0, 0)
    if layer.kind == "GroupNorm":
        return ("size", 1, weight[0]) if len(given) > 1 and given[1] != weight[0] else ("", 0, 0)
    if layer.kind in RECURRENT:
        if len(given) not in (2, 3):
            return "dimensions", 0, 3
        return ("size", -1, weight[1]) if given[-1] != weight[1] else ("", 0, 0)
    if layer.kind not in SPATIAL:  # such as instance norms and `PReLU`
        return "", 0, 0
    behind = SPATIAL[layer.kind]
    is_norm = layer.kind.startswith("BatchNorm")
    counts = (behind + 1, behind + 2) if not is_norm or behind == 1 else (behind + 2,)
    if len(given) not in counts:
        return "dimensions", 0, behind + 2
    # A convolution accepts an input without a batch. `BatchNorm1d` also accepts two dimensions, which are batch and channels.
    at = 1 if is_norm else -behind - 1
    if is_norm or layer.kind.startswith("ConvTranspose"):
        wanted = weight[0]
    elif layer.groups is None:
        return "", 0, 0
    else:
        wanted = weight[1] * layer.groups
    return ("size", at, wanted) if given[at] != wanted else ("", 0, 0)


def _takes_less(layer: Layer) -> bool:
    """Whether a layer also accepts an input without a batch, or, for `BatchNorm1d`, without a dimension after the channels."""
    return layer.kind in RECURRENT or not layer.kind.startswith("BatchNorm") or SPATIAL[layer.kind] == 1


def _advice(layer: Layer, given: Shape, at: int, wanted: int) -> str:
    """How to make the input fit: "flatten" it, move its "channels_last", or "none"."""
    if layer.kind == "Linear" and len(given) > 2 and prod(given[1:]) == wanted:
        return "flatten"
    if layer.kind.startswith("Conv") and len(given) == SPATIAL[layer.kind] + 2 and given[-1] == wanted and given[at] != wanted:
        return "channels_last"
    return "none"
