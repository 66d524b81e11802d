"""Finds losses that expect logits or log-probabilities but get probabilities, by the Nodes that computed the loss's input."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.findings.mismatch import function_of_torch
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.explain.rewriting.replacing import with_replaced
from app.trace.index import Line
from app.trace.records import Node, NodeId, StepId

_LOSSES = {
    ("LogSoftmaxBackward0", "SoftmaxBackward0"): ("softmax", "log_softmax"),
    ("LogSoftmaxBackward0", "SigmoidBackward0"): ("sigmoid", "log_softmax"),
    ("BinaryCrossEntropyWithLogitsBackward0", "SigmoidBackward0"): ("sigmoid", "sigmoid"),
    ("BinaryCrossEntropyWithLogitsBackward0", "SoftmaxBackward0"): ("softmax", "sigmoid"),
    ("NllLossBackward0", "SoftmaxBackward0"): ("softmax", "log"),
}
"""By a loss's Node and the Node that computed its input: the applied function, and the function that the loss applies again.

The latter is "log" if a logarithm is missing.
"""

_SHAPES = (
    "ViewBackward0",
    "ReshapeAliasBackward0",
    "SqueezeBackward0",
    "SqueezeBackward1",
    "UnsqueezeBackward0",
    "TransposeBackward0",
)
"""Nodes that change no values."""

MOST_SHAPES = 8
"""Maximum number of consecutive Nodes of `_SHAPES` that are skipped."""


@finder()
def find_softmax_twice(reading: Reading) -> Iterator[Finding]:
    """A warning for each loss with a backward, if its input is the output of softmax or sigmoid instead of logits or
    log-probabilities."""
    told: set[tuple[Line | None, Line | None]] = set()
    outer = {name for name, _ in _LOSSES}
    for node in reading.trace.nodes:
        if node.name not in outer or not reading.runs_of(node.id):
            continue
        fed = _feeding(reading, node)
        found = None if fed is None else _LOSSES.get((node.name, fed.name))
        if fed is None or found is None:
            continue
        lines = reading.line_of(fed.made_by), reading.line_of(node.made_by)
        if None in lines or lines in told:
            continue
        told.add(lines)
        yield _finding(reading, node, fed, *found)


def _feeding(reading: Reading, node: Node) -> Node | None:
    """The Node that computed the values of a loss's input; Nodes that only change the shape are skipped."""
    below = _first(reading, node)
    for _ in range(MOST_SHAPES):
        if below is None or below.name not in _SHAPES:
            break
        below = _first(reading, below)
    return below


def _first(reading: Reading, node: Node) -> Node | None:
    edge = node.edges[0] if node.edges else None
    return None if edge is None else reading.trace.nodes[NodeId(edge.node)]


def _finding(reading: Reading, node: Node, fed: Node, applied: str, again: str) -> Finding:
    arguments: Arguments = {
        "applied": applied,
        "again": again,
        "name": next((name for tensor in reading.results.get(fed.id, []) if (name := reading.name_of(tensor))), "none"),
        "loss": _loss(reading, node.made_by) or "none",
        "applied_line": reading.line_of(fed.made_by) or 0,
    }
    fixes: Fixes = []
    if again == "log":
        fixes.append(offer("log_softmax", _logarithm, reading, fed.made_by))
    elif (again, applied) in (("log_softmax", "softmax"), ("sigmoid", "sigmoid")):
        fixes.append(offer("logits", _logits, reading, fed.made_by, applied))
    steps = [fed.made_by, node.made_by]
    tensors = [tensor for each in (fed, node) for tensor in reading.results.get(each.id, [])[:1]]
    return reading.finding("softmax_twice", steps, tensors, arguments, fixes=fixes, severity="warning")


def _loss(reading: Reading, maker: StepId | None) -> str:
    """The source of the called function; "" if unknown, for example within a layer."""
    piece = None if maker is None else reading.node_at(reading.trace.steps[maker].span)
    return reading.syntax.text_of(piece.func) if isinstance(piece, ast.Call) else ""


def _call(reading: Reading, maker: StepId | None, applied: str) -> ast.Call | None:
    """The call `F.softmax(x, dim=1)`, `torch.sigmoid(x)` or `x.softmax(1)`; None if the function was applied elsewhere."""
    piece = None if maker is None else reading.node_at(reading.trace.steps[maker].span)
    return piece if isinstance(piece, ast.Call) and last_name(piece) == applied else None


def _logarithm(reading: Reading, maker: StepId | None) -> str | None:
    """`F.softmax(x, dim=1)` → `F.log_softmax(x, dim=1)`."""
    call = _call(reading, maker, "softmax")
    text = None if call is None else ast.get_source_segment(reading.syntax.text, call.func)
    if call is None or text is None:
        return None
    return with_replaced(reading.trace.source, [(call.func, f"{text.removesuffix('softmax')}log_softmax")])


def _logits(reading: Reading, maker: StepId | None, applied: str) -> str | None:
    """`F.softmax(x, dim=1)` → `x`."""
    call = _call(reading, maker, applied)
    if call is None or maker is None:
        return None
    _, of_torch = function_of_torch(reading, call.func, reading.trace.steps[maker])
    match call:
        case ast.Call(args=[given, *_]) if of_torch:
            pass
        case ast.Call(func=ast.Attribute(value=given)) if not of_torch:
            pass
        case _:
            return None
    text = ast.get_source_segment(reading.syntax.text, given)
    return None if text is None else with_replaced(reading.trace.source, [(call, text)])
