"""Looks for writes to memory that two names share, and for later reads through the other name."""

from collections.abc import Callable, Iterator
from itertools import islice

import msgspec

from app.explain.finding import Finding
from app.explain.reading.reading import Reading
from app.trace.overlap import reaches
from app.trace.query import END, end_of, events_after, value_at
from app.trace.records import FrameId, Geometry, Step, StorageId, TensorId, Tick, Write

MOST_WRITES = 100
"""Maximum number of writes that are searched for one that changed the shared bytes."""

MOST_SHARERS = 100
"""Maximum number of Tensors on one memory that are searched for the base of the written view."""


def changes(reading: Reading, geometry: Geometry | None, since: Tick, until: Tick = END) -> Iterator[Write]:
    """The writes after `since` and up to `until` that changed bytes of a Tensor with this geometry."""
    for write in islice(events_after(writes_to(reading.changing_writes, geometry), since, until), MOST_WRITES):
        if reaches(reading.trace, write, geometry):
            yield write


def writes_to(by_storage: dict[StorageId, list[Write]], geometry: Geometry | None) -> list[Write]:
    """The Writes to the Storage of this geometry, taken from a look-up table such as `reading.changing_writes`."""
    return [] if geometry is None or geometry.storage is None else by_storage.get(geometry.storage, [])


def written_through(reading: Reading, write: Write) -> TensorId | None:
    """The Tensor that a write went to; for a view, its base."""
    if write.tensor is None:
        return None
    base = reading.base_of(write.tensor)
    if write.version_counter is None or reading.trace.tensors[write.tensor].base:
        return base
    # If a view was freed before its base could be recorded, the version counter identifies the base.
    for other in islice(reading.tensors_on.get(write.storage, []), MOST_SHARERS):
        record, geometry = reading.trace.tensors[other], reading.geometry_at(other, write.tick)
        is_there = record.born <= write.tick and geometry is not None and geometry.storage == write.storage
        if is_there and value_at(record.version_counter, write.tick) == write.version_counter:
            return reading.base_of(other)
    return base


def names_in_write(reading: Reading, write: Write) -> dict[str, None] | None:
    """The variables in the statement that made a write; None if this statement is unknown."""
    statement = reading.statement_ran_by(write.step)
    return None if statement is None else reading.syntax.names_in(statement)


def without_silently_wrong(reading: Reading, findings: list[Finding]) -> list[Finding]:
    """Drops findings on the line of a silently wrong gradient, because the finding about the gradient has more details."""
    if not findings:
        return []
    lines = {finding.line for finding in reading.found_by("find_silently_wrong")}
    return [finding for finding in findings if finding.arguments["write_line"] not in lines]


def is_looked_at(reading: Reading, path: str, tensor: TensorId, maker: Step, tick: Tick) -> bool:
    """Whether a path that shares memory since `maker` still leads to `tensor` when it is read after `tick`, or at the end.

    The end counts only if `maker` ran once: a variable assigned in a loop has a value at the end even if nothing uses it.
    """
    return is_held(reading, path, maker, tick, lambda step: reading.named(path, step.frame, step.began) == tensor)


def is_held(reading: Reading, path: str, maker: Step, tick: Tick, holds: Callable[[Step], bool]) -> bool:
    """The same as `is_looked_at`, for any object.

    `holds(step)` tells whether the path still leads to the object when `step` begins.
    """
    variable = path.replace("[", ".").partition(".")[0]
    anew: set[FrameId | None] = set()
    for step in reading.readers(variable, tick):
        # Once a frame has assigned the variable, the variable no longer leads to the old value in this frame.
        if step.frame not in anew and holds(step):
            if not _is_given_anew(reading, variable, step, tick):
                return True
            anew.add(step.frame)
    return not reading.is_cut and reading.ran_once(maker) and holds(msgspec.structs.replace(maker, began=END))


def _is_given_anew(reading: Reading, variable: str, step: Step, tick: Tick) -> bool:
    """Whether a variable was assigned between `tick` and `step`, also if the next iteration of a loop assigned the same value."""
    definition = reading.defined_by(variable, step)
    return definition is not None and end_of(definition[1]) > tick
