"""The corrected gradients of a silently wrong backward: the gradients without the write to its saved tensors.

Two more runs of the same snippet save copies (`Request.keep_saved`). The original run is compared with the first copying run
up to the first difference, which must be a gradient that a Node computed from changed bytes. Because the difference could
also come from a clock or an address, the two runs with copies must agree. If the runs with copies differ, or the first
difference is not such a gradient, the answer is "unknown".
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from math import prod

import msgspec

from app.explain.corrected.divergence import RunSequence, first_difference
from app.explain.corrected_records import (
    CorrectedGradient,
    CorrectedGradients,
    CorrectedSent,
    KnownGradients,
    Reason,
    SameGradients,
    UnknownGradients,
)
from app.explain.finding import Finding
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import END, MOST_ELEMENTS, elements, value_at
from app.trace.records import (
    Cells,
    Contents,
    Gradient,
    NodeId,
    Request,
    Sizes,
    Step,
    Summary,
    TensorId,
    Tick,
    Unknown,
)

MOST_GRADIENTS = 50
"""Maximum number of reported gradients of one backward. Wrong gradients come first."""

MOST_SENT = 200
"""Maximum number of reported wrong gradients that Nodes sent to each other."""

MOST_SHOWN = 1 << 20
"""Maximum number of elements of all leaf gradients of one backward. Larger backwards are not compared."""


def is_asked_for(findings: Iterable[Finding]) -> bool:
    """Whether, according to these findings, a backward used bytes that had changed since they were saved."""
    found = [finding for finding in findings if finding.kind == "silently_wrong_gradient"]
    return any(finding.arguments.get("effect") in ("wrong", "unknown", "may") for finding in found)


def keeping_saved(request: Request) -> Request:
    """The request for the same run with copies of saved tensors."""
    return msgspec.structs.replace(request, keep_saved=True)


def corrected_gradients(wrong: Trace, preserved: Trace, again: Trace) -> CorrectedGradients:
    """Compares a run that went wrong with two runs that saved copies. Never raises for valid traces (`trace.check`)."""
    one, other, third = (RunSequence(Index(trace)) for trace in (wrong, preserved, again))
    if any(step.other_threads for trace in (wrong, preserved, again) for step in trace.steps):
        return UnknownGradients(reason="threads")
    position = first_difference(one, other)
    if position is None:
        return _same(one, other, third)
    spoilt, whole = _pass(one, position), _pass(other, position)
    if spoilt is None or whole is None or not _is_spoilt(spoilt):
        came_otherwise = position >= len(other.steps) or type(preserved.ended) is not type(wrong.ended)
        return UnknownGradients(reason="ended" if came_otherwise else "differs")
    if _nodes(spoilt) != _nodes(whole) or END in (spoilt.until, whole.until):
        return UnknownGradients(reason="ended" if whole.until == END else "differs")
    if _sent(spoilt) == _sent(whole):
        return UnknownGradients(reason="differs")
    if (beyond := _beyond(preserved, whole.until)) is not None:
        return UnknownGradients(reason=beyond)
    since = first_difference(other, third)
    if since is not None and since <= other.position(whole.until):
        return UnknownGradients(reason="unsteady")
    return _answer(spoilt, whole)


def _same(wrong: RunSequence, preserved: RunSequence, again: RunSequence) -> CorrectedGradients:
    if first_difference(preserved, again) is not None:
        return UnknownGradients(reason="unsteady")
    if (beyond := _beyond(preserved.trace, END)) is not None:
        return UnknownGradients(reason=beyond)
    if any(isinstance(gradient.value, Summary) for gradient in wrong.trace.gradients):
        return UnknownGradients(reason="large")
    if any(isinstance(gradient.value, Unknown) for gradient in wrong.trace.gradients):
        return UnknownGradients(reason="unseen")
    return SameGradients()


class _Pass:
    """The steps of the Nodes that one backward ran."""

    def __init__(self, index: Index, steps: list[Step], first: Step) -> None:
        self.index = index
        self.trace = index.trace
        self.steps = steps
        self.first = first
        """The step of the first Node that went wrong."""
        last = steps[-1].ended
        self.until = END if last is None else last


def _pass(run: RunSequence, position: int) -> _Pass | None:
    """The backward that contains this position; None if there is none.

    Where a backward begins and ends is not recorded. A backward is taken to end where a Node runs again or another kind of
    step runs.
    """
    around = run.index.node_steps[run.steps[position].id] if position < len(run.steps) else None
    if around is None:
        return None
    first = run.trace.steps[around]
    beside = [step for step in run.steps if step.parent == first.parent]
    place = beside.index(first)
    met: set[NodeId | None] = {None}
    after = list(_until_met(beside[place:], met))
    before = list(_until_met(reversed(beside[:place]), met))
    return _Pass(run.index, [*reversed(before), *after], first)


def _until_met(steps: Iterable[Step], met: set[NodeId | None]) -> Iterator[Step]:
    for step in steps:
        if step.node in met:
            return
        met.add(step.node)
        yield step


def _nodes(backward: _Pass) -> list[str]:
    return [backward.trace.nodes[step.node].name for step in backward.steps if step.node is not None]


def _is_spoilt(backward: _Pass) -> bool:
    """Whether a tensor saved by the backward's first wrong Node was overwritten before the Node ran, without an error."""
    step = backward.first
    return any(
        value_at(saved.overwritten, Tick(step.began - 1)) is not None
        and not (saved.outdated and saved.outdated[0][0] < step.began)
        for saved in (backward.index.saved_by.get(step.node, []) if step.node is not None else [])
    )


