"""Sentences about the value of an expression statement, which an interactive Python would print."""

from collections.abc import Iterator

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.narration.phrases import label
from app.narration.tensors import named_on
from app.narration.values import shape_of, shown
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import TensorId, Tick

_TOLD = ("value", "collection")
"""The kinds of values that the sentence shows.

For other kinds Python would call the program's `__repr__`, which Stepgrad does not run.
"""


def unnamed_result(facts: Facts) -> TensorId | None:
    """The unnamed result that a statement created, or None.

    Then one sentence describes both the new tensor and the value of the statement.
    """
    result = None if facts.step is None else facts.step.result
    return next((tensor.id for tensor in facts.tensors if tensor.id == result), None)


def result(index: Index, facts: Facts) -> Iterator[Message]:
    """The value of an expression statement.

    If the statement changed the tensor, a sentence about the change replaces the sentence about the value.
    """
    found = None if facts.step is None else facts.step.result
    if found is None:
        return
    if not isinstance(found, int):
        if found.kind in _TOLD and found.text is not None:
            yield message("story-result-value", text=found.text)
    elif not _is_changed(index, facts, found):
        yield _tensor(index, found, facts.until)


def _is_changed(index: Index, facts: Facts, tensor: TensorId) -> bool:
    geometry = value_at(index.trace.tensors[tensor].geometry, facts.until)
    storage = None if geometry is None else geometry.storage
    is_new = any(made.id == tensor for made in facts.tensors)
    is_written = storage is not None and any(write.storage == storage for write in facts.writes)
    return not is_new and (is_written or tensor in facts.required or tensor in facts.placed)


def _tensor(index: Index, tensor: TensorId, tick: Tick) -> Message:
    geometry = value_at(index.trace.tensors[tensor].geometry, tick)
    storage = None if geometry is None else geometry.storage
    value = None if geometry is None else shown(index.trace, geometry, tick)
    name = label(index, tensor, tick)
    if name:
        return message("story-result-named", name=name, value=value or "none")
    shape = shape_of(geometry)
    if storage is None:
        return message("story-result-bare", shape=shape, value=value or "none")
    other = next((text for each, text in named_on(index, storage, tick) if each != tensor), "none")
    return message("story-result-tensor", shape=shape, storage=f"S{storage}", other=other, value=value or "none")
