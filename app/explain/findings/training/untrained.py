"""Finds Parameters of an optimizer that never get a gradient, because the path to the loss is cut."""

from collections import defaultdict
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, Severity, finder
from app.explain.findings.autograd.cut import against_cut
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.grad_mode import switch_before
from app.explain.reading.optimizers import last_stepped
from app.explain.reading.provenance import Cut
from app.explain.reading.reading import Reading
from app.explain.reading.ways import Ways, cut_on_the_way, roots_after, ways_back
from app.trace.index import Line
from app.trace.query import events_after
from app.trace.records import Step, TensorId

MOST_HELD = 500
"""Maximum number of examined Tensors of an optimizer."""

MOST_BACKWARDS = 4
"""Maximum number of backwards that are searched for one whose root was computed from a Parameter without a gradient."""

_ON_PURPOSE = ("detach", "data", "no_grad", "inference")
"""Cuts that a program writes explicitly, and may therefore intend."""


@finder(needs_the_end=True)
def find_untrained(reading: Reading) -> Iterator[Finding]:
    """A warning for each cut between such Parameters and a loss; a hint if the cut may be intended."""
    told: set[tuple[Line, str]] = set()
    ways: dict[TensorId, Ways] = {}
    for path, step, held, since in last_stepped(reading):
        left = [leaf for leaf in held[:MOST_HELD] if _is_left_out(reading, leaf, step)]
        if not left or len(left) == len(held):
            continue
        for _, root in roots_after(reading, since, MOST_BACKWARDS):
            if root not in ways:
                ways[root] = ways_back(reading, root)
            for cut, leaves in _cuts(reading, ways[root], left).values():
                line = reading.line_of(cut.step.id) or 0
                if (line, cut.how) not in told:
                    told.add((line, cut.how))
                    yield _finding(reading, path, step, cut, leaves)


def _is_left_out(reading: Reading, leaf: TensorId, step: Step) -> bool:
    """Whether a leaf requires grad, never got a gradient, and is not updated in another way, such as averaging."""
    if any(grad is not None for _, grad in reading.trace.tensors[leaf].grad) or not reading.requires_grad(leaf, step.began):
        return False
    geometry = reading.geometry_at(leaf, step.began)
    writes = writes_to(reading.changing_writes, geometry)
    return next(events_after(writes, reading.trace.tensors[leaf].born), None) is None or not _is_updated(reading, leaf)


def _is_updated(reading: Reading, leaf: TensorId) -> bool:
    """Whether a leaf is written after the first backward. Writes before it only initialize the leaf."""
    first = next(iter(reading.backwards), None)
    geometry = None if first is None else reading.geometry_at(leaf, first.began)
    writes = writes_to(reading.changing_writes, geometry)
    return first is not None and next(events_after(writes, first.began), None) is not None


def _cuts(reading: Reading, ways: Ways, left: list[TensorId]) -> dict[int, tuple[Cut, list[TensorId]]]:
    """The cuts on the paths from these leaves, each with the leaves that it cuts off.

    Expressions that also name a Parameter with a gradient are left out, because they may not really have used these leaves.
    """
    used: dict[int, list[TensorId]] = defaultdict(list)
    for tensor, link in ways.used.items():
        used[id(link)].append(tensor)
    found: dict[int, tuple[Cut, list[TensorId]]] = {}
    for leaf in left:
        by = id(ways.used[leaf]) if leaf in ways.used else None
        if by is None or any(grad is not None for each in used[by] for _, grad in reading.trace.tensors[each].grad):
            continue
        if by in found:
            found[by][1].append(leaf)
        elif (cut := cut_on_the_way(reading, ways, leaf)) is not None:
            found[by] = cut, [leaf]
    return found


def _finding(reading: Reading, path: str, step: Step, cut: Cut, leaves: list[TensorId]) -> Finding:
    switch = switch_before(reading, cut.step) if cut.how in ("no_grad", "inference") else None
    arguments: Arguments = {
        "name": reading.name_of(leaves[0]) or "none",
        "others": len(leaves) - 1,
        "optimizer": path,
        "how": cut.how,
        "cut_line": reading.line_of(cut.step.id) or 0,
    }
    severity: Severity = "hint" if cut.how in _ON_PURPOSE else "warning"
    fixes = against_cut(reading, cut, switch)
    steps, tensors = [cut.step.id, step.id], [*leaves, cut.tensor]
    return reading.finding("untrained_parameter", steps, tensors, arguments, fixes=fixes, severity=severity)
