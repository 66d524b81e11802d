"""Finds a NaN or an infinity that first appeared in backward, computed from finite numbers."""

from collections import deque

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.finite import with_epsilon, with_safe_argument
from app.trace.naming import grad_name
from app.trace.query import elements, end_of, events_after, first_nonfinite_gradient, holds_nonfinite, is_nonfinite
from app.trace.records import Cells, Gradient, Node, Step, Tick, Value

MOST_NODES = 500
"""Maximum number of inputs of a Node, direct and indirect, that are searched for the first non-finite result."""

MOST_LEAVES = 100
"""Maximum number of gradients of one backward that are searched for the first leaf with a NaN or an infinity."""

_REMEDIES = {
    "SqrtBackward": "root",
    "RsqrtBackward": "root",
    "PowBackward0": "power",
    "StdBackward": "std",
    "LogBackward": "log",
    "Log2Backward": "log",
    "Log10Backward": "log",
    "DivBackward": "division",
    "ReciprocalBackward": "division",
    "AcosBackward": "arc",
    "AsinBackward": "arc",
    "ExpBackward": "exp",
}
"""Kinds of operations with a derivative that is not finite everywhere, by the beginning of the Node's name."""

_SHOWN: dict[str, tuple[Value, ...]] = {
    "root": (0, "inf"),
    "power": (0,),
    "std": (0,),
    "log": ("-inf", "nan"),
    "division": ("inf", "-inf", "nan"),
    "exp": ("inf",),
}
"""For each kind of operation, the values of the result for which the derivative is not finite."""


@finder()
def find_nan_gradient(reading: Reading) -> list[Finding]:
    """A warning about the first non-finite gradient: the Node that sent the gradient, and whether this Node belongs to the
    branch that `torch.where` did not choose."""
    trace = reading.trace
    gradient = first_nonfinite_gradient(trace)
    if gradient is None or gradient.node is None or gradient.step is None:
        return []
    node = trace.nodes[gradient.node]
    earlier = [each for each in trace.gradients if each.to == node.id and each.tick <= gradient.tick]
    if not earlier or any(holds_nonfinite(each.value) is not False for each in earlier):
        return []
    leaf = _leaf(reading, trace.steps[gradient.step])
    how = _how(reading, node, earlier[-1], gradient)
    origin = _origin(reading, node) if how == "forward" else node
    arguments: Arguments = {
        "node": node.name,
        "how": how,
        "origin": origin.name if origin is not node else "none",
        "origin_line": reading.line_of(origin.made_by) or 0,
        "remedy": "where" if how == "where" else _remedy(reading, origin),
        "maker_line": reading.line_of(node.made_by) or 0,
        "line": reading.line_of(gradient.step) or 0,
        "leaf": leaf or "none",
        "grad": grad_name(leaf) if leaf else "none",
    }
    steps, results = [node.made_by, gradient.step], reading.results.get(node.id, [])[:1]
    sender = None if earlier[-1].node is None else trace.nodes[earlier[-1].node]
    fixes: Fixes = []
    if sender is not None and sender.name.startswith("WhereBackward"):
        fixes.append(offer("safe_argument", with_safe_argument, reading, node, sender))
    elif arguments["how"] == "other":
        fixes.append(offer("add_epsilon", with_epsilon, reading, node))
    return [reading.finding("nan_gradient", steps, results, arguments, fixes=fixes, severity="warning")]


def _how(reading: Reading, node: Node, arrived: Gradient, sent: Gradient) -> str:
    """Why the sent gradient is not finite.

    "where": it is NaN only where `torch.where` had sent 0; "forward": the Node's result was already not finite; else "other".
    """
    sender = None if arrived.node is None else reading.trace.nodes[arrived.node]
    if sender is not None and sender.name.startswith("WhereBackward") and arrived.shape == sent.shape:
        there = _values(arrived), _values(sent)
        spoilt = (
            [came for came, went in zip(*there, strict=True) if is_nonfinite(went)] if len(there[0]) == len(there[1]) else []
        )
        if spoilt and all(came == 0 for came in spoilt):
            return "where"
    for result in reading.results.get(node.id, [])[:1]:
        maker = None if node.made_by is None else reading.trace.steps[node.made_by]
        shown = elements(reading.trace, result, sent.tick if maker is None else end_of(maker))
        if isinstance(shown, list) and any(map(is_nonfinite, shown)):
            return "forward"
    return "other"


def _origin(reading: Reading, node: Node) -> Node:
    """The earliest Node whose result was not finite in the forward pass, among a Node and the Nodes it was computed from."""
    seen, pending, first = {node.id}, deque([node]), node
    while pending and len(seen) < MOST_NODES:
        for edge in pending.popleft().edges:
            if edge is None or edge.node in seen:
                continue
            seen.add(edge.node)
            behind = reading.trace.nodes[edge.node]
            pending.append(behind)
            if behind.id < first.id and any(map(is_nonfinite, _result(reading, behind))):
                first = behind
    return first


def _result(reading: Reading, node: Node) -> list[Value]:
    """The elements of a Node's first result at the end of the step that computed it; empty if unknown."""
    maker = None if node.made_by is None else reading.trace.steps[node.made_by]
    for result in reading.results.get(node.id, [])[:1]:
        shown = elements(reading.trace, result, reading.trace.tensors[result].born if maker is None else end_of(maker))
        return shown if isinstance(shown, list) else []
    return []


def _remedy(reading: Reading, node: Node) -> str:
    """The kind of operation whose derivative was not finite, by operator and result; "none" if unknown."""
    kind = next((kind for begin, kind in _REMEDIES.items() if node.name.startswith(begin)), "none")
    needed, shown = _SHOWN.get(kind, ()), _result(reading, node)
    if shown and (not needed or any(value in needed for value in shown)):
        return kind
    return "none"


def _values(gradient: Gradient) -> list[Value]:
    return gradient.value.values if isinstance(gradient.value, Cells) else []


def _leaf(reading: Reading, run: Step) -> str:
    """The first named leaf with a non-finite `grad` in this backward; "" for none."""
    statement = reading.statement_of(run.id)
    nodes = [] if statement is None else reading.nodes_run.get(statement.id, [])
    for node in [each for each in nodes if reading.leaf_of(each) is not None][:MOST_LEAVES]:
        step = reading.run_of_node(node, since=run.began)
        if step is None or not reading.was_added(step):
            continue
        came = events_after(reading.gradients_to.get(node, []), Tick(run.began - 1), end_of(step))
        if any(holds_nonfinite(each.value) for each in came) and (name := reading.name_of(reading.leaf_of(node))):
            return name
    return ""
