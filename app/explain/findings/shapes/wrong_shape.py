"""Finds further refused shapes: class weights, sequence lengths, too few dimensions for a pooling or an initialization."""

import ast
import re

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.calls.many_values import list_items
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.findings.refusing_layer import RECURRENT
from app.explain.findings.resolved import Callee, callee_of
from app.explain.reading.integers import integers
from app.explain.reading.shapes import Operand, named_at, of_tensor, path_at
from app.explain.reading.signatures import given_for
from app.explain.reading.viewing import broadcast
from app.trace.query import elements

_FANS = ("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "sparse_", "eye_")
"""Initializations that need at least two dimensions."""

_SPATIAL = {
    f"{kind}{count}d": (count + 1, count + 2)
    for kind in ("MaxPool", "AvgPool", "AdaptiveAvgPool", "AdaptiveMaxPool", "InstanceNorm", "ReflectionPad", "ReplicationPad")
    for count in (1, 2, 3)
} | {
    f"{kind}{count}d": (count + 1, count + 2)
    for kind in ("max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool")
    for count in (1, 2, 3)
}
"""The number of dimensions of an input, without and with a batch."""


@failure_finder("ValueError", "RuntimeError", "IndexError", "AssertionError", "TypeError", "AttributeError")
def find_wrong_shape(failure: Failure) -> list[Finding]:
    """An error for an argument with a shape that the failed call refuses."""
    piece = failure.piece
    if not isinstance(piece, ast.Call) or not piece.args:
        return []
    callee = callee_of(failure, piece)
    name = called_by(failure, piece.func)[0]
    for find in (_initialized, _packed, _padded, _weighed):
        found = find(failure, piece, callee) if callee is not None else []
        if found:
            return found
    return _spatial(failure, piece, name) or _state(failure, piece, name) or _features(failure, piece, name)


def _single(failure: Failure, operand: Operand, arguments: Arguments, fixes: Fixes | None = None) -> list[Finding]:
    told: Arguments = {
        "function": "",
        "wanted": 0,
        "less": 0,
        "size": 0,
        "at": 0,
        "text": "",
        "wanted_shape": "",
        **failure.told(operand, "left"),
    }
    return [failure.single_finding("wrong_shape", [operand], {**told, **arguments}, fixes=fixes)]


def _initialized(failure: Failure, piece: ast.Call, callee: Callee) -> list[Finding]:
    place, _, name = callee.name.partition(".")
    operand = failure.operand(piece.args[0]) if place == "init" and name in _FANS else None
    if operand is None or len(operand.shape) >= 2:
        return []
    return _single(failure, operand, {"rule": "fan", "function": name, "size": len(operand.shape), "wanted": 2})


def _spatial(failure: Failure, piece: ast.Call, name: str) -> list[Finding]:
    operand = failure.operand(piece.args[0]) if name in _SPATIAL else None
    if operand is None or len(operand.shape) in _SPATIAL[name]:
        return []
    less, wanted = _SPATIAL[name]
    return _single(
        failure,
        operand,
        {"rule": "dimensions", "function": name, "size": len(operand.shape), "wanted": wanted, "less": less},
    )


def _state(failure: Failure, piece: ast.Call, name: str) -> list[Finding]:
    """Finds an LSTM that got a single state, or an RNN or GRU that got a pair."""
    if name not in (*RECURRENT, "LSTMCell", "GRUCell", "RNNCell") or len(piece.args) != 2:
        return []
    given = piece.args[1]
    if name.startswith("LSTM"):
        operand = failure.operand(given)
        text = "" if operand is None else operand.text
        fixes = [offer("pair_of_states", failure.replaced, given, f"({text}, torch.zeros_like({text}))")]
        is_name = isinstance(given, ast.Name) and "torch" in failure.reading.syntax.bound_names
        told: Arguments = {"rule": "pair", "function": name}
        is_stack = operand is not None and len(operand.shape) == 4 and operand.shape[0] == 2
        return [] if operand is None or is_stack else _single(failure, operand, told, fixes if is_name else [])
    held = failure.reading.held(given.id, failure.step) if isinstance(given, ast.Name) else None
    is_pair = isinstance(given, ast.Tuple) or (held is not None and held.type == "tuple")
    first = given.elts[0] if isinstance(given, ast.Tuple) and given.elts else None
    operand = failure.operand(first) if first is not None else failure.operand(piece.args[0])
    written = ast.get_source_segment(failure.reading.syntax.text, given if first is None else first)
    if not is_pair or operand is None:
        return []
    replacement = f"{written}[0]" if first is None else written or ""
    fixes = [offer("one_state", failure.replaced, given, replacement)]
    return _single(failure, operand, {"rule": "one", "function": name, "text": failure.reading.syntax.text_of(given)}, fixes)


def _features(failure: Failure, piece: ast.Call, name: str) -> list[Finding]:
    """Finds a transformer with an input that has the wrong number of features."""
    path = path_at(failure.reading, piece.func, failure.step) if name.startswith("Transformer") else ""
    operand = failure.operand(piece.args[0]) if path else None
    for inner in ("", ".layers[0]", ".encoder.layers[0]") if operand is not None and operand.shape else ():
        tensor = named_at(failure.reading, f"{path}{inner}.self_attn.in_proj_weight", failure.step)
        weight = None if tensor is None else of_tensor(failure.reading, tensor, failure.step)
        if operand is not None and weight is not None and operand.shape[-1] != weight.shape[1]:
            told: Arguments = {"rule": "features", "function": name, "size": operand.shape[-1], "wanted": weight.shape[1]}
            return _single(failure, operand, told)
    return []


def _padded(failure: Failure, piece: ast.Call, callee: Callee) -> list[Finding]:
    """Finds `pad_sequence` of sequences with elements that have different shapes."""
    items = list_items(failure, piece.args[0]) if callee.name in ("rnn.pad_sequence", "utils.pad_sequence") else []
    other = next((each for each in items if each.shape[1:] != items[0].shape[1:]), None)
    if other is None:
        return []
    told: Arguments = {"rule": "padded", "function": "pad_sequence", "text": clipped(items[0].text), "at": 0}
    told |= {"wanted_shape": str(items[0].shape)}
    return _single(failure, other, told)


def _packed(failure: Failure, piece: ast.Call, callee: Callee) -> list[Finding]:
    """Finds `pack_padded_sequence` with lengths that are not sorted, too few, too large, or 0."""
    if callee.name not in ("rnn.pack_padded_sequence", "utils.pack_padded_sequence"):
        return []
    node = given_for(callee.signature, piece, "lengths")
    first = given_for(callee.signature, piece, "batch_first")
    is_first = isinstance(first, ast.Constant) and first.value is True
    given = failure.operand(piece.args[0])
    lengths = None if node is None else _numbers(failure, node)
    if given is None or len(given.shape) < 2 or lengths is None or node is None or (first is not None and not is_first):
        return []
    batch, longest = given.shape[:2] if is_first else (given.shape[1], given.shape[0])
    enforced = given_for(callee.signature, piece, "enforce_sorted")
    is_enforced = enforced is None or (isinstance(enforced, ast.Constant) and enforced.value is True)
    told: Arguments = {"function": "pack_padded_sequence", "text": failure.reading.syntax.text_of(node)}
    fixes: Fixes = []
    if len(lengths) != batch:
        told |= {"rule": "lengths", "size": len(lengths), "wanted": batch}
    elif min(lengths, default=1) <= 0:
        told |= {"rule": "no_length", "at": lengths.index(min(lengths))}
    elif max(lengths) > longest:
        told |= {"rule": "too_long", "size": max(lengths), "wanted": longest}
    elif is_enforced and lengths != sorted(lengths, reverse=True):
        told |= {"rule": "unsorted"}
        if enforced is None:
            text = ast.get_source_segment(failure.reading.syntax.text, piece) or ""
            fixes.append(offer("not_sorted", failure.replaced, piece, f"{text[:-1].rstrip(', ')}, enforce_sorted=False)"))
    else:
        return []
    return _single(failure, given, told, fixes)


def _numbers(failure: Failure, node: ast.expr) -> list[int] | None:
    """The integers in an argument such as `lengths`: a list literal, a variable with a list, or a tensor; None if unknown."""
    operand = failure.operand(node)
    if operand is not None:
        shown = elements(failure.reading.trace, operand.tensor, failure.step.began)
        numbers = [each for each in shown if isinstance(each, int)] if isinstance(shown, list) else []
        return numbers if numbers and operand.shape == (len(numbers),) else None
    if isinstance(node, ast.List | ast.Tuple):
        return integers(failure.reading, node.elts, failure.step)
    held = failure.reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
    text = held.text if held is not None and held.type in ("list", "tuple") and held.text is not None else ""
    return [int(each) for each in re.findall(r"-?\d+", text)] if re.fullmatch(r"[\[(](-?\d+,? ?)+[\])]", text) else None


def _weighed(failure: Failure, piece: ast.Call, callee: Callee) -> list[Finding]:
    """Finds class weights of the wrong shape. Torch checks class weights in `forward`, not in the constructor."""
    if callee.name[:1].isupper() and not callee.name.endswith(".forward"):
        return []
    kind = callee.name.removesuffix(".forward").removeprefix("functional.")
    given = failure.operand(piece.args[0])
    is_of_classes = kind in ("CrossEntropyLoss", "NLLLoss", "cross_entropy", "nll_loss")
    word = "weight" if is_of_classes else "pos_weight"
    if (
        given is None
        or not given.shape
        or not (is_of_classes or kind in ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits"))
    ):
        return []
    weight = _weight(failure, piece, callee, word)
    if weight is None:
        return []
    classes = given.shape[1 if len(given.shape) > 1 and is_of_classes else -1 if not is_of_classes else 0]
    fits = weight.shape == (classes,) if is_of_classes else broadcast(weight.shape, given.shape) == given.shape
    if fits:
        return []
    arguments: Arguments = {
        "rule": "weight" if is_of_classes else "pos_weight",
        "function": kind,
        "text": word,
        "size": weight.shape[0] if weight.shape else 1,
        "wanted": classes,
        "wanted_shape": str(given.shape),
    }
    return [failure.finding("weight_mismatch", given, weight, arguments)]


def _weight(failure: Failure, piece: ast.Call, callee: Callee, word: str) -> Operand | None:
    node = given_for(callee.signature, piece, word) if word in callee.signature.names else None
    if node is not None:
        return failure.operand(node)
    path = path_at(failure.reading, piece.func, failure.step)
    tensor = named_at(failure.reading, f"{path}.{word}", failure.step) if path else None
    return None if tensor is None else of_tensor(failure.reading, tensor, failure.step, f"{path}.{word}")
