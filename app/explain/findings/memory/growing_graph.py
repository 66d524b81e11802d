"""Finds a kept graph that grows: in each iteration of a loop, backward also runs through the graphs of all earlier iterations."""

import itertools
from collections import defaultdict
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.backward_calls import backward_in
from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.records import NodeId, Step

FEWEST = 4
"""Minimum number of backwards for a finding. With fewer, the growth may be a coincidence."""


@finder(after=["find_kept_graphs"])
def find_growing_graph(reading: Reading) -> Iterator[Finding]:
    """A warning for each backward in a loop that keeps its graph and runs more Nodes of earlier iterations each time."""
    told = {finding.line for finding in reading.found_by("find_kept_graphs")}
    by_line: dict[Line, list[Step]] = defaultdict(list)
    for step in reading.backwards:
        by_line[reading.line_of(step.id) or 0].append(step)
    for line, steps in by_line.items():
        called = backward_in(reading, steps[0])
        if len(steps) < FEWEST or line in told or called is None or not called.keeps_graph:
            continue
        seen: set[NodeId] = set()
        again: list[int] = []
        for step in steps:
            ran = [node for node in reading.nodes_run[step.id] if reading.leaf_of(node) is None]
            again.append(sum(node in seen for node in ran))
            seen.update(ran)
        if all(one < other for one, other in itertools.pairwise(again)):
            arguments: Arguments = {
                "root": reading.syntax.text_of(called.roots[0]),
                "first": len(reading.nodes_run[steps[0].id]),
                "last": len(reading.nodes_run[steps[-1].id]),
                "line": line,
            }
            ids = [steps[0].id, steps[-1].id]
            yield reading.finding("growing_graph", ids, [], arguments, severity="warning")
