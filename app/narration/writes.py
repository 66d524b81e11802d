"""Sentences about writes: the changed values, the tensors that read these values, and the effect on version counters."""

from collections.abc import Iterator
from itertools import islice

from app.narration.facts import Facts, by_storage
from app.narration.message import Argument, Message, message
from app.narration.phrases import called, code, codes, is_grad_only
from app.narration.tensors import arrays_over, named_on
from app.narration.values import flat, shown
from app.trace.dtypes import itemsize
from app.trace.index import Index
from app.trace.overlap import extent, reaches
from app.trace.query import events_after, value_at
from app.trace.records import Cells, StorageId, TensorId, Tick, VersionCounterId, Write

Named = list[tuple[TensorId, str]]


def writes(index: Index, facts: Facts, grads: set[StorageId]) -> Iterator[Message]:
    """The sentences for writes to existing tensors.

    Writes to the Storages `grads` are left out, because a sentence about gradients describes them.
    """
    unnamed = 0
    for storage, group in by_storage([write for write in facts.writes if not _only_announced(write, facts)]).items():
        if storage in facts.storages:
            continue
        named = named_on(index, storage, facts.until)
        if storage in grads and all(is_grad_only(index, tensor, facts.until) for tensor, _ in named):
            continue
        if named:
            yield from _into(index, facts, group, named)
        else:
            unnamed += any(write.changed is not False for write in group)
    if unnamed:
        yield message("story-wrote-unnamed", count=unnamed)


def _only_announced(write: Write, facts: Facts) -> bool:
    """Whether an operator that raised an exception began this write, and the recording shows no change of values."""
    return bool(facts.exceptions) and write.changed is None and write.version_counter is None and write.tensor is not None


def _into(index: Index, facts: Facts, group: list[Write], named: Named) -> Iterator[Message]:
    changed = [write for write in group if write.changed is not False]
    counters = list(_counters(index, facts, group, changed, named))
    if not changed:
        if any(told.id == "story-moved" for told in counters):
            # `set_` replaces the Storage without a write, and code that this statement called may have written other values.
            contents, first = index.trace.storages[group[0].storage].contents, min(write.tick for write in group)
            is_same = value_at(contents, Tick(first - 1)) == value_at(contents, facts.until)
            if is_same and not any(write.tensor in facts.placed for write in group):
                yield message("story-wrote-same", storage=f"S{group[0].storage}")
            yield from counters
        return
    values = _values(index, changed, facts.until)
    told = [each for write in changed for each in (_wrote(index, facts, write, values), *_from(index, write))]
    yield from {repr(each): each for each in told}.values()
    yield from _readers(index, facts, changed, named)
    yield from counters


def _values(index: Index, changed: list[Write], until: Tick) -> tuple[str, str] | None:
    """The contents of a small Storage before and after its only write; None if other writes may have contributed."""
    first = changed[0]
    later = events_after(index.writes_to[first.storage], Tick(first.tick - 1), until)
    since = list(islice((write for write in later if write.changed is not False), 2))
    contents = index.trace.storages[first.storage].contents
    geometry = None if first.tensor is None else value_at(index.trace.tensors[first.tensor].geometry, until)
    is_scalar = geometry is not None and not geometry.shape
    before, after = (flat(value_at(contents, tick), is_scalar=is_scalar) for tick in (Tick(first.tick - 1), until))
    is_only = len(since) == 1 and first.changed is True
    return (before, after) if is_only and before is not None and after is not None and before != after else None


def _wrote(index: Index, facts: Facts, write: Write, values: tuple[str, str] | None) -> Message:
    storage = f"S{write.storage}"
    if write.tensor is not None:
        became = dict(zip(("from", "to"), values or ("none", "none"), strict=True))
        through = called(index, write.tensor, facts.until)
        return message("story-wrote", operator=write.operator or "none", storage=storage, name=through, **became)
    over = _written_over(index, facts, write.storage)
    if over is not None:
        return message("story-wrote-over", storage=storage, other=f"S{over}")
    if _beside_threads(index, facts, write):
        return message("story-wrote-thread", storage=storage)
    arrays = arrays_over(index, write.storage, facts.until)
    if write.version_counter is None and arrays:
        name = index.in_frame(arrays[0].name, arrays[0].frame)
        return message("story-wrote-numpy", storage=storage, name=name)
    return message("story-wrote-behind" if write.version_counter is None else "story-wrote-unseen", storage=storage)


def _from(index: Index, write: Write) -> Iterator[Message]:
    """The sentence that names the line of the write, if the write happened in code that the recorder does not trace.

    That line is not the line of the statement.
    """
    if write.place is not None:
        yield message("story-wrote-from", line=index.line_of(write.step) or 0)


