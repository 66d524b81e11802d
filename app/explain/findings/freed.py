"""A second backward through what a first one had freed: who freed it, and how the two came to share it."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from app.explain.finding import MOST_FIXED, Arguments, Finding
from app.explain.findings.making import finding_from_exception
from app.explain.findings.stopping import stopped
from app.explain.reading.backward import backward_in
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import if_python
from app.explain.rewriting.rewrites import Fixes, statements_after, with_keyword
from app.trace.records import Node, NodeId, Step, TensorId, Tick

MOST_GRAPHS = 10
"""Refused backwards that are told of; of each, the whole graph is looked at. The one that ended the run is told in any case."""

Graph = dict[NodeId, list[NodeId]]
"""Nodes, and where their edges lead."""


def find_freed(reading: Reading) -> list[Finding]:
    """An error for each backward that torch refused because an earlier one had freed what it needed."""
    trace = reading.trace
    # What was stale, too, is told as that: torch looks at the version first.
    stale = {saved.node for saved in trace.saved_tensors if saved.outdated} if reading.refused else set()
    released: dict[NodeId, int] = {}
    for saved in trace.saved_tensors if reading.refused else []:
        if saved.node in reading.refused and saved.released is not None:
            released[saved.node] = min(saved.released, released.get(saved.node, saved.released))
    findings: list[Finding] = []
    for node, second in reading.refused.items():
        if node in stale or node not in released or not released[node] < second.began:
            continue
        first = reading.last_run(node, Tick(released[node]))
        if first is not None and first.id != second.id and (len(findings) < MOST_GRAPHS or not reading.is_caught(second)):
            findings.append(_finding(reading, trace.nodes[node], first, second, with_fixes=len(findings) < MOST_FIXED))
    return findings


def _finding(reading: Reading, node: Node, first: Step, second: Step, *, with_fixes: bool) -> Finding:
    freeing, needing = reading.statement_of(first.id), reading.statement_of(second.id)
    gone = set() if freeing is None else set(reading.nodes_run.get(freeing.id, []))
    graph = _graph(reading, needing)
    to_node, to_gone = _leading(graph, {node.id}), _leading(graph, gone)
    carried = _crossings(reading, graph, first, to_node)
    met = [(later, common) for later in graph if later in to_node - gone for common in graph[later] if common in to_node & gone]
    later, common = (reading.trace.nodes[each] for each in (carried or met or [(node.id, node.id)])[0])
    name = next(map(reading.name_of, _tensors(reading, common.id)), "")
    how = "carried" if carried else "shared" if met and name else "again"
    maker = common if how == "shared" else node
    steps = (first.id, later.made_by) if how == "carried" else (maker.made_by, first.id)
    lines: Arguments = {
        "saver_line": reading.line_of(maker.made_by) or 0,
        "use_line": reading.line_of(later.made_by) or 0,
        "first_line": reading.line_of(first.id) or 0,
        "second_line": reading.line_of(second.id) or 0,
    }
    rounds = "same" if lines["first_line"] == lines["second_line"] else "other"
    fixes: Fixes = []
    stop = stopped(reading, common.id, first, second) if with_fixes and how != "again" else None
    if stop is not None:
        fixes.append(("stop_there", lambda: stop))
    elif with_fixes and how == "carried" and _is_renewed(reading, graph, first, common):
        states = [name for _, old in _crossings(reading, graph, first, to_gone) for name in _names(reading, old)]
        fixes.append(("detach_carried", partial(_detached, reading, freeing, list(dict.fromkeys(states)))))
    elif with_fixes:
        if how == "shared":
            fixes.append(("sum_losses", partial(_summed, reading, freeing, needing)))
        fixes.append(("retain_graph", partial(_retained, reading, freeing)))
    arguments: Arguments = {"node": node.name, "name": name, "named": "yes" if name else "no", "how": how, "rounds": rounds}
    tensors = _tensors(reading, common.id)
    return finding_from_exception(reading, "freed_graph", second, tensors, arguments | lines, fixes=fixes, makers=steps)


def _graph(reading: Reading, needing: Step | None) -> Graph:
    """Every Node below the one at which a statement's backward began, and where its edges lead."""
    pending = [] if needing is None else reading.nodes_run.get(needing.id, [])[:1]
    graph: Graph = {}
    while pending:
        node = pending.pop()
        if node not in graph:
            graph[node] = [edge.node for edge in reading.trace.nodes[node].edges if edge is not None]
            pending += graph[node]
    return graph


def _leading(graph: Graph, targets: set[NodeId]) -> set[NodeId]:
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


def _crossings(reading: Reading, graph: Graph, first: Step, among: set[NodeId]) -> list[tuple[NodeId, NodeId]]:
    """Where what was computed after the first backward hangs on what was computed before it."""
    nodes = reading.trace.nodes
    young = [node for node in graph if node in among and nodes[node].born > first.began]
    pairs = [(new, old) for new in young for old in graph[new] if old in among and nodes[old].born < first.began]
    return [(new, old) for new, old in pairs if nodes[old].variable is None]


def _is_renewed(reading: Reading, graph: Graph, first: Step, old: Node) -> bool:
    """Whether the line that made a Node ran again after the first backward: a state that each round makes anew."""
    young = (reading.trace.nodes[node] for node in graph)
    line = reading.line_of(old.made_by)
    return any(node.born > first.began and reading.line_of(node.made_by) == line for node in young)


def _tensors(reading: Reading, node: NodeId) -> list[TensorId]:
    return [tensor for tensor in reading.results.get(node, []) if reading.name_of(tensor)]


def _names(reading: Reading, node: NodeId) -> Iterator[str]:
    return (reading.path_of(tensor) for tensor in _tensors(reading, node))


def _detached(reading: Reading, freeing: Step | None, names: list[str]) -> str | None:
    """`h = h.detach()` below the backward, for each state that is carried on."""
    written = reading.statement_at(freeing)
    if written is None or not names:
        return None
    added = [f"{name} = {name}.detach()" for name in names if name.isidentifier()]
    held = dict.fromkeys(match[1] for name in names if (match := re.fullmatch(r"(\w+)\[\d+\]", name)))
    added += [f"{name} = tuple(each.detach() for each in {name})" for name in held]
    return statements_after(reading.trace.source, written, added) if added else None


def _summed(reading: Reading, freeing: Step | None, needing: Step | None) -> str | None:
    """`l1.backward()` and, on the next line, `l2.backward()` → `(l1 + l2).backward()`."""
    first, second = backward_in(reading, freeing), backward_in(reading, needing)
    if first is None or second is None:
        return None
    calls, names = (first.call, second.call), []
    lines = list(reading.syntax.lines)
    for call in calls:
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward"), args=[], keywords=[]):
                if lines[call.lineno - 1].strip() == f"{name}.backward()":
                    names.append(name)
    if len(names) != 2 or calls[0].lineno + 1 != calls[1].lineno or calls[0].col_offset != calls[1].col_offset:
        return None
    indentation = lines[calls[0].lineno - 1][: calls[0].col_offset]
    lines[calls[0].lineno - 1 : calls[1].lineno] = [f"{indentation}({names[0]} + {names[1]}).backward()"]
    return if_python("\n".join(lines))


def _retained(reading: Reading, freeing: Step | None) -> str | None:
    """`loss.backward()` → `loss.backward(retain_graph=True)`."""
    call = backward_in(reading, freeing)
    return None if call is None or call.keeps_graph else with_keyword(reading.trace.source, call.call, "retain_graph=True")
