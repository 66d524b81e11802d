"""Finds a target with a shape or dtype that a loss refuses."""

import ast

from app.explain.finding import Arguments, Clash, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder
from app.explain.findings.shapes.flat_size import rows_cut_anew
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape
from app.explain.rewriting.fitting import to_shape

OF_CLASSES = ("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")
_OF_ELEMENTS = (
    "binary_cross_entropy BCELoss binary_cross_entropy_with_logits BCEWithLogitsLoss mse_loss MSELoss l1_loss L1Loss "
    "smooth_l1_loss SmoothL1Loss huber_loss HuberLoss"
).split()
_BINARY = ("binary", "BCE")
"""The beginnings of the names of losses that refuse a target of another shape than the input. Other losses broadcast it."""


@failure_finder(*REFUSED_SHAPES)
def find_loss_target(failure: Failure) -> list[Finding]:
    """An error for a loss that refused its target."""
    loss, nodes = _loss(failure)
    operands = failure.operands(nodes)
    if len(operands) != 2:
        return []
    given, target = operands
    rule, at, wanted = _refused(loss, given, target)
    if not rule:
        return []
    advice = _advice(rule, given.shape, target.shape)
    arguments: Arguments = {
        "rule": rule,
        "loss": loss,
        "at": at,
        "wanted": wanted if rule in ("batch", "shape") else 0,
        "size": target.shape[at] if rule == "batch" else 0,
        "dtype": target.dtype,
        "given_dtype": given.dtype,
        "wanted_shape": str((*given.shape[:1], *given.shape[2:])),
        "advice": advice,
    }
    fixes = _fixes(failure, nodes, rule, operands, advice)
    clashes = failure.clash_between(given, at, target, at) if rule == "batch" else []
    if rule == "dtype":
        clashes = [Clash(tensor=target.tensor, other="int64")]
    return [failure.finding("loss_target", given, target, arguments, fixes=fixes, clashes=clashes)]


def _advice(rule: str, given: Shape, target: Shape) -> str:
    """How to get the expected shape: "squeeze" the target, "transpose" the input, or "none"."""
    if rule == "dimensions" and target == (given[0], 1):
        return "squeeze"
    if rule == "spatial" and target == (given[0], 1, *given[2:]):
        return "squeeze"
    return "transpose" if rule == "spatial" and len(given) == 3 and target == given[:-1] else "none"


def _fixes(failure: Failure, nodes: list[ast.expr], rule: str, operands: list[Operand], advice: str) -> Fixes:
    """Fixes that give the target the wanted dtype or shape, or that move the input's classes to dimension 1."""
    (logits, target), (given, refused) = nodes, operands
    if rule == "dtype":
        return [offer("convert_to_long", failure.with_method, target, "long")]
    if rule == "probabilities" or (rule == "floats" and given.dtype == "float32"):
        return [offer("convert_to_float", failure.with_method, target, "float")]
    if advice == "squeeze":
        return [offer("squeeze_target", failure.with_method, target, "squeeze", "1")]
    if advice == "transpose":
        return [offer("classes_first", failure.with_method, logits, "transpose", "1, 2")]
    if rule == "batch":
        return rows_cut_anew(failure, given.shape[0], refused.shape[0])
    return to_shape(failure.source, target, refused.shape, given.shape) if rule == "equal" else []


def _loss(failure: Failure) -> tuple[str, list[ast.expr]]:
    """The name of the loss that the failed call computes, and its input and target; "" for other calls."""
    piece = failure.piece
    if not isinstance(piece, ast.Call) or len(piece.args) < 2:
        return "", []
    name = called_by(failure, piece.func)[0]
    return (name, piece.args[:2]) if name in OF_CLASSES or name in _OF_ELEMENTS else ("", [])


def _refused(loss: str, given: Operand, target: Operand) -> tuple[str, int, int]:
    """Why a loss refuses its target, the dimension that differs, and the dimension's wanted size; "" if it accepts the target."""
    if loss in _OF_ELEMENTS:
        if loss.startswith(_BINARY) and given.shape != target.shape:
            return "equal", 0, 0
        return ("floats", 0, 0) if _is_narrow(loss, given, target) else ("", 0, 0)
    if not given.shape:
        return "", 0, 0
    if target.shape == given.shape and loss in ("cross_entropy", "CrossEntropyLoss"):
        return ("", 0, 0) if target.dtype.startswith(("float", "bfloat")) else ("probabilities", 0, 0)
    if len(given.shape) > 2 and target.shape != (given.shape[0], *given.shape[2:]):
        return "spatial", 0, 0
    if len(given.shape) > 2:
        return ("", 0, 0) if target.dtype in ("int64", "uint8") else ("dtype", 0, 0)
    return _of_indices(given.shape, target)


def _is_narrow(loss: str, given: Operand, target: Operand) -> bool:
    """Whether an elementwise loss refuses the dtype of a target."""
    if loss in ("BCELoss", "binary_cross_entropy"):
        return given.dtype != target.dtype and given.dtype.startswith(("float", "bfloat"))
    if loss.startswith(_BINARY):
        return not target.dtype.startswith(("float", "bfloat"))
    return loss in ("L1Loss", "l1_loss") and target.dtype == "bool"


def _of_indices(given: Shape, target: Operand) -> tuple[str, int, int]:
    """Why a loss refuses a target of class indices, which must have one index for each row of the input; "" if it accepts the
    target."""
    if len(target.shape) != len(given) - 1:
        return "dimensions", 0, 0
    if target.shape != given[:-1]:
        return "batch", 0, given[0]
    return ("", 0, 0) if target.dtype in ("int64", "uint8") else ("dtype", 0, 0)
