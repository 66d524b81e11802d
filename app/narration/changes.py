"""What is told of tensors and storages that were there before: other memory, another size, whether grad is required."""

from collections.abc import Iterator

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.narration.phrases import called, label
from app.narration.tensors import named_on
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import StorageId, TensorId, Tick


def placed_elsewhere(index: Index, facts: Facts) -> Iterator[Message]:
    """Tensors that use another Storage since a statement, as after `.data =`."""
    for tensor, first in sorted(facts.placed.items()):
        old, new = (_storage(index, tensor, tick) for tick in (Tick(first - 1), facts.until))
        if old is None or new is None or old == new or not label(index, tensor, facts.until):
            continue
        left = [called(index, each, facts.until) for each, _ in named_on(index, old, facts.until)]
        yield message(
            "story-other-storage",
            name=called(index, tensor, facts.until),
            storage=f"S{new}",
            old=f"S{old}",
            count=len(left),
            names=left,
        )


def _storage(index: Index, tensor: TensorId, tick: Tick) -> StorageId | None:
    geometry = value_at(index.trace.tensors[tensor].geometry, tick)
    return None if geometry is None else geometry.storage


def requiring(index: Index, facts: Facts) -> Iterator[Message]:
    """Tensors that require grad where they did not, or the other way round."""
    for tensor, first in sorted(facts.required.items()):
        was, now = (index.requires_grad(tensor, tick) for tick in (Tick(first - 1), facts.until))
        if was != now and label(index, tensor, facts.until):
            told = "story-requires-grad" if now else "story-requires-no-grad"
            yield message(told, name=called(index, tensor, facts.until))
