"""The stops of a recording, as `static/js/run/stops/granularity.js` has them: at which tick a step of an address has ended."""

import re

from app.trace.chunks import Trace
from app.trace.records import Step

KINDS = {
    "line": {"statement", "exception"},
    "node": {"statement", "node", "exception"},
    "operator": {"statement", "node", "exception", "operator"},
}
LAST = 2**53 - 1
"""Facts that are settled at the end of the run belong to its last stop."""


def stops(trace: Trace, by: str = "node") -> list[tuple[int, Step]]:
    """Ticks and steps of the stops, in order. Of a statement that an exception left, the exception is the stop."""
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
    """The stop that an address names. Raises IndexError where the run has fewer."""
    found = re.fullmatch(r"step=(\d+)(?:&by=(\w+))?", at)
    assert found is not None
    return stops(trace, found[2] or "node")[int(found[1]) - 1]
