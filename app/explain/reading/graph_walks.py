"""Walks over the graph below some Nodes."""

from collections import defaultdict
from collections.abc import Iterable

from app.explain.reading.reading import Reading
from app.trace.records import NodeId, Step

Graph = dict[NodeId, list[NodeId]]
"""Nodes, and the Nodes that their edges lead to."""


def graph_below(reading: Reading, needing: Step | None) -> Graph:
    """Every Node that can be reached from the one at which a statement's backward began, with its edges."""
    return below(reading, [] if needing is None else reading.nodes_run.get(needing.id, [])[:1])


def below(reading: Reading, nodes: Iterable[NodeId]) -> Graph:
    """These Nodes and all that can be reached from them, with their edges."""
    pending = [*nodes]
    graph: Graph = {}
    while pending:
        node = pending.pop()
        if node not in graph:
            graph[node] = [edge.node for edge in reading.trace.nodes[node].edges if edge is not None]
            pending += graph[node]
    return graph


def leading(graph: Graph, targets: set[NodeId]) -> set[NodeId]:
    """The targets, and the Nodes from which edges lead to one of them."""
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
