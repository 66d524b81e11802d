"""Sentences about backward: the gradients that each Node received and sent, the released saved tensors, and the results."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from operator import attrgetter

from app.narration.facts import Facts, by_storage
from app.narration.message import Argument, Message, message
from app.narration.phrases import called, code, grad_label, gradient, node, slot
from app.narration.values import is_zero, nested, shape_of, shown
from app.trace.index import Index
from app.trace.query import elements, end_of, value_at
from app.trace.records import Cells, Gradient, NodeId, Step, StorageId, TensorId, Tick, Value, Write

_ZEROING = ("aten::zero_", "aten::_foreach_zero_")


def nodes_that_ran(index: Index, facts: Facts) -> Iterator[list[Message]]:
    """Yield the sentences for each Node that backward ran, as one list per line."""
    for run in facts.runs:
        if run.node is None:
            continue
        leaf = index.leaf_of(run.node)
        if leaf is not None:
            yield _accumulated(index, facts, run, called(index, leaf, facts.until))
        else:
            received = message("story-node", node=node(index, run.node), value=_sum(_arrived(index, facts, run.node, run)))
            yield [
                received,
                *_sent(index, facts, run),
                *_became_zero(index, facts, run),
                *_released_or_kept(index, facts, run.node, run),
            ]


def _accumulated(index: Index, facts: Facts, run: Step, name: Message) -> list[Message]:
    """Sentences about the gradient that a leaf received: the value, the effect of hooks, and whether a frozen leaf dropped it."""
    leaf = index.leaf_of(run.node)
    arrived = [] if run.node is None else _arrived(index, facts, run.node, run)
    value = _sum(arrived)
    if value.id == "phrase-gradient-unknown" and not index.was_added(run):
        return [message("story-accumulate-none", name=name)]
    is_frozen = leaf is not None and not index.was_added(run) and not index.requires_grad(leaf, run.began)
    frozen = [message("story-accumulate-frozen", name=name)] if is_frozen else []
    hooked = [] if leaf is None or len(arrived) != 1 else _hooked(index, leaf, run, arrived[0], name)
    return [message("story-accumulate", name=name, value=value), *hooked, *frozen]


def _hooked(index: Index, leaf: TensorId, run: Step, arrived: Gradient, name: Message) -> list[Message]:
    """The sentence about hooks that changed a leaf's gradient before autograd stored it as a new `.grad`; empty if none did."""
    record, over = index.trace.tensors[leaf], end_of(run)
    grad = value_at(record.grad, over) if value_at(record.grad, Tick(run.began - 1)) is None else None
    geometry = None if grad is None else value_at(index.trace.tensors[grad].geometry, over)
    if geometry is None or geometry.shape != arrived.shape or not isinstance(arrived.value, Cells):
        return []
    before, after = nested(arrived.value, arrived.shape), shown(index.trace, geometry, over)
    is_same = arrived.value.dtype != geometry.dtype or None in (before, after) or before == after
    return [] if is_same else [message("story-accumulate-hooked", name=name, value=after or "none")]


def _arrived(index: Index, facts: Facts, to: NodeId, run: Step) -> list[Gradient]:
    """The gradients sent to a Node in this statement since its last run.

    Autograd sums these gradients. Gradients sent before the statement are left out: a call of `autograd.grad` does not
    deliver the gradients of its inputs.
    """
    runs, gradients = index.runs_of(to), index.gradients_to.get(to, [])
    place = bisect_left(runs, run.id, key=attrgetter("id"))
    since = max(end_of(runs[place - 1]) if place else Tick(-1), Tick(-1) if facts.step is None else facts.step.began)
    begin, end = (bisect_right(gradients, tick, key=attrgetter("tick")) for tick in (since, end_of(run)))
    return gradients[begin:end]


def _sum(arrived: list[Gradient]) -> Message:
    if not arrived:
        return message("phrase-gradient-unknown")
    if len(arrived) == 1:
        return gradient(arrived[0].value, arrived[0].shape)
    values = [nested(each.value, each.shape) for each in arrived]
    known = [value for value in values if value is not None]
    if len(known) == len(values):
        return message("phrase-gradients", values=[code(value) for value in known])
    return message("phrase-gradients-count", count=len(arrived))


