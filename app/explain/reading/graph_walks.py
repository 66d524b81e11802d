"""Walks over the autograd graph along the edges of given Nodes."""

from collections import defaultdict
from collections.abc import Iterable

from app.explain.reading.reading import Reading
from app.trace.records import NodeId, Step

Graph = dict[NodeId, list[NodeId]]
"""Nodes, and the Nodes that their edges lead to."""


def graph_below(reading: Reading, needing: Step | None) -> Graph:
    """All Nodes that can be reached from the first Node that a statement's backward ran, each with its next Nodes."""
    return below(reading, [] if needing is None else reading.nodes_run.get(needing.id, [])[:1])


def below(reading: Reading, nodes: Iterable[NodeId]) -> Graph:
    """These Nodes and all Nodes that can be reached from them along edges, each with its next Nodes."""
    pending = [*nodes]
    graph: Graph = {}
    while pending:
        node = pending.pop()
        if node not in graph:
            graph[node] = [edge.node for edge in reading.trace.nodes[node].edges if edge is not None]
            pending += graph[node]
    return graph


def leading(graph: Graph, targets: set[NodeId]) -> set[NodeId]:
    """The Nodes of `graph` from which a path of edges leads to a target, and the targets themselves."""
    users: dict[NodeId, list[NodeId]] = defaultdict(list)
    for node, below in graph.items():
        for each in below:
            users[each].append(node)
    pending, found = [target for target in targets if target in graph], set()
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += users[node]
    return found
