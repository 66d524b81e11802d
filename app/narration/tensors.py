"""Sentences about new tensors: the memory of a tensor, shared memory and counters, and views."""

from collections.abc import Iterator
from itertools import islice

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.narration.phrases import called, code, grad_of, is_grad_only, label, names_at, runs
from app.narration.values import shape_of, shown, sizes
from app.trace.index import Index
from app.trace.overlap import extent
from app.trace.query import value_at
from app.trace.records import SHAPELESS, Geometry, Name, Step, StorageId, Tensor, TensorId, Tick, Unknown, Variable

MOST_THERE = 6
"""Maximum number of Tensors from before the recording that are listed by name."""
MOST_RENAMED = 2
"""Maximum number of existing tensors with a new name that are listed per statement.

An optimizer has a name for each of its tensors.
"""


def new_tensors(index: Index, facts: Facts, grads: set[StorageId], result: TensorId | None) -> Iterator[list[Message]]:
    """Yield the sentences for each Tensor first seen in a statement, as one list per line.

    Tensors on the Storages `grads` are left out, because a sentence about gradients describes them; an unnamed `result` is
    left out, because the sentence about the statement's value describes it.
    """
    for tensor in facts.tensors:
        name = label(index, tensor.id, facts.until)
        geometry = value_at(tensor.geometry, facts.until)
        storage = None if geometry is None else geometry.storage
        if storage in grads and is_grad_only(index, tensor.id, facts.until):
            continue
        if not name and tensor.id == result:
            continue
        if not name:
            yield [_without_name(index, facts, tensor, geometry)]
            continue
        yield [_made(index, facts, tensor, name, geometry)]
        if geometry is not None:
            yield [
                message("text-tensor", names=code(name), type=tensor.type),
                _looks(geometry),
                *_requires(index, tensor, facts),
            ]
        if storage is not None:
            yield from ([counter] for counter in _counter(index, tensor, name, storage, facts.until))


def made_without_grad(index: Index, facts: Facts) -> Iterator[Message]:
    """The sentence about tensors without grad that came from a call with grad mode off, in a statement with grad mode on."""
    if facts.step is None or not facts.step.grad_enabled:
        return
    names = []
    for tensor in facts.tensors:
        made_by = None if tensor.made_by is None else index.trace.steps[tensor.made_by]
        is_silent = made_by is not None and not made_by.grad_enabled and made_by.parent == facts.step.id
        if is_silent and not index.requires_grad(tensor.id, facts.until):
            variables = (name for name in names_at(index, tensor.id, facts.until) if name.path.isidentifier())
            names += [code(index.text_of(name)) for name in islice(variables, 1)]
    if names:
        yield message("story-made-without-grad", names=names, count=len(names))


def there_before(index: Index, facts: Facts) -> Iterator[Message]:
    """The named Tensors that existed before the recorded statements."""
    names = [name for tensor in facts.there if (name := label(index, tensor.id, facts.until))]
    if names:
        more = [message("phrase-more", count=len(names) - MOST_THERE)] if len(names) > MOST_THERE + 1 else []
        yield message("story-there-before", names=[*map(code, names[:MOST_THERE] if more else names), *more])


def renamed(index: Index, facts: Facts) -> Iterator[Message]:
    """Sentences about existing Tensors that got a new name in this statement."""
    if facts.step is None:
        return
    before, fresh = Tick(facts.step.began - 1), {tensor.id for tensor in facts.tensors}
    known = [
        (tensor, name)
        for tensor, name in sorted(facts.named.items())
        if tensor not in fresh and name in names_at(index, tensor, facts.until) and value_at(name.tensor, before) != tensor
    ]
    for tensor, name in known[:MOST_RENAMED]:
        names = (
            other
            for other in names_at(index, tensor, facts.until)
            if value_at(other.tensor, before) == tensor and _is_up_to_date(other, facts.step)
        )
        older = next((index.text_of(other) for other in names), "") or grad_of(index, tensor, facts.until)
        if older:
            yield message("story-renamed", name=index.text_of(name), other=older)
        else:
            record = index.trace.tensors[tensor]
            line = 0 if index.is_older(record) else index.line_of(record.made_by) or 0
            yield message("story-named", name=index.text_of(name), line=line)
    if len(known) > MOST_RENAMED:
        yield message("story-more-tensors", count=len(known) - MOST_RENAMED)


def _is_up_to_date(name: Name, step: Step) -> bool:
    """Whether the recorder looked up the name `name` after the statement of `step`.

    In the frames of callers, the recorder updates only plain variables; attributes and items are updated when the caller
    continues.
    """
    return name.frame == step.frame or name.path.isidentifier()


def named_on(index: Index, storage: StorageId | None, tick: Tick) -> list[tuple[TensorId, str]]:
    """The named Tensors on a Storage at a tick, with their names."""
    found = []
    for tensor in index.labelled_on.get(storage, []):
        record = index.trace.tensors[tensor]
        geometry = value_at(record.geometry, tick)
        lives = record.born <= tick and (record.died is None or record.died > tick)
        if lives and geometry is not None and geometry.storage == storage and (name := label(index, tensor, tick)):
            found.append((tensor, name))
    return found


def arrays_over(index: Index, storage: StorageId, tick: Tick) -> list[Variable]:
    """The variables whose NumPy array uses the bytes of a Storage."""
    record = index.trace.storages[storage]
    if record.device != "cpu" or record.born > tick or (record.freed is not None and record.freed <= tick):
        return []
    begin = int(value_at(record.moved, tick, record.address) or record.address, 16)
    end = begin + (value_at(record.nbytes, tick) or 0)
    found = []
    for variable in index.array_variables:
        held = value_at(variable.value, tick)
        is_there = held is not None and runs(index.trace.frames[variable.frame], tick)
        if is_there and held is not None and held.kind == "array" and held.address is not None:
            first = int(held.address, 16)
            if first < end and begin < first + (held.span or 0):
                found.append(variable)
    return found


