"""Finds losses that are kept or summed with their graphs, so that the graphs of all iterations stay in memory."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from app.explain.finding import MOST_FINDINGS, Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import END, value_at
from app.trace.records import GradFn, Node, NodeId, Step, StepId, TensorId

FEWEST = 3
"""Minimum number of backwards for a finding."""

MOST_SUMS = 100
"""Maximum number of examined sums. For each sum, the graph that computed it is walked."""

_ENTRY = re.compile(r"([^\W\d]\w*)\[\d+\]")


@finder(needs_the_end=True)
def find_kept_graphs(reading: Reading) -> list[Finding]:
    """A hint for each list that keeps losses after their backward, and for each sum of losses on which no backward runs."""
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
    found = _lists(reading, {name: kept for name, kept in entries.items() if len(set(kept)) >= FEWEST})
    return [*found, *_sums(reading, sums)][:MOST_FINDINGS]


def _lists(reading: Reading, lists: dict[str, list[TensorId]]) -> Iterator[Finding]:
    """A finding for each list that is filled by exactly one `append` in the snippet, at the last run of this `append`."""
    appended: dict[str, tuple[ast.Name, int]] = {}
    filled: set[str] = set()
    for node in reading.syntax.ending_in(ast.Call, "append") if lists else []:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"), args=[entry]):
                if isinstance(entry, ast.Name) and owner not in filled:
                    appended[owner] = (entry, node.lineno)
                else:
                    appended.pop(owner, None)  # with several calls of `append`, it is unknown which one stored the losses
                filled.add(owner)
    spans = (
        [(span, step.id) for step in reading.trace.steps if step.kind == "statement" and (span := step.span)]
        if appended
        else []
    )
    last = {span.line: step for span, step in spans if span.file is None}
    for name, kept in lists.items():
        if name in appended and appended[name][1] in last:
            loss, line = appended[name]
            yield _finding(reading, name, "list", kept[-1], len(set(kept)), loss, last[line])


def _sums(reading: Reading, sums: dict[str, TensorId]) -> Iterator[Finding]:
    """A finding for each name with a value that a statement such as `total += loss` computed."""
    made = ((name, tensor, reading.statement_of(reading.trace.tensors[tensor].made_by)) for name, tensor in sums.items())
    added = (
        (name, tensor, step) for name, tensor, step in made if step is not None and _added(reading, name, step) is not None
    )
    for name, tensor, step in islice(added, MOST_SUMS):
        loss, rounds = _added(reading, name, step), _rounds_below(reading, tensor)
        if loss is not None and rounds >= FEWEST:
            yield _finding(reading, name, "sum", tensor, rounds, loss, step.id)


def _added(reading: Reading, name: str, step: Step) -> ast.Name | None:
    """The `loss` in `total += loss`, `total = total + loss` and `average = 0.9 * average + 0.1 * loss`; None otherwise."""
    match reading.statement_at(step):
        case ast.AugAssign(target=ast.Name(id=target), op=ast.Add(), value=ast.Name() as loss) if target == name:
            return loss
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.BinOp(op=ast.Add()) as value) if target == name:
            terms = [_factor(value.left), _factor(value.right)]
            others = [term for term in terms if term is not None and term.id != name]
            is_carried = any(term is not None and term.id == name for term in terms)
            return others[0] if is_carried and len(others) == 1 else None
    return None


def _factor(node: ast.expr) -> ast.Name | None:
    """The variable in `loss`, `0.1 * loss` and `loss / 4`; None for other expressions."""
    match node:
        case ast.Name():
            return node
        case ast.BinOp(op=ast.Mult() | ast.Div(), left=ast.Name() as name, right=other):
            return None if _is_computed(other) else name
        case ast.BinOp(op=ast.Mult(), left=other, right=ast.Name() as name):
            return None if _is_computed(other) else name
    return None


def _is_computed(node: ast.expr) -> bool:
    """Whether an expression is neither a constant nor a binary operation of constants."""
    inner = [node.left, node.right] if isinstance(node, ast.BinOp) else [node]
    return not all(isinstance(each, ast.Constant) for each in inner)


def _rounds_below(reading: Reading, tensor: TensorId) -> int:
    """The number of backwards that ran Nodes of the graph from which a Tensor was computed."""
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
        if not over:  # a backward that ran this Node also ran the Nodes after it
            pending += [edge.node for edge in node.edges if edge is not None]
    return len(backwards)


def _finding(reading: Reading, name: str, how: str, tensor: TensorId, rounds: int, loss: ast.Name, step: StepId) -> Finding:
    fixes: Fixes = []
    geometry = reading.geometry_at(tensor, END)
    if geometry is not None and not geometry.shape:
        text = ast.get_source_segment(reading.syntax.text, loss)
        fixes.append(offer("keep_a_number", with_replaced, reading.trace.source, [(loss, f"{text}.item()")]))
    arguments: dict[str, str | int] = {
        "name": name,
        "loss": loss.id,
        "how": how,
        "rounds": rounds,
    }
    return reading.finding("kept_graphs", [step], [tensor], arguments, fixes=fixes)
