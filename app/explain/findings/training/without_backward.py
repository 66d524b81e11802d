"""Finds optimizers that step again and again although no backward ever ran."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.optimizers import last_stepped
from app.explain.reading.reading import Reading

FEWEST = 2
"""Minimum number of steps for a program to count as training."""

MOST_HELD = 500
"""Maximum number of examined Tensors of an optimizer."""


@finder(after=["find_not_called"], needs_the_end=True)
def find_without_backward(reading: Reading) -> Iterator[Finding]:
    """A warning for each optimizer whose Parameters a forward used, if it steps without any gradient."""
    if reading.backwards or reading.fatal is not None or reading.found_by("find_not_called"):
        return
    steps: dict[str, int] = defaultdict(int)
    for _, _, node in reading.runs_with(ast.Call, "step"):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            steps[reading.syntax.path_of(node.func.value)] += 1
    used = {node.variable for node in reading.trace.nodes if node.variable is not None}
    for path, step, held, _ in last_stepped(reading):
        is_used = used.intersection(held[:MOST_HELD])
        has_gradient = any(grad is not None for leaf in held[:MOST_HELD] for _, grad in reading.trace.tensors[leaf].grad)
        if steps[path] < FEWEST or not is_used or has_gradient:
            continue
        leaf = next(leaf for leaf in held if leaf in is_used)
        arguments: Arguments = {
            "optimizer": path,
            "name": reading.name_of(leaf) or "none",
            "steps": steps[path],
        }
        yield reading.finding("without_backward", [step.id], [leaf], arguments, severity="warning")
