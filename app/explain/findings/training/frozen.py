"""Finds a leaf that was frozen after the forward pass recorded it. Backward then computes its gradient without storing it."""

from collections.abc import Iterator
from itertools import pairwise

from app.explain.finding import Finding, finder
from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.naming import grad_name
from app.trace.records import Step, TensorId, Tick


@finder()
def find_frozen_late(reading: Reading) -> Iterator[Finding]:
    """A hint for each leaf whose `requires_grad` was switched off before a backward reached it."""
    trace = reading.trace
    late: dict[TensorId, Step] = {}
    frozen = {tensor.id: _switched_off(tensor.requires_grad) for tensor in trace.tensors if len(tensor.requires_grad) > 1}
    for step in trace.steps if any(frozen.values()) else []:
        leaf = None if step.node is None else trace.nodes[step.node].variable
        since = None if leaf is None else frozen.get(leaf)
        is_frozen = (
            leaf is not None and since is not None and since < step.began and not reading.requires_grad(leaf, step.began)
        )
        if leaf is not None and is_frozen and not reading.was_added(step):
            late.setdefault(leaf, step)
    lines: set[tuple[Line | None, Line | None]] = set()
    for leaf, step in late.items():
        froze = reading.step_at(frozen[leaf] or step.began)
        place = reading.line_of(None if froze is None else froze.id), reading.line_of(step.id)
        if place in lines or froze is None:
            continue
        lines.add(place)
        name = reading.name_of(leaf)
        arguments: dict[str, str | int] = {
            "name": name,
            "grad": grad_name(name),
            "known": "yes" if name else "no",
            "freeze_line": place[0] or 0,
            "line": place[1] or 0,
        }
        yield reading.finding("frozen_late", [froze.id, step.id], [leaf], arguments)


def _switched_off(facts: list[tuple[Tick, bool]]) -> Tick | None:
    """The first tick at which `requires_grad` was switched off; None if it never was."""
    return next((tick for (_, before), (tick, after) in pairwise(facts) if before and not after), None)
