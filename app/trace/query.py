"""Asking a trace: what held at a moment, which bytes a Tensor looks at, which steps a viewer stops at.

    state = at(trace, step.id)              # after that step
    state.variables()["x"]                  # -> TensorId
    state.held()["lr"].text                 # -> "0.1"
    state.tensors[tensor_id].version        # -> int | Unknown | None
    state.saved_tensors[saved_id].state     # -> "current" | "overwritten" | "outdated" | "released"

A fact holds from its tick on, so every answer is a look-up (bisection), never a replay: jumping equals stepping.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from operator import attrgetter, itemgetter
from typing import Literal, TypeVar, assert_never

from app.trace.chunks import Trace
from app.trace.dtypes import itemsize
from app.trace.records import (
    Cells,
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
    Step,
    StepId,
    Storage,
    StorageId,
    Summary,
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
U = TypeVar("U")
Facts = Sequence[tuple[Tick, T]]
SavedTensorStatus = Literal["current", "overwritten", "outdated", "released"]

MODULE = FrameId(0)
MOST_ELEMENTS = 1 << 16
"""Of one Tensor, listed one by one: `expand` makes any number of few cells."""

END = Tick(2**53)
"""A tick after everything: the moment after a step that the run's end cut short."""


# --- facts ------------------------------------------------------------------------------------------------------------


def value_at(facts: Facts[T], tick: Tick, default: U | None = None) -> T | U | None:
    """The value that holds at `tick`: of the last entry not after it, or `default` before the first."""
    index = bisect_right(facts, tick, key=itemgetter(0))
    return facts[index - 1][1] if index else default


def previous_change(facts: Facts[T], tick: Tick) -> Tick | None:
    """When the value that holds at `tick` began to hold; None before the first entry."""
    index = bisect_right(facts, tick, key=itemgetter(0))
    return facts[index - 1][0] if index else None


def next_change(facts: Facts[T], tick: Tick) -> Tick | None:
    """The first tick after `tick` from which on another entry holds; None when there is none."""
    index = bisect_right(facts, tick, key=itemgetter(0))
    return facts[index][0] if index < len(facts) else None


# --- steps ------------------------------------------------------------------------------------------------------------


def statements(trace: Trace) -> list[Step]:
    """The statements in the order in which they ended, a statement cut by the run's end last: where a viewer stops.

    A function's statements come before the statement that called it, because the state "after" it is later.
    """
    return sorted((step for step in trace.steps if step.kind == "statement"), key=_end_of)


def statement_of(trace: Trace, step_id: StepId | None) -> Step | None:
    """The innermost statement that `step_id` belongs to (itself, if it is one): whose line to show."""
    while step_id is not None:
        step = trace.steps[step_id]
        if step.kind == "statement":
            return step
        step_id = step.parent
    return None


def children(trace: Trace) -> dict[StepId | None, list[Step]]:
    """The steps directly within each step, in order; under None the outermost ones."""
    found: dict[StepId | None, list[Step]] = {}
    for step in trace.steps:
        found.setdefault(step.parent, []).append(step)
    return found


def step_at(trace: Trace, tick: Tick) -> Step | None:
    """The innermost step under way at `tick`."""
    index = bisect_right(trace.steps, tick, key=attrgetter("began"))
    step = trace.steps[index - 1] if index else None
    while step is not None and _end_of(step) < tick:
        step = trace.steps[step.parent] if step.parent is not None else None
    return step


def _end_of(step: Step) -> Tick:
    return END if step.ended is None else step.ended


# --- the state at a moment --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TensorState:
    """A Tensor's facts at a moment. A fact not recorded by then is None, except `requires_grad`, which is False."""

    tensor: Tensor
    geometry: Geometry | None
    version_counter: VersionCounterId | Unknown | None
    version: int | Unknown | None
    """None: an inference tensor has none. Unknown: the counter, or its value, could not be seen."""
    requires_grad: bool
    is_leaf: bool | Unknown | None
    base: TensorId | None
    grad: TensorId | None
    grad_fn: GradFn | Unknown | None


