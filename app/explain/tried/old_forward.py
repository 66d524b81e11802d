"""Whether a fix has a backward go once more through a forward pass whose leaves were changed since."""

from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import end_of, events_after, value_at
from app.trace.records import NodeId, Step, TensorId


def is_of_an_old_forward(trace: Trace) -> bool:
    """Whether some Node ran again after a write to a leaf into which its first run led.

    Such a gradient is that of values which the leaves no longer have: of a loss that an optimizer would have to compute anew.
    """
    index = Index(trace)
    ran: dict[NodeId, Step] = {}
    reached: dict[int, set[TensorId]] = {}
    for step in trace.steps:
        statement = index.statement_of(step.id)
        if step.node is None or statement is None:
            continue
        leaf = index.leaf_of(step.node)
        if leaf is not None:
            reached.setdefault(statement.id, set()).add(leaf)
            continue
        first = ran.setdefault(step.node, step)
        before = index.statement_of(first.id)
        if before is not None and before != statement:
            leaves = reached.get(before.id, set())
            if any(_was_written(index, leaf, first, step) for leaf in leaves):
                return True
    return False


def _was_written(index: Index, leaf: TensorId, since: Step, until: Step) -> bool:
    geometry = value_at(index.trace.tensors[leaf].geometry, until.began)
    writes = [] if geometry is None else index.writes_to.get(geometry.storage, [])
    return any(write.changed for write in events_after(writes, end_of(since), until.began))
