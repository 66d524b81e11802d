"""Sentences about changed tensors and storages: a new storage, a new size, a new requires_grad, a tangent."""

from collections.abc import Iterator

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.narration.phrases import called, label
from app.narration.tensors import named_on
from app.narration.values import byte_size, shape_of, shown
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import StorageId, TensorId, Tick


def placed_elsewhere(index: Index, facts: Facts) -> Iterator[Message]:
    """Sentences about Tensors that a statement moved to another Storage, for example by `.data =`."""
    made = {tensor.id for tensor in facts.tensors}
    for tensor, first in sorted(facts.placed.items()):
        old, new = (_storage(index, tensor, tick) for tick in (Tick(first - 1), facts.until))
        if tensor in made or old is None or new is None or old == new or not label(index, tensor, facts.until):
            continue
        left = [
            called(index, each, facts.until)
            for each, _ in named_on(index, old, facts.until)
            if each not in facts.placed or _storage(index, each, Tick(facts.placed[each] - 1)) == old
        ]
        yield message(
            "story-other-storage",
            name=called(index, tensor, facts.until),
            storage=f"S{new}",
            old=f"S{old}",
            count=len(left),
            names=left,
        )


def resized(index: Index, facts: Facts) -> Iterator[Message]:
    """Yield a sentence for each existing Storage with named Tensors that a statement resized."""
    for storage, first in sorted(facts.resized.items()):
        sizes = index.trace.storages[storage].nbytes
        old, new = value_at(sizes, Tick(first - 1)) or 0, value_at(sizes, facts.until) or 0
        if storage not in facts.storages and old != new and named_on(index, storage, facts.until):
            told = "story-emptied" if new == 0 else "story-resized"
            yield message(told, storage=f"S{storage}", **{"from": byte_size(old) if old else "none", "to": byte_size(new)})


def _storage(index: Index, tensor: TensorId, tick: Tick) -> StorageId | None:
    geometry = value_at(index.trace.tensors[tensor].geometry, tick)
    return None if geometry is None else geometry.storage


def requiring(index: Index, facts: Facts) -> Iterator[Message]:
    """Sentences about Tensors whose `requires_grad` a statement changed."""
    for tensor, first in sorted(facts.required.items()):
        was, now = (index.requires_grad(tensor, tick) for tick in (Tick(first - 1), facts.until))
        if was != now and label(index, tensor, facts.until):
            told = "story-requires-grad" if now else "story-requires-no-grad"
            yield message(told, name=called(index, tensor, facts.until))


def carrying(index: Index, facts: Facts) -> Iterator[Message]:
    """Sentences about Tensors that got a tangent (forward-mode differentiation) in a statement."""
    for tensor, since in sorted(facts.carried.items()):
        tangent = value_at(index.trace.tensors[tensor].tangent, since)
        geometry = None if tangent is None else value_at(index.trace.tensors[tangent].geometry, facts.until)
        if geometry is not None and label(index, tensor, facts.until):
            value = shown(index.trace, geometry, facts.until) or "none"
            name = called(index, tensor, facts.until)
            yield message("story-tangent", name=name, value=value, shape=shape_of(geometry))
