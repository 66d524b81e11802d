"""Every look-up in Index returns the same result as a linear search in the trace."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import MODULE, value_at
from app.trace.records import GradFn, StepId, Tick
from tests.trace.generated import SOME, traces


def around(trace: Trace, step: StepId | None, kind: str) -> StepId | None:
    """Return the nearest step of this kind among a step and its ancestors."""
    while step is not None and trace.steps[step].kind != kind:
        step = trace.steps[step].parent
    return step


@pytest.mark.sweep
@SOME
@given(traces(), st.integers(0, 90))
def test_steps(trace: Trace, moment: int) -> None:
    index = Index(trace)
    for step in trace.steps:
        statement = index.statement_of(step.id)
        assert (None if statement is None else statement.id) == around(trace, step.id, "statement")
        assert index.node_steps[step.id] == around(trace, step.id, "node")
        assert step in index.children[step.parent]
        if step.kind == "operator" and statement is not None:
            assert step in index.operators_of(statement)
        if step.kind == "exception":
            assert step in index.exceptions[step.name, step.message]
        if step.kind == "statement" and step.span is not None:
            assert step in index.visits[step.span] and index.line_of(step.id) == step.span.line
        if step.kind == "statement" and step.frame is not None:
            assert step in index.statements_in[step.frame]
    under_way = index.step_at(Tick(moment))
    by_tick = index.statement_at_tick(Tick(moment))
    assert by_tick == (None if under_way is None else index.statement_of(under_way.id))
    frames = list(index.frames_at(Tick(moment)))
    assert frames[-1] == MODULE and len(set(frames)) == len(frames)
    for inner, outer in pairwise(frames):
        assert trace.frames[inner].parent in (outer, None)


@pytest.mark.sweep
@SOME
@given(traces(), st.integers(0, 90))
def test_names(trace: Trace, moment: int) -> None:
    index, tick = Index(trace), Tick(moment)
    for tensor in trace.tensors:
        names = [name for name in trace.names if any(reached == tensor.id for _, reached in name.tensor)]
        plainest = index.plainest_of.get(tensor.id, [])
        assert sorted(plainest, key=lambda name: name.id) == names
        assert plainest == sorted(plainest, key=lambda name: index.plainness(name, tensor.id))
        for frame in trace.frames:
            found = index.plainest_in.get((tensor.id, frame.id), [])
            assert found == [name for name in plainest if name.frame == frame.id]
        assert sorted(index.paths_of(tensor.id, tick)) == sorted(
            name.path for name in names if value_at(name.tensor, tick) == tensor.id
        )
        assert bool(index.name_of(tensor.id)) == bool(index.path_of(tensor.id)) == bool(names)


@pytest.mark.sweep
@SOME
@given(traces())
def test_memory_and_graph(trace: Trace) -> None:
    index = Index(trace)
    for storage in trace.storages:
        lookers = [each.id for each in trace.tensors if any(geometry.storage == storage.id for _, geometry in each.geometry)]
        assert index.tensors_on.get(storage.id, []) == lookers
        assert index.writes_to.get(storage.id, []) == [write for write in trace.writes if write.storage == storage.id]
    for tensor in trace.tensors:
        owners = [(since, owner.id) for owner in trace.tensors for since, grad in owner.grad if grad == tensor.id]
        assert index.owners.get(tensor.id, []) == owners
        if tensor.made_by is not None:
            assert tensor in index.made_in[tensor.made_by]
    for node in trace.nodes:
        assert index.saved_by.get(node.id, []) == [saved for saved in trace.saved_tensors if saved.node == node.id]
        assert index.runs_of(node.id) == [step for step in trace.steps if step.node == node.id]
        assert index.gradients_to.get(node.id, []) == [each for each in trace.gradients if each.to == node.id]
        made = [each.id for each in trace.tensors for _, of in each.grad_fn if isinstance(of, GradFn) and of.node == node.id]
        assert index.results.get(node.id, []) == made
    for step in trace.steps:
        assert index.gradients_in.get(step.id, []) == [each for each in trace.gradients if each.step == step.id]
