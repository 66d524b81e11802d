"""A target that a loss does not take: of another shape than the input, or of another dtype."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import Failure, function_of_torch, shape_failure
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape

_OF_CLASSES = ("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")
_OF_ELEMENTS = (
    "binary_cross_entropy BCELoss binary_cross_entropy_with_logits BCEWithLogitsLoss mse_loss MSELoss l1_loss L1Loss "
    "smooth_l1_loss SmoothL1Loss huber_loss HuberLoss"
).split()
_BINARY = ("binary", "BCE")
"""How losses begin that refuse every target of another shape; the others broadcast it."""


def find_loss_target(reading: Reading) -> list[Finding]:
    """An error for a loss that refused its target."""
    failure = shape_failure(reading)
    loss, nodes = ("", []) if failure is None else _loss(failure)
    operands = [] if failure is None else failure.operands(nodes)
    if failure is None or len(operands) != 2:
        return []
    given, target = operands
    rule, at, wanted = _refused(loss, given, target)
    if not rule:
        return []
    arguments: Arguments = {
        "rule": rule,
        "loss": loss,
        "at": at,
        "wanted": wanted if rule in ("batch", "shape") else 0,
        "size": target.shape[at] if rule == "batch" else 0,
        "dtype": target.dtype,
        "advice": "squeeze" if rule == "dimensions" and target.shape == (given.shape[0], 1) else "none",
    }
    return [failure.finding("loss_target", given, target, arguments)]


def _loss(failure: Failure) -> tuple[str, list[ast.expr]]:
    """Which loss the failing piece computes, told by its function or by the class of its object, and input and target."""
    piece = failure.piece
    if not isinstance(piece, ast.Call) or len(piece.args) < 2:
        return "", []
    name, is_torch = function_of_torch(failure.reading, piece.func, failure.step)
    if not is_torch and isinstance(piece.func, ast.Name):
        held = failure.reading.held(piece.func.id, failure.step)
        is_own = held is None or held.kind != "object" or held.type in failure.reading.syntax.bound_names - _imported(failure)
        name = "" if is_own or held is None else held.type
    elif not is_torch and isinstance(piece.func, ast.Attribute):
        name = _assigned(failure, piece.func.attr)
    elif not is_torch and isinstance(piece.func, ast.Call):
        name = function_of_torch(failure.reading, piece.func.func, failure.step)[0]
    return (name, piece.args[:2]) if name in _OF_CLASSES or name in _OF_ELEMENTS else ("", [])


def _assigned(failure: Failure, attribute: str) -> str:
    """The class of torch of which the snippet's only assignment to an attribute of this name makes an object; "" for none."""
    given = [
        node.value
        for node in failure.reading.syntax.of(ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == attribute
    ]
    match given:
        case [ast.Call(func=function)]:
            return function_of_torch(failure.reading, function, failure.step)[0]
    return ""


def _imported(failure: Failure) -> set[str]:
    return {alias.name for statement in failure.reading.syntax.of(ast.ImportFrom) for alias in statement.names}


def _refused(loss: str, given: Operand, target: Operand) -> tuple[str, int, int]:
    """Why a loss does not take its target, the dimension that is to blame, and its size that is wanted; "" when it does."""
    if loss in _OF_ELEMENTS:
        is_refused = loss.startswith(_BINARY) and given.shape != target.shape
        return ("equal", 0, 0) if is_refused else ("", 0, 0)
    if len(given.shape) not in (1, 2):
        return "", 0, 0
    if target.shape == given.shape and loss in ("cross_entropy", "CrossEntropyLoss"):
        return ("", 0, 0) if target.dtype.startswith(("float", "bfloat")) else ("probabilities", 0, 0)
    return _of_indices(given.shape, target)


def _of_indices(given: Shape, target: Operand) -> tuple[str, int, int]:
    """A target of class indices: one for each row of the input."""
    if len(target.shape) != len(given) - 1:
        return "dimensions", 0, 0
    if target.shape != given[:-1]:
        return "batch", 0, given[0]
    return ("", 0, 0) if target.dtype in ("int64", "uint8") else ("dtype", 0, 0)
