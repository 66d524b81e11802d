"""Compute the state of a trace after a step, so that tests can compare a recording with torch.

    state = at(trace, step.id)
    state.variables()["x"]                  # -> TensorId
    state.held()["lr"].text                 # -> "0.1"
    state.tensors[tensor_id].version        # -> int | Unknown | None
    state.saved_tensors[saved_id].state     # -> "current" | "overwritten" | "outdated" | "released"

Values are looked up by bisection, without replaying the trace.
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
    tensor: Tensor
    geometry: Geometry | None
    version_counter: VersionCounterId | Unknown | None
    version: int | Unknown | None
    """The tensor's `_version`. None for an inference tensor, which has no counter. Unknown if the recorder could not read it."""
    requires_grad: bool
    is_leaf: bool | Unknown | None
    base: TensorId | None
    grad: TensorId | None
    tangent: TensorId | None
    grad_fn: GradFn | Unknown | None


@dataclass(frozen=True, slots=True)
class StorageState:
    storage: Storage
    nbytes: int | None
    contents: Contents | None


@dataclass(frozen=True, slots=True)
class SavedTensorState:
    """Whether backward can still use a saved tensor.

    `state` is "released" if the saved tensor was freed, "outdated" if torch would raise an error, "overwritten" if torch
    would use changed values without an error, and "current" otherwise. `outdated` and `overwritten` are the ids of the writes
    that caused the state.
    """

    saved_tensor: SavedTensor
    state: SavedTensorStatus
    outdated: WriteId | None
    overwritten: WriteId | None


class State:
    """The state of a trace at `tick`."""

    def __init__(self, trace: Trace, tick: Tick) -> None:
        self.trace = trace
        self.tick = tick

    @cached_property
    def names(self) -> dict[NameId, TensorId]:
        """The names that refer to a Tensor at this tick, with the Tensor's id."""
        reached = ((name.id, value_at(name.tensor, self.tick)) for name in self.trace.names)
        return {name: tensor for name, tensor in reached if tensor is not None}

    def variables(self, frame: FrameId = MODULE) -> dict[str, TensorId]:
        """Return the Tensors that the variables of a function call refer to. `MODULE` stands for the module's variables."""
        names = self.trace.names
        return {names[name].path: tensor for name, tensor in self.names.items() if names[name].frame == frame}

    def held(self, frame: FrameId = MODULE) -> dict[str, Held]:
        """Return the values of variables that are not Tensors."""
        values = (
            (variable.name, value_at(variable.value, self.tick)) for variable in self.trace.variables if variable.frame == frame
        )
        return {name: value for name, value in values if value is not None}

    @cached_property
    def names_of(self) -> dict[TensorId, list[str]]:
        paths: dict[TensorId, list[str]] = {}
        for name, tensor in self.names.items():
            paths.setdefault(tensor, []).append(self.trace.names[name].path)
        return paths

    @cached_property
    def tensors(self) -> dict[TensorId, TensorState]:
        return {t.id: self.tensor(t.id) for t in self.trace.tensors if self._lives(t.born, t.died)}

    def tensor(self, tensor_id: TensorId) -> TensorState:
        """Return the facts of a Tensor. After the Tensor was freed, return the last known facts."""
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
        return {s.id: self.storage(s.id) for s in self.trace.storages if self._lives(s.born, s.freed)}

    def storage(self, storage_id: StorageId) -> StorageState:
        storage = self.trace.storages[storage_id]
        return StorageState(storage, value_at(storage.nbytes, self.tick), value_at(storage.contents, self.tick))

    def elements(self, tensor_id: TensorId) -> list[Value] | Unknown:
        """Return the elements in row-major order."""
        return elements(self.trace, tensor_id, self.tick)

    def shares_bytes(self, one: TensorId, other: TensorId) -> bool | None:
        """Whether two Tensors share a byte of memory; None if unknown.

        Tensors with different Storages can share memory, for example after two calls of `from_numpy` with one array.
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
        shown = ((counter.id, value_at(counter.version, self.tick)) for counter in self.trace.version_counters)
        return {counter: version for counter, version in shown if version is not None}

    def version(self, counter: VersionCounterId) -> int | Unknown:
        version = value_at(self.trace.version_counters[counter].version, self.tick)
        return Unknown(reason="The counter was not read by then.") if version is None else version

    @cached_property
    def nodes(self) -> dict[NodeId, Node]:
        return {node.id: node for node in self.trace.nodes if self._lives(node.born, node.freed)}

    @cached_property
    def saved_tensors(self) -> dict[SavedTensorId, SavedTensorState]:
        """All saved tensors up to this tick, including released ones."""
        seen = (saved for saved in self.trace.saved_tensors if saved.tick <= self.tick)
        return {saved.id: self.saved_tensor(saved.id) for saved in seen}

    def saved_tensor(self, saved_id: SavedTensorId) -> SavedTensorState:
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
        return self._so_far(self.trace.writes)

    @cached_property
    def gradients(self) -> list[Gradient]:
        return self._so_far(self.trace.gradients)

    @cached_property
    def outputs(self) -> list[Output]:
        """The output of all streams up to this tick."""
        return self._so_far(self.trace.outputs)

    def text(self, stream: Literal["stdout", "stderr", "warning"] = "stdout") -> str:
        """Return what was printed to a stream up to this tick."""
        return "".join(output.text for output in self.outputs if output.stream == stream)

    def _so_far(self, events: list[T]) -> list[T]:
        key: Callable[[T], Tick] = attrgetter("tick")
        return events[: bisect_right(events, self.tick, key=key)]

    def _happened(self, tick: Tick | None) -> bool:
        return tick is not None and tick <= self.tick

    def _lives(self, born: Tick, died: Tick | None) -> bool:
        return born <= self.tick and not self._happened(died)


def at(trace: Trace, step_id: StepId) -> State:
    """Return the state at the end of a step. If the step did not end, return the state at the end of the run."""
    return State(trace, end_of(trace.steps[step_id]))


def nonfinite_since(storage: Storage) -> Tick | None:
    """Return the tick at which a Storage first contained NaN or infinity; None if it never did."""
    return next((tick for tick, contents in storage.contents if holds_nonfinite(contents)), None)


def shares_bytes(one: Geometry, other: Geometry) -> bool | None:
    """Whether two Tensors have the same Storage and share a byte of it; None if unknown.

    `State.shares_bytes` also compares different Storages.
    """
    if one.storage is None or other.storage is None:
        return None
    return one.storage == other.storage and _overlap(one, other, 0)


def _overlap(one: Geometry, other: Geometry, apart: int) -> bool | None:
    """Whether two layouts share a byte. The Storage of `other` begins `apart` bytes after the Storage of `one`."""
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
    """Whether two sorted lists of ranges overlap."""
    i = j = 0
    while i < len(these) and j < len(those):
        if max(these[i].start, those[j].start) < min(these[i].stop, those[j].stop):
            return True
        if these[i].stop <= those[j].stop:
            i += 1
        else:
            j += 1
    return False
