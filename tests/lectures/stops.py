"""Compute the steps at which the page stops, with their ticks, as `static/js/run/stops/granularity.js` does."""

import re

from app.trace.chunks import Trace
from app.trace.records import Step

KINDS = {
    "line": {"statement", "exception"},
    "node": {"statement", "node", "exception"},
    "operator": {"statement", "node", "exception", "operator"},
}
LAST = 2**53 - 1
"""The tick of the last step on the page, so that values recorded at the end of the run belong to it."""


def stops(trace: Trace, by: str = "node") -> list[tuple[int, Step]]:
    """Return the tick and the trace's step of each step on the page, in order.

    If a statement raised an exception, the page stops at the exception.
    """
    last_child = {step.parent: step for step in trace.steps if step.parent is not None and step.kind in KINDS["node"]}
    raised = {
        parent for parent, child in last_child.items() if child.kind == "exception" and trace.steps[parent].kind == "statement"
    }
    chosen = [step for step in trace.steps if step.kind in KINDS[by] and step.id not in raised and step.ended is not None]
    found = sorted(((_tick(trace, step), step) for step in chosen), key=lambda stop: (stop[0], -stop[1].id))
    return [*found[:-1], (LAST, found[-1][1])]


def _tick(trace: Trace, step: Step) -> int:
    if step.kind == "exception" and step.parent is not None:
        ended = trace.steps[step.parent].ended
        if ended is not None:
            return ended
    assert step.ended is not None
    return step.ended


def stop_at(trace: Trace, at: str) -> tuple[int, Step]:
    """Return the step that an address such as `step=4` names. Raises IndexError if the run has fewer steps."""
    found = re.fullmatch(r"step=(\d+)(?:&by=(\w+))?", at)
    assert found is not None
    return stops(trace, found[2] or "node")[int(found[1]) - 1]