def _sent(index: Index, facts: Facts, run: Step) -> Iterator[Message]:
    """The gradients that a Node sent. Equal gradients to one Node, or to several Nodes of the same name, share a sentence."""
    sent: list[Gradient] = [each for each in index.gradients_in.get(run.id, []) if each.node == run.node]
    times: dict[tuple[str, NodeId | None], list[Message]] = {}
    for each in sent:
        value, leaf = gradient(each.value, each.shape), index.leaf_of(each.to)
        if leaf is None:
            told = message("story-sent", value=value, to=node(index, each.to))
        else:
            told = message("story-sent-leaf", value=value, name=called(index, leaf, facts.until))
        times.setdefault((repr(told), each.to), []).append(told)
    several = Counter((text, len(same)) for (text, _), same in times.items())
    told_of = {(text, len(same)): same[0] for (text, _), same in times.items()}
    for key, nodes in several.items():
        one = told_of[key]
        yield message(one.id, **one.arguments, times=key[1], nodes=nodes)
    if not sent:
        is_last = run is facts.runs[-1]
        is_broken = is_last and (any(step.id > run.id for step in facts.exceptions) or index.broke_off(run))
        yield message("story-sent-broken" if is_broken else "story-sent-nothing")


def _became_zero(index: Index, facts: Facts, run: Step) -> Iterator[Message]:
    """The sentence for a Node that received a nonzero gradient and sent zeros.

    The Nodes that then receive only zeros get no such sentence.
    """
    sent = [each for each in index.gradients_in.get(run.id, []) if each.node == run.node]
    zero = [each for each in sent if is_zero(each.value)]
    if run.node is None or not zero or not any(is_zero(each.value) is False for each in _arrived(index, facts, run.node, run)):
        return
    if len(zero) == len(sent):
        yield message("story-zero")
        return
    names: dict[str, Message] = {}
    for each in zero:
        leaf = index.leaf_of(each.to)
        if leaf is None or gradient(each.value, each.shape).id != "phrase-gradient":  # a short gradient is shown as values
            name = node(index, each.to) if leaf is None else message("transcript-leaf", name=called(index, leaf, facts.until))
            names[repr(name)] = name
    if names:
        yield message("story-zero-to", names=list(names.values()))


def _released_or_kept(index: Index, facts: Facts, ran: NodeId, run: Step) -> Iterator[Message]:
    """Whether a Node's saved tensors were released during its run.

    A tensor that was released after the Node's run does not count: the statement may have freed the whole graph at its end.
    """
    over = end_of(run)
    saved = [each for each in index.saved_by.get(ran, []) if each.available]
    released = [each for each in saved if each.released is not None and run.began <= each.released <= over]
    if released:
        slots = [slot(index, each, facts.until, versioned=False) for each in released]
        yield message("story-released", count=len(slots), saved=slots)
        return
    is_kept = saved and all(each.released is None or each.released > over for each in saved)
    if is_kept and not facts.exceptions and not index.broke_off(run):
        yield message("story-kept")


def over(index: Index, facts: Facts) -> Iterator[Message]:
    """The summary of a completed backward."""
    if not facts.runs or facts.exceptions or facts.step is None or facts.step.ended is None or index.broke_off(facts.runs[-1]):
        return
    leaves = dict.fromkeys(leaf for run in facts.runs if (leaf := index.leaf_of(run.node)) is not None and index.was_added(run))
    names = {repr(told): told for told in (called(index, leaf, facts.until) for leaf in leaves)}
    if names:
        yield message("story-backward-leaves", count=len(facts.runs), names=list(names.values()))
    else:
        yield message("story-backward", count=len(facts.runs))


def grads(index: Index, facts: Facts) -> Iterator[tuple[Message, StorageId | None]]:
    """Yield each `grad` that the statement created, changed or removed, with its Storage."""
    written = {write.storage: write.tick for write in reversed(facts.writes) if write.changed is not False}
    owners = dict(facts.regraded)
    for storage, tick in written.items():
        for grad in index.tensors_on.get(storage, []):
            for _, owner in index.owners.get(grad, []):
                if value_at(index.trace.tensors[owner].grad, facts.until) == grad:
                    owners.setdefault(owner, tick)
    changes = _Changes(index, facts, written)
    for owner, tick in sorted(owners.items()):
        path, whose = grad_label(index, owner, facts.until), called(index, owner, facts.until)
        name = code(path) if path else message("phrase-grad-of", whose=whose)
        if whose.id != "phrase-unnamed":
            yield from _grad(index, facts, owner, name, Tick(tick - 1), changes)


