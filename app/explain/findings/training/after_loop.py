"""Finds a backward below a loop that computes a loss in each iteration; the backward uses only the last loss."""

import ast
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from operator import attrgetter

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.backward_calls import backward_in
from app.explain.reading.first_runs import first_backwards
from app.explain.reading.reading import Reading
from app.explain.rewriting.blocks import levels
from app.trace.query import value_at
from app.trace.records import GradFn, NodeId, Step, TensorId

FEWEST = 3
"""Minimum number of iterations before the backward."""

MOST_BACKWARDS = 20
"""Maximum number of statements that are examined, each in its first run."""


@finder()
def find_after_loop(reading: Reading) -> Iterator[Finding]:
    """A warning for each backward whose root is from the last iteration of a loop, if the other losses are unused."""
    for line, backward in islice(first_backwards(reading), MOST_BACKWARDS):
        found = _dropped(reading, backward)
        if found is not None:
            root, runs = found
            arguments: Arguments = {
                "name": reading.name_of(root) or "none",
                "rounds": len(runs),
                "maker_line": reading.line_of(runs[-1].id) or 0,
                "line": line,
            }
            steps = [runs[-1].id, backward.id]
            yield reading.finding("after_loop", steps, [root], arguments, severity="warning")


def _dropped(reading: Reading, backward: Step) -> tuple[TensorId, list[Step]] | None:
    """The root of a backward, and the runs of the statement that computed the root in the iterations of an earlier loop."""
    called = backward_in(reading, backward)
    root = None if called is None or len(called.roots) != 1 or not isinstance(called.roots[0], ast.Name) else called.roots[0]
    tensor = None if root is None else reading.named(root.id, backward.frame, backward.began)
    maker = None if tensor is None else reading.statement_of(reading.trace.tensors[tensor].made_by)
    statement = None if maker is None else reading.statement_at(maker)
    below = reading.statement_at(backward)
    if tensor is None or maker is None or statement is None or below is None or maker.frame != backward.frame:
        return None
    loops = [each.statement for each in levels(reading.syntax, statement) if isinstance(each.statement, ast.For)]
    around = {each.statement for each in levels(reading.syntax, below)}
    loop = next((each for each in loops if each not in around), None)
    if loop is None or loop is not loops[-1]:
        return None
    runs = _of_last_loop(reading, loop, statement, maker)
    return (tensor, runs) if len(runs) >= FEWEST and _are_dropped(reading, runs, backward) else None


def _of_last_loop(reading: Reading, loop: ast.For, statement: ast.stmt, last: Step) -> list[Step]:
    """The runs of a statement in the last execution of its loop, up to the run `last`."""
    runs = reading.runs_of_statement.get(statement, [])
    place = bisect_right(runs, last.began, key=attrgetter("began"))
    outer = levels(reading.syntax, loop)
    around = outer[-2].statement if len(outer) > 1 else None
    begun = reading.runs_of_statement.get(around, []) if around is not None else []
    since = max((each.began for each in begun if each.began <= last.began), default=-1)
    return [each for each in runs[:place] if each.began > since and each.frame == last.frame]


def _are_dropped(reading: Reading, runs: list[Step], backward: Step) -> bool:
    """Whether each iteration created a separate graph, and no backward ran through the graphs of iterations before the last."""
    last = runs[-1]
    for run in runs[:-1]:
        nodes = _made(reading, run)
        if not nodes or any(reading.runs_of(node) for node in nodes):
            return False
    between = [reading.trace.nodes[node] for node in reading.nodes_run[backward.id] if reading.leaf_of(node) is None]
    first, end = runs[0], runs[-2]
    return not any(first.began <= node.born <= (end.ended or end.began) for node in between) and bool(_made(reading, last))


def _made(reading: Reading, run: Step) -> list[NodeId]:
    """The `grad_fn` Nodes of the results of a statement's operators."""
    found: list[NodeId] = []
    for operator in reading.operators_of(run):
        for tensor in reading.made_in.get(operator.id, []):
            made_by = value_at(tensor.grad_fn, tensor.born)
            if isinstance(made_by, GradFn):
                found.append(made_by.node)
    return found
