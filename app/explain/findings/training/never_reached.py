"""Finds an optimizer's Parameters on which no loss depends, because a layer's output is unused or a loss was computed from
copied numbers."""

from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, Severity, finder
from app.explain.reading.optimizers import last_stepped
from app.explain.reading.reading import Reading
from app.trace.records import TensorId

MOST_HELD = 500
"""Maximum number of examined Tensors of an optimizer."""

FEWEST = 2
"""Minimum number of backwards for a program to count as training."""


@finder(after=["find_other_parameter", "find_untrained"], needs_the_end=True)
def find_never_reached(reading: Reading) -> Iterator[Finding]:
    """A warning for each optimizer that steps without a gradient for any Parameter; a hint if only some Parameters lack a
    gradient."""
    if len(reading.backwards) < FEWEST or reading.found_by("find_other_parameter"):
        return
    told: set[TensorId] = {tensor for finding in reading.found_by("find_untrained") for tensor in finding.tensors}
    lines = {finding.arguments["optimizer"] for finding in reading.found_by("find_untrained")}
    used = {node.variable for node in reading.trace.nodes if node.variable is not None}
    for path, step, held, _ in last_stepped(reading):
        left = [leaf for leaf in held[:MOST_HELD] if _has_none(reading, leaf) and reading.requires_grad(leaf, step.began)]
        is_whole = len(left) == len(held)
        if not is_whole:  # a plain tensor may be updated otherwise, and a Parameter that no forward uses may be a spare
            left = [leaf for leaf in left if leaf in used and reading.trace.tensors[leaf].type == "Parameter"]
        if not left or path in lines or told.intersection(left) or len(held) > MOST_HELD:
            continue
        told.update(left)
        arguments: Arguments = {
            "optimizer": path,
            "name": reading.name_of(left[0]) or "none",
            "others": len(left) - 1,
            "how": "all" if is_whole else "some",
        }
        severity: Severity = "warning" if is_whole else "hint"
        yield reading.finding("never_reached", [step.id], left, arguments, severity=severity)


def _has_none(reading: Reading, leaf: TensorId) -> bool:
    """Whether a leaf never had a gradient."""
    return not any(grad is not None for _, grad in reading.trace.tensors[leaf].grad)
