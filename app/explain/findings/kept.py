"""Losses that are kept or added up with their graphs, so that the graphs of all rounds stay."""

import ast
import re
from collections import defaultdict

from app.explain.finding import MOST_FINDINGS, Finding
from app.explain.findings.making import Fixes, make_finding
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import END, value_at
from app.trace.records import GradFn, Node, NodeId, Step, StepId, TensorId

FEWEST = 3
"""Rounds from which on it is told."""

_ENTRY = re.compile(r"([^\W\d]\w*)\[\d+\]")


def find_kept_graphs(reading: Reading) -> list[Finding]:
    """A hint for each list of losses whose backward is over, and each sum of such losses that nothing differentiates."""
    entries: dict[str, list[TensorId]] = defaultdict(list)
    sums: dict[str, TensorId] = {}
    for name in reading.trace.names:
        tensor = value_at(name.tensor, END)
        grad_fn = None if tensor is None else value_at(reading.trace.tensors[tensor].grad_fn, END)
        if tensor is None or not isinstance(grad_fn, GradFn):
            continue
        match = _ENTRY.fullmatch(name.path)
        if match is not None and reading.runs_of(grad_fn.node):
            entries[match[1]].append(tensor)
        elif name.path.isidentifier() and not reading.runs_of(grad_fn.node):
            sums[name.path] = tensor
    found = [_list(reading, name, kept) for name, kept in entries.items() if len(set(kept)) >= FEWEST]
    found += [_sum(reading, name, tensor) for name, tensor in sums.items()]
    return [finding for finding in found if finding is not None][:MOST_FINDINGS]


def _list(reading: Reading, name: str, kept: list[TensorId]) -> Finding | None:
    for node in reading.syntax.ending_in(ast.Call, "append"):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"), args=[ast.Name() as loss]) if (
                owner == name
            ):
                return _finding(reading, name, "list", kept[-1], len(set(kept)), loss, _last_run(reading, node.lineno))
    return None


def _sum(reading: Reading, name: str, tensor: TensorId) -> Finding | None:
    maker = reading.trace.tensors[tensor].made_by
    statement = reading.statement_of(maker)
    match reading.statement_at(statement):
        case ast.AugAssign(target=ast.Name(id=target), op=ast.Add(), value=ast.Name() as loss) if target == name:
            rounds = _rounds_below(reading, tensor)
            if rounds >= FEWEST:
                return _finding(reading, name, "sum", tensor, rounds, loss, None if statement is None else statement.id)
    return None


def _rounds_below(reading: Reading, tensor: TensorId) -> int:
    """How many backwards have gone through parts of the graph below a Tensor."""
    grad_fn = value_at(reading.trace.tensors[tensor].grad_fn, END)
    pending = [grad_fn.node] if isinstance(grad_fn, GradFn) else []
    seen: set[NodeId] = set()
    backwards: set[StepId] = set()
    while pending:
        node: Node = reading.trace.nodes[pending.pop()]
        if node.id in seen or node.variable is not None:
            continue
        seen.add(node.id)
        over = [statement.id for run in reading.runs_of(node.id) if (statement := reading.statement_of(run.id)) is not None]
        backwards.update(over)
        if not over:  # below what has run, all has run
            pending += [edge.node for edge in node.edges if edge is not None]
    return len(backwards)


def _last_run(reading: Reading, line: int) -> StepId | None:
    ran = (step for step in reversed(reading.trace.steps) if step.kind == "statement" and step.span is not None)
    step: Step | None = next((step for step in ran if step.span is not None and step.span.line == line), None)
    return None if step is None else step.id


def _finding(
    reading: Reading, name: str, how: str, tensor: TensorId, rounds: int, loss: ast.Name, step: StepId | None
) -> Finding | None:
    if step is None:
        return None
    fixes: Fixes = []
    geometry = value_at(reading.trace.tensors[tensor].geometry, END)
    if geometry is not None and not geometry.shape:
        text = ast.get_source_segment(reading.syntax.text, loss)
        fixes.append(("keep_a_number", with_replaced(reading.trace.source, [(loss, f"{text}.item()")])))
    arguments: dict[str, str | int] = {
        "name": name,
        "loss": loss.id,
        "how": how,
        "rounds": rounds,
        "line": reading.line_of(step) or 0,
    }
    return make_finding(reading, "kept_graphs", [step], [tensor], arguments, fixes=fixes)
