"""The graph below some Nodes, and the ways through it."""

from collections import defaultdict
from collections.abc import Iterable

from app.explain.reading.reading import Reading
from app.trace.records import NodeId, Step

Graph = dict[NodeId, list[NodeId]]
"""Nodes, and where their edges lead."""


def graph_below(reading: Reading, needing: Step | None) -> Graph:
    """Every Node below the one at which a statement's backward began, and where its edges lead."""
    return below(reading, [] if needing is None else reading.nodes_run.get(needing.id, [])[:1])


def below(reading: Reading, nodes: Iterable[NodeId]) -> Graph:
    """These Nodes and all below them, and where their edges lead."""
    pending = [*nodes]
    graph: Graph = {}
    while pending:
        node = pending.pop()
        if node not in graph:
            graph[node] = [edge.node for edge in reading.trace.nodes[node].edges if edge is not None]
            pending += graph[node]
    return graph


def leading(graph: Graph, targets: set[NodeId]) -> set[NodeId]:
    """The Nodes from which edges lead to one of these, and these."""
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