def _beyond(preserved: Trace, until: Tick) -> Reason | None:
    """The reason for "unknown" if a Node that ran before `until` used a saved value that could not be replaced by a copy; else
    None."""
    ran = {step.node for step in preserved.steps if step.node is not None and step.began <= until}
    for saved in preserved.saved_tensors:
        if saved.node in ran and (not saved.available or saved.overwritten or saved.outdated):
            return "function" if saved.name == "ctx" else "hooks"
    return None


def _sent(backward: _Pass) -> list[tuple[int | None, Contents]]:
    """The gradients that the first wrong Node sent to its next Nodes."""
    return [(gradient.edge, gradient.value) for gradient in backward.index.gradients_in.get(backward.first.id, [])]


# --- the answer ---------------------------------------------------------------------------------------------------------


def _answer(spoilt: _Pass, whole: _Pass) -> CorrectedGradients:
    statement = spoilt.index.statement_of(spoilt.first.id)
    if _elements(spoilt) + _elements(whole) > MOST_SHOWN:
        return UnknownGradients(reason="large")
    found = [*_accumulated(spoilt, whole), *_given_back(spoilt, whole)]
    if statement is None or spoilt.first.node is None or not found:
        return UnknownGradients(reason="unseen")
    if any(isinstance(value, Unknown) for each in found for value in (each.wrong, each.right)):
        return UnknownGradients(reason="unseen")
    if all(each.wrong == each.right for each in found):
        is_large = any(isinstance(each.wrong, Summary) for each in found)
        return UnknownGradients(reason="large") if is_large else SameGradients()
    found.sort(key=lambda each: each.wrong == each.right)
    sent = [*islice(_wrongly_sent(spoilt, whole), MOST_SENT)]
    return KnownGradients(step=statement.id, node=spoilt.first.node, gradients=found[:MOST_GRADIENTS], sent=sent)


def _wrongly_sent(spoilt: _Pass, whole: _Pass) -> Iterator[CorrectedSent]:
    """The sent gradients that differ between the runs, for Nodes that sent gradients along the same edges in both runs."""
    for step, step_there in zip(spoilt.steps, whole.steps, strict=True):
        sent, right = (run.index.gradients_in.get(each.id, []) for run, each in ((spoilt, step), (whole, step_there)))
        if [each.edge for each in sent] != [each.edge for each in right]:
            continue
        for one, other in zip(sent, right, strict=True):
            if one.value != other.value and not any(isinstance(each.value, Unknown) for each in (one, other)):
                yield CorrectedSent(gradient=one.id, right=other.value)


