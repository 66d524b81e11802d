"""Checks whether the run of a fix has the corrected gradients of a silently wrong run."""

from collections.abc import Iterator
from math import isclose

from app.explain.corrected.gradients import gradient_of
from app.explain.corrected_records import CorrectedGradient, KnownGradients
from app.explain.tried.change import Change
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import end_of
from app.trace.records import Cells, Contents, Step, Summary, TensorId, Value

RELATIVE = 1e-5
"""Relative tolerance for float32: kernels round differently for different strides, and a fix may change the layout."""


def are_right(known: KnownGradients, original: Trace, fixed: Trace, change: Change) -> bool | None:
    """Whether each leaf has the known gradient after the same backward; None if the backward or a leaf is not found in the
    run."""
    before, after = Index(original), Index(fixed)
    statement = _same_statement(before, after, original.steps[known.step], change)
    if statement is None:
        return None
    answers = []
    for each in known.gradients:
        leaf = _same_leaf(before, after, each, statement)
        seen = [] if leaf is None else list(_seen(after, statement, leaf, each.is_grad))
        if not seen:
            return None
        answers.append(any(_equal(value, each.right) for value in seen))
    return all(answers)


def _same_statement(before: Index, after: Index, step: Step, change: Change) -> Step | None:
    """The run of the same statement in the fix that has the same number of earlier runs; None if there is none."""
    if step.span is None:
        return None
    runs = before.visits.get(step.span, [])
    line = change.moved(step.span.line)
    runs_there = [each for each in after.statements if each.span is not None and each.span.line == line]
    place = runs.index(step)
    return runs_there[place] if place < len(runs_there) else None


def _same_leaf(before: Index, after: Index, each: CorrectedGradient, statement: Step) -> TensorId | None:
    """The Tensor that has one of the leaf's names in the fix's run when the statement begins."""
    for name in before.trace.names:
        if any(tensor == each.tensor for _, tensor in name.tensor):
            there = after.name_in(name.frame, name.path)
            found = None if there is None else after.tensor_at(there, statement.began)
            if found is not None:
                return found
    return None


def _seen(index: Index, statement: Step, leaf: TensorId, is_grad: bool) -> Iterator[Contents]:
    """The gradients of a leaf after a statement's backwards: the leaf's `.grad`, or the gradients that Nodes sent to the leaf."""
    for step in index.trace.steps[statement.id :]:
        if step.began > end_of(statement):
            return
        if is_grad and step.node is not None and index.leaf_of(step.node) == leaf:
            yield gradient_of(index.trace, leaf, end_of(step))[1]
        elif not is_grad:
            yield from (each.value for each in index.gradients_in.get(step.id, []) if index.leaf_of(each.to) == leaf)


def _equal(value: Contents, right: Contents) -> bool:
    match value, right:
        case Cells(), Cells():
            pairs = zip(value.values, right.values, strict=False)
            return len(value.values) == len(right.values) and all(_close(one, other) for one, other in pairs)
        case Summary(), Summary():
            counts = (value.count, value.nan_count, value.inf_count) == (right.count, right.nan_count, right.inf_count)
            return counts and all(
                _close(one, other) for one, other in ((value.min, right.min), (value.max, right.max), (value.mean, right.mean))
            )
        case _:
            return False


def _close(one: Value | None, other: Value | None) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return all(_close(part, part_there) for part, part_there in zip(one, other, strict=True))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=RELATIVE, abs_tol=1e-8)
    return one == other