def new_arrays(index: Index, facts: Facts) -> Iterator[Message]:
    """Sentences about NumPy arrays that began to share memory with a Storage in this statement."""
    rebound = [variable for variable, tick in facts.bound if (held := value_at(variable.value, tick)) and held.kind == "array"]
    looked_at = {geometry.storage for tensor in facts.tensors for _, geometry in tensor.geometry}
    fresh = {storage for storage in facts.storages if storage in looked_at}
    told: set[tuple[StorageId, str]] = set()
    storages = index.trace.storages if rebound else [index.trace.storages[storage] for storage in sorted(fresh)]
    for storage in storages if index.array_variables else []:
        for variable in arrays_over(index, storage.id, facts.until):
            name = index.in_frame(variable.name, variable.frame)
            if (variable in rebound or storage.id in fresh) and (storage.id, name) not in told:
                told.add((storage.id, name))
                yield message("story-numpy", storage=f"S{storage.id}", name=name)


def _made(index: Index, facts: Facts, tensor: Tensor, name: str, geometry: Geometry | None) -> Message:
    storage = None if geometry is None else geometry.storage
    shape = shape_of(geometry)
    if storage is None or geometry is None:
        is_transformed = isinstance(value_at(tensor.version_counter, facts.until), Unknown)
        return message("story-transformed" if is_transformed else "story-new-bare", name=name, shape=shape)
    others = [other for each, other in named_on(index, storage, facts.until) if each != tensor.id]
    base = value_at(tensor.base, facts.until)
    if base is not None and not others:
        whose = called(index, base, facts.until)
        return message("story-new-view", name=name, shape=shape, base=whose, storage=f"S{storage}")
    if others or storage not in facts.storages:
        if not others:
            return message("transcript-looks-at", name=name, shape=shape, storage=f"S{storage}")
        return message(
            "story-shares",
            name=name,
            shape=shape,
            storage=f"S{storage}",
            other=others[0],
            view="no" if base is None else "yes",
            base=called(index, base, facts.until),
        )
    is_leaf = value_at(tensor.requires_grad, facts.until) and value_at(tensor.is_leaf, facts.until) is True
    if index.is_older(tensor):
        return message("story-first-seen", name=name, shape=shape, storage=f"S{storage}")
    device = geometry.device or "cpu"
    return message(
        "story-new", name=name, shape=shape, look="leaf" if is_leaf else "other", device=device, storage=f"S{storage}"
    )


def _looks(geometry: Geometry) -> Message:
    words: dict[str, str | int] = {"dtype": geometry.dtype, "device": geometry.device or "cpu", "layout": geometry.layout}
    if geometry.layout in SHAPELESS:
        return Message("text-shapeless", words)
    words["shape"] = sizes(geometry.shape)
    if geometry.stride is None or geometry.storage_offset is None:
        return Message("text-strideless", words)
    return Message("text-geometry", {**words, "stride": sizes(geometry.stride), "offset": geometry.storage_offset})


def _requires(index: Index, tensor: Tensor, facts: Facts) -> list[Message]:
    if not index.requires_grad(tensor.id, facts.until):
        return []
    return [message("text-look-leaf" if value_at(tensor.is_leaf, facts.until) is True else "text-look-result")]


def _counter(index: Index, tensor: Tensor, name: str, storage: StorageId, tick: Tick) -> Iterator[Message]:
    """Yield a sentence on whether a new Tensor shares its version counter with another named Tensor on the same Storage."""
    counter = value_at(tensor.version_counter, tick, "unseen")
    others = [(each, other) for each, other in named_on(index, storage, tick) if each != tensor.id]
    if counter is None:
        yield message("story-counter-none", name=name)
    elif others and not isinstance(counter, int):
        yield message("story-counter-unknown", name=name)
    elif others:
        same = [other for each, other in others if value_at(index.trace.tensors[each].version_counter, tick) == counter]
        kind, other = ("shared", same[0]) if same else ("own", others[0][1])
        yield message(f"story-counter-{kind}", name=name, other=other)


def _without_name(index: Index, facts: Facts, tensor: Tensor, geometry: Geometry | None) -> Message:
    storage = None if geometry is None else geometry.storage
    if storage is None or geometry is None:
        return message("story-made-bare")
    names = [name for each, name in named_on(index, storage, facts.until) if each != tensor.id]
    if names or storage not in facts.storages or index.tensors_on[storage][0] != tensor.id:
        return message("story-made-on", shape=shape_of(geometry), storage=f"S{storage}", other=names[0] if names else "none")
    if index.is_older(tensor):
        return message("story-made-earlier", shape=shape_of(geometry), storage=f"S{storage}")
    value = _made_with(index, facts, tensor, geometry)
    return message("story-made", shape=shape_of(geometry), storage=f"S{storage}", value=value or "none")


def _made_with(index: Index, facts: Facts, tensor: Tensor, geometry: Geometry) -> str | None:
    """The values of a Tensor at its creation, because the rest of the statement may have overwritten these values.

    For uninitialized memory, the values that later filled the memory.
    """
    if value_at(tensor.geometry, tensor.born) != geometry:
        return None
    if not index.is_uninitialised(tensor):
        return shown(index.trace, geometry, tensor.born)
    pieces = extent(geometry) or []
    writes = [write for write in facts.writes if write.storage == geometry.storage]
    is_filled = any(all(write.begin <= piece.start and piece.stop <= write.end for piece in pieces) for write in writes)
    return shown(index.trace, geometry, facts.until) if is_filled else None
