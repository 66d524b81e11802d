"""Groups the records of a trace by statement. A record belongs only to the innermost statement."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter

from app.trace.index import Index
from app.trace.query import END, end_of
from app.trace.records import (
    Hook,
    Name,
    Node,
    Output,
    SavedTensor,
    Step,
    StepId,
    StorageId,
    Tensor,
    TensorId,
    Tick,
    Variable,
    Write,
)


@dataclass(slots=True)
class Facts:
    """The records of one statement. Each kind is in order. `step` is None for records outside any statement."""

    step: Step | None
    runs: list[Step] = field(default_factory=list)
    """The steps in which backward ran a Node."""
    exceptions: list[Step] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    """Tensors that were first seen in the statement."""
    there: list[Tensor] = field(default_factory=list)
    """Tensors that no statement created, and that the recorder first recorded right before this statement."""
    writes: list[Write] = field(default_factory=list)
    storages: set[StorageId] = field(default_factory=set)
    """Storages that were created in the statement."""
    nodes: list[Node] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    spoilt: list[SavedTensor] = field(default_factory=list)
    """Saved tensors that became outdated or overwritten in the statement."""
    regraded: dict[TensorId, Tick] = field(default_factory=dict)
    """Tensors with a new `grad`, each with the first tick of the change."""
    resized: dict[StorageId, Tick] = field(default_factory=dict)
    """Storages with a new size, each with the first tick of the change."""
    placed: dict[TensorId, Tick] = field(default_factory=dict)
    """Tensors with a new geometry, each with the first tick of the change."""
    required: dict[TensorId, Tick] = field(default_factory=dict)
    """Tensors with a new `requires_grad`, each with the first tick of the change."""
    carried: dict[TensorId, Tick] = field(default_factory=dict)
    """Tensors with a new tangent, each with the last tick of the change."""
    named: dict[TensorId, Name] = field(default_factory=dict)
    """Tensors with new names, each with the plainest of its new names."""
    bound: list[tuple[Variable, Tick]] = field(default_factory=list)
    """Variables that got a value other than a Tensor, each with the tick."""
    outputs: list[Output] = field(default_factory=list)

    @property
    def until(self) -> Tick:
        """The tick at which the statement ended; END outside any statement."""
        return END if self.step is None else end_of(self.step)


def facts_by_statement(index: Index) -> dict[StepId | None, Facts]:
    """The records of each statement. The key None has the records outside any statement."""
    found: dict[StepId | None, Facts] = {None: Facts(None)}
    for step in index.statements:
        found[step.id] = Facts(step)
    _of_steps(index, found)
    _of_ticks(index, found)
    return found


def _of_steps(index: Index, found: dict[StepId | None, Facts]) -> None:
    trace = index.trace

    def within(step: StepId | None, tick: Tick) -> Facts:
        statement = index.statement_at_tick(tick) if step is None else index.statement_of(step)
        return found[None if statement is None else statement.id]

    for step in trace.steps:
        if step.kind == "node":
            within(step.id, step.began).runs.append(step)
        elif step.kind == "exception":
            within(step.id, step.began).exceptions.append(step)
    for tensor in trace.tensors:
        if index.was_there(tensor):
            following = bisect_left(trace.steps, tensor.born, key=attrgetter("began"))
            there = index.statement_of(trace.steps[following].id) if following < len(trace.steps) else None
            found[None if there is None else there.id].there.append(tensor)
        else:
            within(tensor.made_by, tensor.born).tensors.append(tensor)
    for write in trace.writes:
        within(write.step, write.tick).writes.append(write)
    for hook in trace.hooks:
        within(hook.step, hook.tick).hooks.append(hook)
    for node in trace.nodes:
        if not index.was_there(node):
            within(node.made_by, node.born).nodes.append(node)


def _of_ticks(index: Index, found: dict[StepId | None, Facts]) -> None:
    trace = index.trace

    def at(tick: Tick) -> Facts:
        statement = index.statement_at_tick(tick)
        return found[None if statement is None else statement.id]

    for storage in trace.storages:
        at(storage.born).storages.add(storage.id)
        for tick, _ in storage.nbytes[1:]:
            at(tick).resized.setdefault(storage.id, tick)
    for saved in trace.saved_tensors:
        ticks = [facts[0][0] for facts in (saved.outdated, saved.overwritten) if facts]
        again = [tick for tick, write in saved.overwritten[1:] if write is not None]
        for tick in [min(ticks), *again] if ticks else []:
            at(tick).spoilt.append(saved)
    _of_tensors(index, at)
    for name in trace.names:
        for tick, reached in name.tensor:
            if reached is not None:
                named = at(tick).named
                named[reached] = min(named.get(reached, name), name, key=lambda each: index.plainness(each, reached))
    for variable in trace.variables:
        for tick, held in variable.value:
            if held is not None:
                at(tick).bound.append((variable, tick))
    for output in trace.outputs:
        at(output.tick).outputs.append(output)


def _of_tensors(index: Index, at: Callable[[Tick], Facts]) -> None:
    for tensor in index.trace.tensors:
        for tick, grad in tensor.grad:
            is_first = tick == tensor.grad[0][0]
            if not is_first or (grad is not None and not index.was_there(tensor)):
                at(tick).regraded.setdefault(tensor.id, tick)
        for tick, _ in tensor.geometry[1:]:
            at(tick).placed.setdefault(tensor.id, tick)
        for tick, _ in tensor.requires_grad[1:]:
            at(tick).required.setdefault(tensor.id, tick)
        for tick, tangent in tensor.tangent:
            if tangent is not None:
                at(tick).carried[tensor.id] = tick


def by_storage(writes: list[Write]) -> dict[StorageId, list[Write]]:
    """The writes to each Storage, in order."""
    found: dict[StorageId, list[Write]] = defaultdict(list)
    for write in writes:
        found[write.storage].append(write)
    return dict(found)
