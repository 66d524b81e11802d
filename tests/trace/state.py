"""The state of a trace at a moment, for comparing a recording with torch or with a replay.

    state = at(trace, step.id)              # after that step
    state.variables()["x"]                  # -> TensorId
    state.held()["lr"].text                 # -> "0.1"
    state.tensors[tensor_id].version        # -> int | Unknown | None
    state.saved_tensors[saved_id].state     # -> "current" | "overwritten" | "outdated" | "released"

A fact is valid from its tick on, so every result is a look-up by bisection, never a replay: jumping equals stepping.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Literal, TypeVar

from app.trace.chunks import Trace
from app.trace.overlap import extent, hull
from app.trace.query import MODULE, elements, end_of, holds_nonfinite, value_at
from app.trace.records import (
    Contents,
    FrameId,
    Geometry,
    GradFn,
    Gradient,
    Held,
    NameId,
    Node,
    NodeId,
    Output,
    SavedTensor,
    SavedTensorId,
    StepId,
    Storage,
    StorageId,
    Tensor,
    TensorId,
    Tick,
    Unknown,
    Value,
    VersionCounterId,
    Write,
    WriteId,
)

T = TypeVar("T")
SavedTensorStatus = Literal["current", "overwritten", "outdated", "released"]


@dataclass(frozen=True, slots=True)
class TensorState:
    """A Tensor's facts at a moment. A fact not recorded by then is None, except `requires_grad`, which is False."""

    tensor: Tensor
    geometry: Geometry | None
    version_counter: VersionCounterId | Unknown | None
    version: int | Unknown | None
    """None for an inference tensor, which has no counter. Unknown if the counter, or its value, could not be observed."""
    requires_grad: bool
    is_leaf: bool | Unknown | None
    base: TensorId | None
    grad: TensorId | None
    tangent: TensorId | None
    grad_fn: GradFn | Unknown | None


@dataclass(frozen=True, slots=True)
class StorageState:
    """A Storage's facts at a moment; None if not recorded by then."""

    storage: Storage
    nbytes: int | None
    contents: Contents | None


@dataclass(frozen=True, slots=True)
class SavedTensorState:
    """Whether backward can still use a SavedTensor, and which Writes made it stale.

    `state`, with the first that applies: released (it was freed), outdated (torch will refuse it), overwritten (torch will use
    changed bytes without noticing), current.
    """

    saved_tensor: SavedTensor
    state: SavedTensorStatus
    outdated: WriteId | None
    overwritten: WriteId | None