def _elements(backward: _Pass) -> int:
    """The number of elements in the leaf gradients that a backward computed.

    An expanded gradient can have many more elements than its storage.
    """
    count = 0
    for step in backward.steps:
        leaf = backward.index.leaf_of(step.node)
        grad = None if leaf is None else value_at(backward.trace.tensors[leaf].grad, backward.until)
        geometry = None if grad is None else value_at(backward.trace.tensors[grad].geometry, backward.until)
        if geometry is not None and geometry.storage is not None:
            is_kept = isinstance(value_at(backward.trace.storages[geometry.storage].contents, backward.until), Cells)
            count += min(prod(geometry.shape), MOST_ELEMENTS) if is_kept else 0
    return count


def _accumulated(spoilt: _Pass, whole: _Pass) -> Iterator[CorrectedGradient]:
    """The `.grad` of each leaf with an AccumulateGrad that ran."""
    for step, step_there in zip(spoilt.steps, whole.steps, strict=True):
        leaf, leaf_there = spoilt.index.leaf_of(step.node), whole.index.leaf_of(step_there.node)
        if leaf is None or leaf_there is None:
            continue
        shape, value = gradient_of(spoilt.trace, leaf, spoilt.until)
        _, right = gradient_of(whole.trace, leaf_there, whole.until)
        name = spoilt.index.name_of(leaf)
        yield CorrectedGradient(tensor=leaf, name=name, is_grad=True, shape=shape, wrong=value, right=right)


def _given_back(spoilt: _Pass, whole: _Pass) -> Iterator[CorrectedGradient]:
    """The gradients of leaves that `torch.autograd.grad` returned.

    Such a gradient does not reach the leaf's AccumulateGrad. It is known if only one Node sent a gradient to that
    AccumulateGrad.
    """
    there = _to_leaves(whole)
    for place, arrived in _to_leaves(spoilt).items():
        leaf, arrived_there = spoilt.index.leaf_of(arrived.to), there.get(place)
        if leaf is not None and arrived_there is not None:
            yield CorrectedGradient(
                tensor=leaf,
                name=spoilt.index.name_of(leaf),
                is_grad=False,
                shape=arrived.shape,
                wrong=arrived.value,
                right=arrived_there.value,
            )


def _to_leaves(backward: _Pass) -> dict[tuple[int, int | None], Gradient]:
    """The gradients sent to AccumulateGrads that did not run, by position and edge of the sending Node.

    Leaves to which several Nodes sent a gradient are left out.
    """
    places = {step.id: place for place, step in enumerate(backward.steps)}
    ran = {step.node for step in backward.steps}
    sent = [
        gradient
        for gradient in backward.trace.gradients
        if gradient.step in places and gradient.to not in ran and backward.index.leaf_of(gradient.to) is not None
    ]
    arrivals = Counter(gradient.to for gradient in sent)
    return {(places[each.step], each.edge): each for each in sent if each.step is not None and arrivals[each.to] == 1}


def gradient_of(trace: Trace, leaf: TensorId, tick: Tick) -> tuple[Sizes, Contents]:
    """The shape of a leaf's `.grad` at a tick, and the elements in row-major order, or a summary if the elements were not
    recorded."""
    grad = value_at(trace.tensors[leaf].grad, tick)
    geometry = None if grad is None else value_at(trace.tensors[grad].geometry, tick)
    if grad is None or geometry is None or geometry.storage is None:
        return [], Unknown(reason="It was not recorded.")
    contents = value_at(trace.storages[geometry.storage].contents, tick)
    if not isinstance(contents, Cells):
        return geometry.shape, contents or Unknown(reason="It was not read.")
    shown = elements(trace, grad, tick)
    return geometry.shape, shown if isinstance(shown, Unknown) else Cells(dtype=geometry.dtype, values=shown)