def _written_over(index: Index, facts: Facts, storage: StorageId) -> StorageId | None:
    """Another Storage on the same bytes of memory, through which this statement wrote; None if no such Storage exists."""
    lies = _bytes(index, storage, facts.until)
    for write in facts.writes:
        if write.tensor is not None and write.storage != storage:
            other = _bytes(index, write.storage, facts.until)
            if lies is not None and other is not None and lies.start < other.stop and other.start < lies.stop:
                return write.storage
    return None


def _bytes(index: Index, storage: StorageId, tick: Tick) -> range | None:
    """The addresses of a Storage in the machine's memory; None if the Storage is freed or not on the CPU."""
    record = index.trace.storages[storage]
    if record.device != "cpu" or (record.freed is not None and record.freed <= tick):
        return None
    begin = int(value_at(record.moved, tick, record.address) or record.address, 16)
    return range(begin, begin + (value_at(record.nbytes, tick) or 0))


def _readers(index: Index, facts: Facts, changed: list[Write], named: Named) -> Iterator[Message]:
    """Sentences about the other named tensors that read the changed values, with their values now."""
    storage = f"S{changed[0].storage}"
    others = [(tensor, name) for tensor, name in named if tensor not in {write.tensor for write in changed}]
    seeing = [(tensor, name) for tensor, name in others if _sees(index, facts, changed, tensor)]
    if len(others) == 1 and _sees(index, facts, changed, others[0][0]) is False:
        yield message("story-reads-elsewhere", name=others[0][1], storage=storage)
    elif len(seeing) == 1:
        tensor, name = seeing[0]
        geometry = value_at(index.trace.tensors[tensor].geometry, facts.until)
        value = None if geometry is None else shown(index.trace, geometry, facts.until)
        if value is None:
            yield message("story-reads-too", names=[code(name)], storage=storage, count=1)
        else:
            yield message("story-reads-too-value", name=name, storage=storage, value=value)
    elif seeing:
        yield message("story-reads-too", names=codes(name for _, name in seeing), storage=storage, count=len(seeing))


def _sees(index: Index, facts: Facts, changed: list[Write], tensor: TensorId) -> bool | None:
    """Whether a Tensor reads bytes that changed; None if unknown."""
    geometry = value_at(index.trace.tensors[tensor].geometry, facts.until)
    if geometry is None:
        return None
    contents = index.trace.storages[changed[0].storage].contents
    before, after = value_at(contents, Tick(changed[0].tick - 1)), value_at(contents, facts.until)
    size = itemsize(geometry.dtype)
    if size and isinstance(before, Cells) and isinstance(after, Cells) and before.dtype == after.dtype == geometry.dtype:
        differ = [one != other for one, other in zip(before.values, after.values, strict=False)]
        pieces = extent(geometry)
        if any(differ) and pieces is not None:
            return any(any(differ[piece.start // size : -(-piece.stop // size)]) for piece in pieces)
    meets = {reaches(index.trace, write, geometry) for write in changed}
    return False if meets == {False} else True if True in meets and all(write.changed for write in changed) else None


def _beside_threads(index: Index, facts: Facts, write: Write) -> bool:
    """Whether another thread ran at the same time.

    The other thread may have been within a write: an operator changes the bytes before it increases the version counter.
    """
    step = None if write.step is None else index.trace.steps[write.step]
    return any(each is not None and each.other_threads is True for each in (facts.step, step))


def _counters(index: Index, facts: Facts, group: list[Write], changed: list[Write], named: Named) -> Iterator[Message]:
    """Sentences about the version counters that torch increased, and about the counters that missed a write, with the reason."""
    found: dict[VersionCounterId, list[str]] = {}
    for tensor, name in named:
        counter = value_at(index.trace.tensors[tensor].version_counter, facts.until)
        if isinstance(counter, int):
            found.setdefault(counter, []).append(name)
    moved = {write.version_counter for write in facts.writes if write.version_counter is not None}
    for counter in sorted(found, key=lambda counter: counter not in moved):
        record, names = index.trace.version_counters[counter], found[counter]
        now = value_at(record.version, facts.until)
        if not isinstance(now, int):
            continue
        words: dict[str, Argument] = {"names": codes(names), "count": len(names), "to": now}
        if counter in moved:
            first = next(write for write in facts.writes if write.version_counter == counter)
            was = value_at(record.version, Tick(first.tick - 1))
            if was != now:
                yield message("story-moved", **words, **{"from": was if isinstance(was, int) else -1})
        elif changed and not (changed[0].tensor is None and _beside_threads(index, facts, changed[0])):
            write = changed[0]
            over = _written_over(index, facts, write.storage) if write.tensor is None else None
            why = "over" if over is not None else "unseen" if write.tensor is None else "none"
            if why == "none" and write.version_counter is not None:
                why = "other"
            sharers = [] if write.version_counter is None else found.get(write.version_counter, [])
            # A temporary view within the statement has no name, but the view shares the counter of its base.
            through = code(sharers[0]) if sharers else called(index, write.tensor, facts.until)
            yield message("story-still", **words, why=why, through=through, over=f"S{over}")
