"""Finds values outside a function's domain: not a probability, a negative scale, an unknown category."""

import ast
import math
from math import prod

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.findings.resolved import Callee, callee_of
from app.explain.reading.shapes import Operand
from app.explain.reading.shapes import operand as operand_at
from app.explain.reading.signatures import SIGNATURES, given_for
from app.trace.query import elements

_POSITIVE = (0.0, math.inf, "positive")
_UNIT = (0.0, 1.0, "unit")
_ANY = (-math.inf, math.inf, "number")
_LOSSES = ("BCELoss.forward", "functional.binary_cross_entropy")
_RANGES: dict[tuple[str, str], tuple[float, float, str]] = {
    **{
        (kind, "scale"): _POSITIVE
        for kind in ("Normal", "Laplace", "LogNormal", "HalfNormal", "Cauchy", "HalfCauchy", "Gumbel")
    },
    **{(kind, "rate"): _POSITIVE for kind in ("Exponential", "Gamma")},
    **{(kind, "concentration"): _POSITIVE for kind in ("Gamma", "Dirichlet")},
    **{("Beta", name): _POSITIVE for name in ("concentration0", "concentration1")},
    **{(kind, "probs"): _UNIT for kind in ("Bernoulli", "Binomial", "Geometric")},
    **{(kind, "logits"): _ANY for kind in ("Bernoulli", "Categorical", "Binomial")},
    **{(kind, "loc"): _ANY for kind in ("Normal", "Laplace", "LogNormal")},
    **{(loss, name): _UNIT for loss in _LOSSES for name in ("input", "target")},
    ("Poisson", "rate"): (0.0, math.inf, "not_negative"),
    ("Categorical", "probs"): (0.0, math.inf, "not_negative"),
}
"""By function and parameter: the smallest and the largest valid value, and the kind of value in the message."""


@failure_finder("ValueError", "RuntimeError")
def find_domain(failure: Failure) -> list[Finding]:
    """An error for the first argument that contains an invalid value."""
    piece = failure.piece
    callee = callee_of(failure, piece) if isinstance(piece, ast.Call) else None
    if callee is None or not isinstance(piece, ast.Call):
        return []
    if (callee.name in _LOSSES and not _are_of_one_shape(failure, piece)) or (
        callee.name not in _LOSSES and failure.step.name != "ValueError"
    ):
        return []
    if callee.name == "Categorical.log_prob":
        return _of_category(failure, piece)
    for name in callee.signature.names:
        node = given_for(callee.signature, piece, name)
        bounds = _RANGES.get((callee.name, name))
        operand = None if node is None or bounds is None else failure.operand(node)
        values = [] if operand is None else _values(failure, operand)
        if operand is None or bounds is None or node is None:
            continue
        wrong = next((each for each in values if not _is_within(each, bounds)), None)
        if wrong is not None:
            rule = "nan" if math.isnan(wrong) else bounds[2]
            return [_finding(failure, callee, operand, (rule, name, wrong), _fixes(failure, callee, name, node, rule))]
    return []


def _are_of_one_shape(failure: Failure, piece: ast.Call) -> bool:
    """Whether input and target have the same shape and dtype, so that only their values can be wrong."""
    operands = failure.operands(piece.args[:2])
    return len(operands) == 2 and operands[0].shape == operands[1].shape and operands[0].dtype == operands[1].dtype


def _is_within(value: float, bounds: tuple[float, float, str]) -> bool:
    least, most, kind = bounds
    return not math.isnan(value) and least <= value <= most and (kind != "positive" or value > 0)


def _values(failure: Failure, operand: Operand) -> list[float]:
    """All elements of a tensor as floats; empty if they are unknown."""
    shown = elements(failure.reading.trace, operand.tensor, failure.step.began)
    if not isinstance(shown, list) or len(shown) != prod(operand.shape):
        return []
    return [float(each) for each in shown if isinstance(each, int | float | str) and not isinstance(each, bool)]


def _finding(failure: Failure, callee: Callee, operand: Operand, what: tuple[str, str, float], fixes: Fixes) -> Finding:
    rule, name, value = what
    arguments: Arguments = {
        **failure.told(operand, "left"),
        "rule": rule,
        "function": callee.name.removesuffix(".forward").split(".")[-1],
        "name": name,
        "value": f"{value:.4g}",
        "last": 0,
    }
    return failure.single_finding("out_of_domain", [operand], arguments, fixes=fixes)


def _fixes(failure: Failure, callee: Callee, name: str, node: ast.expr, rule: str) -> Fixes:
    if rule == "unit" and callee.name == "functional.binary_cross_entropy" and name == "input":
        function = failure.piece.func if isinstance(failure.piece, ast.Call) else node
        written = ast.get_source_segment(failure.reading.syntax.text, function) or ""
        return [offer("use_logits", lambda: failure.replaced(function, f"{written}_with_logits"))]
    _, made = called_by(failure, failure.piece.func) if isinstance(failure.piece, ast.Call) else ("", None)
    if rule == "unit" and callee.name == "BCELoss.forward" and name == "input" and made is not None:
        written = ast.get_source_segment(failure.reading.syntax.text, made.func) or ""
        return [offer("use_logits", lambda: failure.replaced(made.func, written.replace("BCELoss", "BCEWithLogitsLoss")))]
    return []


def _given(failure: Failure, receiver: ast.expr, node: ast.expr) -> Operand | None:
    """A tensor that was passed to the constructor of a distribution, as it was at that time."""
    defined = failure.reading.defined_by(receiver.id, failure.step) if isinstance(receiver, ast.Name) else None
    return None if defined is None else operand_at(failure.reading, node, failure.reading.ended(defined[1]))


def _of_category(failure: Failure, piece: ast.Call) -> list[Finding]:
    """Finds an index that is not a category of a `Categorical`."""
    receiver = piece.func.value if isinstance(piece.func, ast.Attribute) else None
    kind, made = ("", None) if receiver is None else called_by(failure, receiver)
    signature = SIGNATURES["Categorical"]
    node = None if made is None else given_for(signature, made, "logits") or given_for(signature, made, "probs")
    given = None if node is None or receiver is None else _given(failure, receiver, node)
    operand = failure.operand(piece.args[0]) if piece.args else None
    if kind != "Categorical" or given is None or operand is None or not given.shape:
        return []
    wrong = next((each for each in _values(failure, operand) if not 0 <= each < given.shape[-1]), None)
    if wrong is None:
        return []
    told = failure.told(operand, "left")
    arguments: Arguments = {
        **told,
        "rule": "category",
        "function": "Categorical",
        "name": "value",
        "value": f"{wrong:g}",
        "last": given.shape[-1] - 1,
    }
    return [failure.single_finding("out_of_domain", [operand], arguments)]
