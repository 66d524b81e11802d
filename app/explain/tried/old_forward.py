"""Checks whether a fix runs backward again through a forward pass with leaves that have changed since."""

from collections.abc import Iterator

from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import END, end_of, events_after, value_at
from app.trace.records import NodeId, Step, StepId, StorageId, TensorId, Tick


def is_of_an_old_forward(trace: Trace) -> bool:
    """Whether a Node ran again after a write to a leaf that its first backward reached.

    The gradients then belong to the leaves' values before the write; the program should have computed the loss again.
    """
    index = Index(trace)
    ran: dict[NodeId, tuple[Step, Step]] = {}
    """The first run of each Node, and the statement that ran it."""
    reached: dict[StepId, set[TensorId]] = {}
    changes: dict[StepId, tuple[Tick, Tick]] = {}
    for step in trace.steps:
        statement = None if step.node is None else index.statement_of(step.id)
        if step.node is None or statement is None:
            continue
        leaf = index.leaf_of(step.node)
        if leaf is not None:
            reached.setdefault(statement.id, set()).add(leaf)
            continue
        first, before = ran.setdefault(step.node, (step, statement))
        if before is statement:
            continue
        if before.id not in changes:
            changes[before.id] = _changes(index, before, reached.get(before.id, set()))
        within, after = changes[before.id]
        if first.began < within or after <= step.began:
            return True
    return False


def _changes(index: Index, statement: Step, leaves: set[TensorId]) -> tuple[Tick, Tick]:
    """The ticks of two writes to leaves of a backward: the last during the backward's statement, and the first after it."""
    over = end_of(statement)
    storages = {_storage(index, leaf, over) for leaf in leaves}
    return max(_writes(index, storages, statement.began, over), default=Tick(-1)), min(
        (next(_writes(index, {storage}, over, END), END) for storage in storages), default=END
    )


def _storage(index: Index, tensor: TensorId, tick: Tick) -> StorageId | None:
    geometry = value_at(index.trace.tensors[tensor].geometry, tick)
    return None if geometry is None else geometry.storage


def _writes(index: Index, storages: set[StorageId | None], since: Tick, until: Tick) -> Iterator[Tick]:
    for storage in storages:
        writes = index.writes_to.get(storage, []) if storage is not None else []
        yield from (write.tick for write in events_after(writes, since, until) if write.changed)
