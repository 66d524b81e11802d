"""Finds an optimizer whose Parameters get gradients again and again, but whose `step()` is never called."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.optimizers import Optimizer, optimizers
from app.explain.reading.reading import Reading
from app.trace.query import end_of, events_after
from app.trace.records import Step, TensorId

FEWEST = 3
"""Minimum number of backwards for a program to count as training.

A program with one or two backwards may only demonstrate gradients.
"""

MOST_HELD = 200
"""Maximum number of examined Tensors of an optimizer."""


@finder(after=["find_not_called"], needs_the_end=True)
def find_never_stepped(reading: Reading) -> Iterator[Finding]:
    """A warning for each optimizer that never steps, at the last backward."""
    known = optimizers(reading)
    stepped = {_last(reading.syntax.path_of(each)) for each in _step_calls(reading)} if known else set()
    if any(str(each.arguments["method"]).endswith(".step") for each in reading.found_by("find_not_called")):
        return  # that finding explains it
    runs = _runs(reading) if known else {}
    told: set[TensorId] = set()
    for optimizer in known:
        held = [leaf for leaf in list(optimizer.held)[:MOST_HELD] if runs.get(leaf)]
        if not held or held[0] in told or _last(optimizer.path) in stepped:
            continue
        told.add(held[0])
        after = {run.id: run for leaf in held for run in runs[leaf] if run.began > optimizer.since}
        if len(after) < FEWEST or _is_written(reading, optimizer, next(iter(after.values()))):
            continue
        last = reading.trace.steps[max(after)]
        arguments: Arguments = {
            "optimizer": optimizer.path,
            "name": reading.name_of(held[0]) or "none",
            "others": len(held) - 1,
            "backwards": len(after),
        }
        yield reading.finding("never_stepped", [last.id], held, arguments, severity="warning")


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _step_calls(reading: Reading) -> list[ast.expr]:
    """The objects and arguments of all calls of `step`: `opt.step()`, `scaler.step(opt)`."""
    calls = [node for node in reading.syntax.ending_in(ast.Call, "step") if isinstance(node, ast.Call)]
    owners = [call.func.value for call in calls if isinstance(call.func, ast.Attribute)]
    return [*owners, *(argument for call in calls for argument in call.args)]


def _runs(reading: Reading) -> dict[TensorId, list[Step]]:
    """For each leaf, the statements with a backward that gave the leaf a gradient, in order."""
    found: dict[TensorId, list[Step]] = defaultdict(list)
    for statement, nodes in reading.nodes_run.items():
        for node in nodes:
            leaf = reading.leaf_of(node)
            if leaf is not None and (not found[leaf] or found[leaf][-1].id != statement):
                found[leaf].append(reading.trace.steps[statement])
    return found


def _is_written(reading: Reading, optimizer: Optimizer, first: Step) -> bool:
    """Whether a Parameter of the optimizer is written after the first backward, for example by an update by hand."""
    for leaf in list(optimizer.held)[:MOST_HELD]:
        writes = writes_to(reading.writes_by_program, reading.geometry_at(leaf, first.began))
        if next(events_after(writes, end_of(first)), None) is not None:
            return True
    return False