class State:
    """The state at `tick`. Each table is built on first use, in time linear in that table."""

    def __init__(self, trace: Trace, tick: Tick) -> None:
        self.trace = trace
        self.tick = tick

    @cached_property
    def names(self) -> dict[NameId, TensorId]:
        """The names that reach a Tensor, with its id."""
        reached = ((name.id, value_at(name.tensor, self.tick)) for name in self.trace.names)
        return {name: tensor for name, tensor in reached if tensor is not None}

    def variables(self, frame: FrameId = MODULE) -> dict[str, TensorId]:
        """Return the names of a frame by their path; frame 0 is the module."""
        names = self.trace.names
        return {names[name].path: tensor for name, tensor in self.names.items() if names[name].frame == frame}

    def held(self, frame: FrameId = MODULE) -> dict[str, Held]:
        """Return the values of a frame's variables that are not Tensors."""
        values = (
            (variable.name, value_at(variable.value, self.tick)) for variable in self.trace.variables if variable.frame == frame
        )
        return {name: value for name, value in values if value is not None}

    @cached_property
    def names_of(self) -> dict[TensorId, list[str]]:
        """The paths of each named Tensor, in the order in which they were first seen."""
        paths: dict[TensorId, list[str]] = {}
        for name, tensor in self.names.items():
            paths.setdefault(tensor, []).append(self.trace.names[name].path)
        return paths

    @cached_property
    def tensors(self) -> dict[TensorId, TensorState]:
        """The live Tensors."""
        return {t.id: self.tensor(t.id) for t in self.trace.tensors if self._lives(t.born, t.died)}

    def tensor(self, tensor_id: TensorId) -> TensorState:
        """Return the facts of a Tensor, live or not. For a dead Tensor, return the last known facts."""
        tensor, tick = self.trace.tensors[tensor_id], self.tick
        counter = value_at(tensor.version_counter, tick)
        return TensorState(
            tensor=tensor,
            geometry=value_at(tensor.geometry, tick),
            version_counter=counter,
            version=self.version(counter) if isinstance(counter, int) else counter,
            requires_grad=value_at(tensor.requires_grad, tick) or False,
            is_leaf=value_at(tensor.is_leaf, tick),
            base=value_at(tensor.base, tick),
            grad=value_at(tensor.grad, tick),
            tangent=value_at(tensor.tangent, tick),
            grad_fn=value_at(tensor.grad_fn, tick),
        )

    @cached_property
    def storages(self) -> dict[StorageId, StorageState]:
        """The live Storages."""
        return {s.id: self.storage(s.id) for s in self.trace.storages if self._lives(s.born, s.freed)}

    def storage(self, storage_id: StorageId) -> StorageState:
        """Return the facts of a Storage, live or not."""
        storage = self.trace.storages[storage_id]
        return StorageState(storage, value_at(storage.nbytes, self.tick), value_at(storage.contents, self.tick))

    def elements(self, tensor_id: TensorId) -> list[Value] | Unknown:
        """Return the elements of a Tensor at `tick`, in row-major order."""
        return elements(self.trace, tensor_id, self.tick)

    def shares_bytes(self, one: TensorId, other: TensorId) -> bool | None:
        """Whether two Tensors share a byte of memory; None if that is unknown.

        Two Storages may use the same memory: `from_numpy` of one array twice, DLPack.
        """
        looks = value_at(self.trace.tensors[one].geometry, self.tick), value_at(self.trace.tensors[other].geometry, self.tick)
        if looks[0] is None or looks[1] is None or looks[0].storage is None or looks[1].storage is None:
            return None
        if looks[0].storage == looks[1].storage:
            return shares_bytes(looks[0], looks[1])
        if looks[0].storage not in self.storages or looks[1].storage not in self.storages:
            return None
        if looks[0].device != looks[1].device:
            return False
        return _overlap(looks[0], looks[1], self._address(looks[1].storage) - self._address(looks[0].storage))

    def _address(self, storage_id: StorageId) -> int:
        storage = self.trace.storages[storage_id]
        return int(value_at(storage.moved, self.tick, storage.address) or storage.address, 16)

    @cached_property
    def versions(self) -> dict[VersionCounterId, int | Unknown]:
        """The value of every version counter seen so far."""
        shown = ((counter.id, value_at(counter.version, self.tick)) for counter in self.trace.version_counters)
        return {counter: version for counter, version in shown if version is not None}

    def version(self, counter: VersionCounterId) -> int | Unknown:
        """Return the value of a version counter."""
        version = value_at(self.trace.version_counters[counter].version, self.tick)
        return Unknown(reason="The counter was not read by then.") if version is None else version

    @cached_property
    def nodes(self) -> dict[NodeId, Node]:
        """The live Nodes."""
        return {node.id: node for node in self.trace.nodes if self._lives(node.born, node.freed)}

    @cached_property
    def saved_tensors(self) -> dict[SavedTensorId, SavedTensorState]:
        """Every SavedTensor seen so far, including released ones."""
        seen = (saved for saved in self.trace.saved_tensors if saved.tick <= self.tick)
        return {saved.id: self.saved_tensor(saved.id) for saved in seen}

    def saved_tensor(self, saved_id: SavedTensorId) -> SavedTensorState:
        """Return the state of a SavedTensor."""
        saved = self.trace.saved_tensors[saved_id]
        outdated, overwritten = value_at(saved.outdated, self.tick), value_at(saved.overwritten, self.tick)
        state: SavedTensorStatus = "current"
        if overwritten is not None:
            state = "overwritten"
        if outdated is not None:
            state = "outdated"
        if self._happened(saved.released) or self._happened(self.trace.nodes[saved.node].freed):
            state = "released"
        return SavedTensorState(saved, state, outdated, overwritten)

    @cached_property
    def writes(self) -> list[Write]:
        """The Writes so far, in order."""
        return self._so_far(self.trace.writes)

    @cached_property
    def gradients(self) -> list[Gradient]:
        """The Gradients so far, in order."""
        return self._so_far(self.trace.gradients)

    @cached_property
    def outputs(self) -> list[Output]:
        """All output so far, in order, of all streams."""
        return self._so_far(self.trace.outputs)

    def text(self, stream: Literal["stdout", "stderr", "warning"] = "stdout") -> str:
        """Return the text of a stream so far."""
        return "".join(output.text for output in self.outputs if output.stream == stream)

    def _so_far(self, events: list[T]) -> list[T]:
        key: Callable[[T], Tick] = attrgetter("tick")
        return events[: bisect_right(events, self.tick, key=key)]

    def _happened(self, tick: Tick | None) -> bool:
        return tick is not None and tick <= self.tick

    def _lives(self, born: Tick, died: Tick | None) -> bool:
        return born <= self.tick and not self._happened(died)


def at(trace: Trace, step_id: StepId) -> State:
    """Return the state at the end of a step, or at the end of the run if the step was cut."""
    return State(trace, end_of(trace.steps[step_id]))


def nonfinite_since(storage: Storage) -> Tick | None:
    """Return the tick at which a NaN or an infinity first occurred in a Storage; None if there was none."""
    return next((tick for tick, contents in storage.contents if holds_nonfinite(contents)), None)


def shares_bytes(one: Geometry, other: Geometry) -> bool | None:
    """Whether two Tensors share a byte of one Storage; None if that is unknown.

    Two Storages may use the same memory, which `State.shares_bytes` takes into account.
    """
    if one.storage is None or other.storage is None:
        return None
    return one.storage == other.storage and _overlap(one, other, 0)


def _overlap(one: Geometry, other: Geometry, apart: int) -> bool | None:
    """Whether two layouts share a byte if the Storage of `other` begins `apart` bytes after the other Storage."""
    hulls = hull(one), hull(other)
    if hulls[0] is None or hulls[1] is None:
        return None
    if not _meet([hulls[0]], _behind([hulls[1]], apart)):
        return False
    extents = extent(one), extent(other)
    if extents[0] is None or extents[1] is None:
        return None
    return _meet(extents[0], _behind(extents[1], apart))


def _behind(pieces: list[range], apart: int) -> list[range]:
    return [range(piece.start + apart, piece.stop + apart) for piece in pieces] if apart else pieces


def _meet(these: list[range], those: list[range]) -> bool:
    """Whether two ascending lists of ranges have a common number."""
    i = j = 0
    while i < len(these) and j < len(those):
        if max(these[i].start, those[j].start) < min(these[i].stop, those[j].stop):
            return True
        if these[i].stop <= those[j].stop:
            i += 1
        else:
            j += 1
    return False
