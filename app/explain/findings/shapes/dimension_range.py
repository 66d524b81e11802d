"""Finds a dimension that a tensor does not have: `softmax(x, dim=1)` with a vector, `x.mean(dim=2)` with a matrix."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand

_AT = {
    **dict.fromkeys(
        (
            "sum mean prod max min argmax argmin softmax log_softmax squeeze unsqueeze cumsum cumprod logsumexp median mode "
            "amax amin all any sort argsort size unbind select index_select narrow gather std var nansum flip "
            "scatter scatter_ scatter_add scatter_add_ index_add index_add_"
        ).split(),
        1,
    ),
    **dict.fromkeys("topk chunk split tensor_split repeat_interleave norm kthvalue cosine_similarity".split(), 2),
    "normalize": 2,
}
"""Functions that take a dimension, and the position of this argument."""

_SECOND = {"transpose": (1, 2), "swapaxes": (1, 2), "movedim": (1, 2), "flatten": (1, 2)}
_WORDS = ("dim", "axis", "start_dim", "end_dim")
_DEFAULTS = {"normalize": 1, "cosine_similarity": 1}
"""Functions with a default dimension."""

_OBJECTS = ("Softmax", "LogSoftmax", "Softmin", "GLU", "Flatten", "CosineSimilarity")
_OF_OBJECTS = {"CosineSimilarity": 1, "Flatten": 1}


@failure_finder("IndexError")
def find_dimension_range(failure: Failure) -> list[Finding]:
    """An error if the run ended because a tensor does not have the requested dimension."""
    if not isinstance(failure.piece, ast.Call):
        return []
    name, operand, dimensions = _asked(failure, failure.piece)
    if operand is None:
        return []
    count = max(len(operand.shape), 1)
    most = count if name in ("unsqueeze",) and operand.shape else count - 1
    most = 0 if name == "unsqueeze" and not operand.shape else most
    wrong = next((each for each in dimensions if not -most - 1 <= each <= most), None)
    if wrong is None:
        return []
    arguments: Arguments = {
        **failure.told(operand, "left"),
        "function": name,
        "dimension": wrong,
        "dimensions": len(operand.shape),
        "first": -most - 1,
        "last": most,
    }
    return [failure.single_finding("dimension_range", [operand], arguments)]


def _asked(failure: Failure, piece: ast.Call) -> tuple[str, Operand | None, list[int]]:
    """The function, its tensor, and the requested dimensions that are known."""
    name, nodes = failure.called
    if name not in _AT and name not in _SECOND:
        kind, made = called_by(failure, piece.func)
        if kind not in _OBJECTS or not piece.args or made is None:
            return "", None, []
        written = [*made.args[:1], *(each.value for each in made.keywords if each.arg in _WORDS)]
        return kind, failure.operand(piece.args[0]), _numbers(failure, written) or [_OF_OBJECTS.get(kind, -1)]
    first = nodes[0] if nodes else failure.keyword("input")
    places = _SECOND.get(name) or (_AT[name],)
    written = [nodes[place] for place in places if place < len(nodes)]
    written += [each.value for each in piece.keywords if each.arg in _WORDS]
    dimensions = _numbers(failure, written) if written else [_DEFAULTS[name]] if name in _DEFAULTS else []
    return name, None if first is None else failure.operand(first), dimensions


def _numbers(failure: Failure, nodes: list[ast.expr]) -> list[int]:
    flat = [each for node in nodes for each in (node.elts if isinstance(node, ast.Tuple | ast.List) else [node])]
    found = [integer(failure.reading, each, failure.step) for each in flat]
    return [each for each in found if each is not None]
