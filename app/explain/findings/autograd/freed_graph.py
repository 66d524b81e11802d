"""Finds a second backward through a graph that the first backward freed, and the reason why both use the same graph."""

import ast

from app.explain.finding import MOST_FIXED, Arguments, Finding, Fixes, finder, offer
from app.explain.findings.autograd.stopping import changed_between, stopped
from app.explain.reading.backward_calls import backward_in
from app.explain.reading.graph_walks import Graph, graph_below, leading
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import if_python
from app.explain.rewriting.again import forward_again
from app.explain.rewriting.carried import detached_below
from app.explain.rewriting.rewrites import statements_after, with_keyword
from app.trace.records import Node, NodeId, Step, TensorId, Tick

MOST_GRAPHS = 10
"""Maximum number of reported refused backwards, besides the one that ended the run. Each needs a walk through its graph."""


@finder()
def find_freed(reading: Reading) -> list[Finding]:
    """An error for each backward that torch refused because an earlier backward freed its saved tensors."""
    trace = reading.trace
    # `find_stale` reports stale tensors, because torch checks the version first.
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
    graph = graph_below(reading, needing)
    to_node, to_gone = leading(graph, {node.id}), leading(graph, gone)
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
    is_stoppable = with_fixes and how != "again" and rounds == "other"
    stop = stopped(reading, common.id, first, second) if is_stoppable else None
    if stop is not None:
        fixes.append(offer("stop_there", lambda: stop))
    elif with_fixes and how == "carried" and _is_renewed(reading, graph, first, common):
        crossings = _crossings(reading, graph, first, to_gone)
        fixes.append(offer("detach_carried", detached_below, reading, first, crossings))
    elif with_fixes:
        is_written = _is_written(reading, graph, first, second)
        if how == "shared" and not is_written:
            fixes.append(offer("sum_losses", _summed, reading, freeing, needing))
        if how == "carried":
            fixes.append(offer("make_leaf", _leaf_made, reading, graph, common))
        if rounds == "same" or is_written:
            fixes.append(offer("forward_again", forward_again, reading, gone, first, second))
        else:
            fixes.append(offer("retain_graph", _retained, reading, freeing))
    arguments: Arguments = {"node": node.name, "name": name, "named": "yes" if name else "no", "how": how, "rounds": rounds}
    tensors = _tensors(reading, common.id)
    return reading.exception_finding("freed_graph", second, tensors, arguments | lines, fixes=fixes, makers=steps)


def _crossings(reading: Reading, graph: Graph, first: Step, among: set[NodeId]) -> list[tuple[NodeId, NodeId]]:
    """The edges (new, old) from Nodes created after the first backward to Nodes created before it, except to leaves."""
    nodes = reading.trace.nodes
    young = [node for node in graph if node in among and nodes[node].born > first.began]
    pairs = [(new, old) for new in young for old in graph[new] if old in among and nodes[old].born < first.began]
    return [(new, old) for new, old in pairs if nodes[old].variable is None]


def _is_renewed(reading: Reading, graph: Graph, first: Step, old: Node) -> bool:
    """Whether the line that created a Node ran again after the first backward.

    If so, the Node belongs to a state that a loop carries over.
    """
    young = (reading.trace.nodes[node] for node in graph)
    line = reading.line_of(old.made_by)
    return any(node.born > first.began and reading.line_of(node.made_by) == line for node in young)


def _tensors(reading: Reading, node: NodeId) -> list[TensorId]:
    return [tensor for tensor in reading.results.get(node, []) if reading.name_of(tensor)]


def _leaf_made(reading: Reading, graph: Graph, common: Node) -> str | None:
    """Adds `t = t.detach().requires_grad_()` below the line that computed `t` from an unnamed leaf."""
    statement = reading.statement_at(reading.statement_of(common.made_by))
    pending, behind = [common.id], set[NodeId]()
    while pending:
        node = pending.pop()
        if node not in behind:
            behind.add(node)
            pending += graph.get(node, [])
    leaves = [leaf for node in behind if (leaf := reading.trace.nodes[node].variable) is not None]
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if leaves and not any(reading.name_of(leaf) for leaf in leaves):
            return statements_after(reading.trace.source, statement, [f"{name} = {name}.detach().requires_grad_()"])
    return None


def _is_written(reading: Reading, graph: Graph, first: Step, second: Step) -> bool:
    """Whether a leaf was changed between two backwards, so that the second should use new values."""
    leaves = [leaf for node in graph if (leaf := reading.trace.nodes[node].variable) is not None]
    return any(changed_between(reading, leaf, first.began, second.began) for leaf in leaves)


def _summed(reading: Reading, freeing: Step | None, needing: Step | None) -> str | None:
    """`l1.backward()` followed on the next line by `l2.backward()` → `(l1 + l2).backward()`."""
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
