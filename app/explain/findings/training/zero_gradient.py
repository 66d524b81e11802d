"""Finds `round`, `sign` and similar functions on the only path to a leaf.

The derivative of these functions is 0, so the leaf's gradient is 0.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.first_runs import first_backwards
from app.explain.reading.graph_walks import graph_below
from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.records import NodeId, Step, TensorId

MOST_BACKWARDS = 20
"""Maximum number of examined graphs of backwards. A loop runs the same backward repeatedly."""

_FLAT = {
    "RoundBackward0": "round",
    "RoundBackward1": "round",
    "SignBackward0": "sign",
    "FloorBackward0": "floor",
    "CeilBackward0": "ceil",
    "TruncBackward0": "trunc",
}


@finder()
def find_zero_gradient(reading: Reading) -> Iterator[Finding]:
    """A warning for each function with derivative 0 whose Node a backward ran, if a leaf can only be reached through this
    Node."""
    if not any(node.name in _FLAT for node in reading.trace.nodes):
        return
    told: set[Line] = set()
    for _, step in islice(first_backwards(reading), MOST_BACKWARDS):
        for node, leaves in _behind(reading, step).items():
            maker = reading.line_of(reading.trace.nodes[node].made_by) or 0
            if maker and maker not in told:
                told.add(maker)
                yield _finding(reading, step, node, leaves)


def _behind(reading: Reading, step: Step) -> dict[NodeId, list[TensorId]]:
    """For each Node of a function with derivative 0, the leaves that got a gradient only through this Node."""
    graph = graph_below(reading, step)
    flat = [node for node in graph if reading.trace.nodes[node].name in _FLAT]
    first = reading.nodes_run.get(step.id, [])[:1]
    around = _reached(graph, first, set(flat)) if flat else set[NodeId]()
    found: dict[NodeId, list[TensorId]] = defaultdict(list)
    looked = set(around)
    for node in flat:
        reached = _reached(graph, graph[node], looked)
        looked |= reached
        for below in reached:
            leaf = reading.leaf_of(below)
            run = None if leaf is None else reading.last_run(below, step.ended or step.began)
            if leaf is not None and run is not None and reading.was_added(run):
                found[node].append(leaf)
    return found


def _reached(graph: dict[NodeId, list[NodeId]], begin: list[NodeId], without: set[NodeId]) -> set[NodeId]:
    """The Nodes that can be reached from `begin` without passing through a Node in `without`."""
    pending, found = [*begin], set[NodeId]()
    while pending:
        node = pending.pop()
        if node not in found and node not in without:
            found.add(node)
            pending += graph[node]
    return found


def _finding(reading: Reading, step: Step, node: NodeId, leaves: list[TensorId]) -> Finding:
    maker = reading.trace.nodes[node].made_by
    arguments: Arguments = {
        "function": _FLAT[reading.trace.nodes[node].name],
        "name": reading.name_of(leaves[0]) or "none",
        "others": len(leaves) - 1,
        "maker_line": reading.line_of(maker) or 0,
    }
    steps = [maker, step.id]
    return reading.finding("zero_gradient", steps, leaves, arguments, severity="warning")