class _Changes:
    """The causes of changed gradients in a statement: writes, and runs of AccumulateGrad."""

    def __init__(self, index: Index, facts: Facts, written: dict[StorageId, Tick]) -> None:
        self._index, self._facts = index, facts
        self.written = written
        self._writes = by_storage(facts.writes)
        self._runs: dict[TensorId, list[Step]] = {}
        for run in facts.runs:
            leaf = index.leaf_of(run.node)
            if leaf is not None and index.was_added(run):
                self._runs.setdefault(leaf, []).append(run)

    def is_zeroed(self, storage: StorageId) -> bool:
        """Whether all writes to this Storage wrote zeros."""
        return all(write.operator in _ZEROING for write in self._writes.get(storage, []))

    def added(self, owner: TensorId, was: TensorId, now: TensorId, storage: StorageId) -> str | None:
        """The value that a leaf's AccumulateGrad added to the leaf's gradient; "none" if not all values are known.

        None if anything else also wrote the gradient, or if the leaf's AccumulateGrad did not run exactly once.
        """
        runs = self._runs.get(owner, [])
        if len(runs) != 1 or not all(_is_within(write, runs[0]) for write in self._writes.get(storage, [])):
            return None
        arrived = _arrived(self._index, self._facts, runs[0].node, runs[0]) if runs[0].node is not None else []
        new = _total([each.value.values if isinstance(each.value, Cells) else None for each in arrived])
        shape, trace = arrived[0].shape if arrived else [], self._index.trace
        old, total = elements(trace, was, Tick(runs[0].began - 1)), elements(trace, now, end_of(runs[0]))
        # If a hook changed the added value, the old gradient plus the received gradients is not the total.
        if new is None or not isinstance(old, list) or not isinstance(total, list) or not _is_sum(old, new, total):
            return "none"
        return nested(Cells(dtype="float32", values=list(new)), shape) or "none"


def _is_within(write: Write, run: Step) -> bool:
    return run.began <= write.tick <= end_of(run)


def _total(all_values: list[list[Value] | None]) -> list[float] | None:
    """The elementwise sum of the gradients that a Node received; None if a gradient is unknown or not real."""
    known = [[value for value in values or [] if isinstance(value, float | int)] for values in all_values]
    if not known or any(values is None or len(values) != len(known[0]) for values in all_values):
        return None
    return [sum(column) for column in zip(*known, strict=True)] if len({len(each) for each in known}) == 1 else None


def _is_sum(old: list[Value], new: list[float], total: list[Value]) -> bool:
    """Whether `total` is the sum, within the precision of a float16."""
    if not len(old) == len(new) == len(total):
        return False
    return all(
        isinstance(before, float | int)
        and isinstance(after, float | int)
        and abs(before + added - after) <= 1e-2 * max(abs(before), abs(added), abs(after))
        for before, added, after in zip(old, new, total, strict=True)
    )


def _grad(
    index: Index, facts: Facts, owner: TensorId, name: Message, before: Tick, changes: _Changes
) -> Iterator[tuple[Message, StorageId | None]]:
    record = index.trace.tensors[owner]
    was, now = value_at(record.grad, before), value_at(record.grad, facts.until)
    if now is None:
        if was is not None:
            yield message("story-grad-none", name=name), None
        return
    geometry = value_at(index.trace.tensors[now].geometry, facts.until)
    storage = None if geometry is None else geometry.storage
    if geometry is None or storage is None or (was == now and storage not in changes.written):
        return
    words: dict[str, Argument] = {
        "name": name,
        "storage": f"S{storage}",
        "value": _values_of(index, now, facts.until) or "none",
    }
    if was is None:
        yield message("story-grad-new", **words, shape=shape_of(geometry)), storage
        return
    words["from"] = _values_of(index, was, before) or "none"
    added = changes.added(owner, was, now, storage)
    if was != now:
        yield message("story-grad-other", **words), storage
    if added is not None:
        yield message("story-grad-added", **words, added=added), storage
    elif was == now:
        yield message("story-grad-zeroed" if changes.is_zeroed(storage) else "story-grad-now", **words), storage


def _values_of(index: Index, tensor: TensorId, tick: Tick) -> str | None:
    geometry = value_at(index.trace.tensors[tensor].geometry, tick)
    return None if geometry is None else shown(index.trace, geometry, tick)