@dataclass(frozen=True, slots=True)
class StorageState:
    """A Storage's facts at a moment; None where not recorded by then."""

    storage: Storage
    nbytes: int | None
    contents: Contents | None


@dataclass(frozen=True, slots=True)
class SavedTensorState:
    """Whether backward can still use a SavedTensor, and which Writes spoilt it.

    `state`, by what matters most: released (it is gone), outdated (torch will refuse it), overwritten (torch will use
    changed bytes and not notice), current.
    """

    saved_tensor: SavedTensor
    state: SavedTensorStatus
    outdated: WriteId | None
    overwritten: WriteId | None


class State:
    """Everything that holds at `tick`. Each table is built when first asked for, in time linear in that table."""

    def __init__(self, trace: Trace, tick: Tick) -> None:
        self.trace = trace
        self.tick = tick

    @cached_property
    def names(self) -> dict[NameId, TensorId]:
        """The names that reach a Tensor, and which."""
        reached = ((name.id, value_at(name.tensor, self.tick)) for name in self.trace.names)
        return {name: tensor for name, tensor in reached if tensor is not None}

    def variables(self, frame: FrameId = MODULE) -> dict[str, TensorId]:
        """The names of one frame by their path; frame 0 is the module."""
        names = self.trace.names
        return {names[name].path: tensor for name, tensor in self.names.items() if names[name].frame == frame}

    def held(self, frame: FrameId = MODULE) -> dict[str, Held]:
        """What the variables of one frame hold that are no Tensors."""
        values = (
            (variable.name, value_at(variable.value, self.tick)) for variable in self.trace.variables if variable.frame == frame
        )
        return {name: value for name, value in values if value is not None}

    @cached_property
    def names_of(self) -> dict[TensorId, list[str]]:
        """The paths by which each named Tensor is reached, in order of first sight."""
        paths: dict[TensorId, list[str]] = {}
        for name, tensor in self.names.items():
            paths.setdefault(tensor, []).append(self.trace.names[name].path)
        return paths

    @cached_property
    def tensors(self) -> dict[TensorId, TensorState]:
        """The Tensors alive."""
        return {t.id: self.tensor(t.id) for t in self.trace.tensors if self._lives(t.born, t.died)}

    def tensor(self, tensor_id: TensorId) -> TensorState:
        """The facts of one Tensor, alive or not (then: the last that were known)."""
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
            grad_fn=value_at(tensor.grad_fn, tick),
        )

    @cached_property
    def storages(self) -> dict[StorageId, StorageState]:
        """The Storages alive."""
        return {s.id: self.storage(s.id) for s in self.trace.storages if self._lives(s.born, s.freed)}

    def storage(self, storage_id: StorageId) -> StorageState:
        """The facts of one Storage, alive or not."""
        storage = self.trace.storages[storage_id]
        return StorageState(storage, value_at(storage.nbytes, self.tick), value_at(storage.contents, self.tick))

    def elements(self, tensor_id: TensorId) -> list[Value] | Unknown:
        """What a Tensor shows at `tick`, row-major: the elements of its Storage at its places, as it reads them."""
        geometry = value_at(self.trace.tensors[tensor_id].geometry, self.tick)
        if geometry is None or geometry.storage is None or geometry.stride is None or geometry.storage_offset is None:
            return Unknown(reason="Which bytes this Tensor looks at was not recorded.")
        if 0 in geometry.shape:
            return []
        contents = self.storage(geometry.storage).contents
        if isinstance(contents, Unknown):
            return contents
        if not isinstance(contents, Cells):
            return Unknown(reason="The cells of this Storage were not kept.")
        if contents.dtype != geometry.dtype:
            return Unknown(reason=f"The cells of this Storage were read as {contents.dtype}, not as {geometry.dtype}.")
        last = sum((count - 1) * stride for count, stride in zip(geometry.shape, geometry.stride, strict=True))
        if geometry.storage_offset + last >= len(contents.values) or prod(geometry.shape) > MOST_ELEMENTS:
            return Unknown(reason="This Tensor has more elements than its Storage has cells.")
        places: list[int] = [geometry.storage_offset]
        for count, stride in zip(geometry.shape, geometry.stride, strict=True):
            places = [place + index * stride for place in places for index in range(count)]
        return [_as_read(contents.values[place], geometry) for place in places]

    def shares_bytes(self, one: TensorId, other: TensorId) -> bool | None:
        """Whether two Tensors look at a common byte of memory; None when it cannot be said.

        Two Storages may lie over the same memory: `from_numpy` of one array twice, DLPack.
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
        return _in_common(looks[0], looks[1], self._address(looks[1].storage) - self._address(looks[0].storage))

    def _address(self, storage_id: StorageId) -> int:
        storage = self.trace.storages[storage_id]
        return int(value_at(storage.moved, self.tick, storage.address) or storage.address, 16)

    @cached_property
    def versions(self) -> dict[VersionCounterId, int | Unknown]:
        """What every counter seen so far shows."""
        shown = ((counter.id, value_at(counter.version, self.tick)) for counter in self.trace.version_counters)
        return {counter: version for counter, version in shown if version is not None}

    def version(self, counter: VersionCounterId) -> int | Unknown:
        """What one counter shows."""
        version = value_at(self.trace.version_counters[counter].version, self.tick)
        return Unknown(reason="The counter was not read by then.") if version is None else version

    @cached_property
    def nodes(self) -> dict[NodeId, Node]:
        """The Nodes alive."""
        return {node.id: node for node in self.trace.nodes if self._lives(node.born, node.freed)}

    @cached_property
    def saved_tensors(self) -> dict[SavedTensorId, SavedTensorState]:
        """Every SavedTensor seen so far, also those released."""
        seen = (saved for saved in self.trace.saved_tensors if saved.tick <= self.tick)
        return {saved.id: self.saved_tensor(saved.id) for saved in seen}

    def saved_tensor(self, saved_id: SavedTensorId) -> SavedTensorState:
        """The state of one SavedTensor."""
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
        """The Gradients that have travelled so far, in order."""
        return self._so_far(self.trace.gradients)

    @cached_property
    def outputs(self) -> list[Output]:
        """What was put out so far, in order, all streams."""
        return self._so_far(self.trace.outputs)

    def text(self, stream: Literal["stdout", "stderr", "warning"] = "stdout") -> str:
        """What one stream shows so far."""
        return "".join(output.text for output in self.outputs if output.stream == stream)

    def _so_far(self, events: list[T]) -> list[T]:
        key: Callable[[T], Tick] = attrgetter("tick")
        return events[: bisect_right(events, self.tick, key=key)]

    def _happened(self, tick: Tick | None) -> bool:
        return tick is not None and tick <= self.tick

    def _lives(self, born: Tick, died: Tick | None) -> bool:
        return born <= self.tick and not self._happened(died)


def at(trace: Trace, step_id: StepId) -> State:
    """The state after a step: at its end, or at the end of the run for a step cut in its middle."""
    return State(trace, _end_of(trace.steps[step_id]))


def _as_read(value: Value, geometry: Geometry) -> Value:
    """An element as the Tensor reads it: some views of complex Tensors conjugate or negate."""
    if isinstance(value, tuple):
        real, imaginary = value
        return (_negated(real) if geometry.is_neg else real), (
            _negated(imaginary) if geometry.is_conj != geometry.is_neg else imaginary
        )
    return _negated(value) if geometry.is_neg else value


def _negated(number: float | str) -> float | str:
    if isinstance(number, str):
        return {"inf": "-inf", "-inf": "inf"}.get(number, number)
    return -number


# --- NaN and infinity -------------------------------------------------------------------------------------------------


def holds_nonfinite(contents: Contents) -> bool | None:
    """Whether a NaN or an infinity is among these values; None when they were not read."""
    match contents:
        case Cells(values=values):
            parts = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
            return any(part in _NONFINITE for part in parts if isinstance(part, str))
        case Summary():
            return contents.nan_count + contents.inf_count > 0
        case Unknown():
            return None
        case _:
            assert_never(contents)


_NONFINITE = ("nan", "inf", "-inf")


def nonfinite_since(storage: Storage) -> Tick | None:
    """When a NaN or an infinity first stood in a Storage; None when none was seen there."""
    return next((tick for tick, contents in storage.contents if holds_nonfinite(contents)), None)


def first_nonfinite_gradient(trace: Trace) -> Gradient | None:
    """The first value on its way through backward that holds a NaN or an infinity: its `node` is where that was born."""
    return next((gradient for gradient in trace.gradients if holds_nonfinite(gradient.value)), None)


# --- bytes ------------------------------------------------------------------------------------------------------------


def extent(geometry: Geometry, most: int = 1 << 16) -> list[range] | None:
    """The bytes of its Storage that a Tensor looks at: ascending ranges that neither touch nor overlap.

    shape, stride and storage_offset are in elements; the result is in bytes. Empty when the Tensor has no elements. It may
    exceed the Storage: `untyped_storage().resize_(0)` is legal. None when it cannot be said: no strides (sparse), no Storage, a
    dtype of unknown size, or more than `most` pieces.
    """
    size = itemsize(geometry.dtype)
    if size is None or geometry.stride is None or geometry.storage_offset is None or geometry.storage is None:
        return None
    if 0 in geometry.shape:
        return []
    begin, run = geometry.storage_offset * size, size
    outer: list[tuple[int, int]] = []
    for count, stride in sorted(zip(geometry.shape, geometry.stride, strict=True), key=itemgetter(1)):
        if count > 1 and stride:
            if stride * size <= run and not outer:  # these steps touch or overlap: one longer run
                run += (count - 1) * stride * size
            else:
                outer.append((count, stride * size))
    begins = [begin]
    for count, step in outer:
        if len(begins) * count > most:
            return None
        begins = [start + index * step for start in begins for index in range(count)]
    return _joined(sorted(begins), run)


def hull(geometry: Geometry) -> range | None:
    """From the first to the last byte that a Tensor looks at; None when `extent` could not be said for want of facts."""
    size = itemsize(geometry.dtype)
    if size is None or geometry.stride is None or geometry.storage_offset is None or geometry.storage is None:
        return None
    if 0 in geometry.shape:
        return range(0)
    last = sum((count - 1) * stride for count, stride in zip(geometry.shape, geometry.stride, strict=True))
    return range(geometry.storage_offset * size, (geometry.storage_offset + last + 1) * size)


def shares_bytes(one: Geometry, other: Geometry) -> bool | None:
    """Whether two Tensors look at a common byte of one Storage; None when it cannot be said.

    Two Storages may lie over the same memory: `State.shares_bytes` knows.
    """
    if one.storage is None or other.storage is None:
        return None
    return one.storage == other.storage and _in_common(one, other, 0)


def _in_common(one: Geometry, other: Geometry, apart: int) -> bool | None:
    """Whether both look at a common byte when the other's Storage begins so many bytes behind the one's."""
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


def _joined(begins: list[int], run: int) -> list[range]:
    """Ranges of `run` bytes from each of the ascending `begins`, joined where they touch."""
    pieces: list[range] = []
    first = last = begins[0]
    for begin in begins[1:]:
        if begin > last + run:
            pieces.append(range(first, last + run))
            first = begin
        last = begin
    pieces.append(range(first, last + run))
    return pieces


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
