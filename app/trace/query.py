"""Queries of a trace: the value of a fact at a tick, and the elements of a Tensor at a tick.

Every query is a bisection and replays no events. Therefore jumping to a step shows the same state as stepping to it.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import prod
from operator import attrgetter, itemgetter
from typing import Protocol, TypeVar, assert_never

from app.trace.chunks import Trace
from app.trace.records import (
    Cells,
    Contents,
    FrameId,
    Geometry,
    Gradient,
    Step,
    Summary,
    TensorId,
    Tick,
    Unknown,
    Value,
)

T = TypeVar("T")
U = TypeVar("U")
Facts = Sequence[tuple[Tick, T]]

MODULE = FrameId(0)
MOST_ELEMENTS = 1 << 16
"""Maximum number of elements that are listed for one Tensor: `expand` makes any number of elements from a few cells."""

END = Tick(2**53)
"""A tick that is later than all ticks of a trace. A step that the end of the run cut short ends at this tick."""


# --- facts ------------------------------------------------------------------------------------------------------------


def value_at(facts: Facts[T], tick: Tick, default: U | None = None) -> T | U | None:
    """Return the value at `tick`, from the last entry at or before `tick`; `default` before the first entry."""
    index = bisect_right(facts, tick, key=itemgetter(0))
    return facts[index - 1][1] if index else default


def next_change(facts: Facts[T], tick: Tick) -> Tick | None:
    """Return the tick of the first entry after `tick`; None if there is none."""
    index = bisect_right(facts, tick, key=itemgetter(0))
    return facts[index][0] if index < len(facts) else None


class _Event(Protocol):
    @property
    def tick(self) -> Tick: ...


E = TypeVar("E", bound=_Event)


def events_after(events: Sequence[E], tick: Tick, until: Tick = END) -> Iterator[E]:
    """Of ordered events, such as Writes, yield those whose tick is after `tick` and at most `until`."""
    for place in range(bisect_right(events, tick, key=attrgetter("tick")), len(events)):
        event = events[place]
        if event.tick > until:
            return
        yield event


def end_of(step: Step) -> Tick:
    """Return the tick at which a step ended; END if the end of the run cut the step."""
    return END if step.ended is None else step.ended


# --- the elements of a Tensor -----------------------------------------------------------------------------------------


def elements(trace: Trace, tensor_id: TensorId, tick: Tick) -> list[Value] | Unknown:
    """Return the elements of a Tensor at a tick in row-major order."""
    geometry = value_at(trace.tensors[tensor_id].geometry, tick)
    return Unknown(reason=_NO_PLACES) if geometry is None else read(trace, geometry, tick)


_NO_PLACES = "Which bytes this Tensor reads was not recorded."


def read(trace: Trace, geometry: Geometry, tick: Tick) -> list[Value] | Unknown:
    """Return the elements of a Tensor with this geometry at a tick in row-major order."""
    if geometry.storage is None or geometry.stride is None or geometry.storage_offset is None:
        return Unknown(reason=_NO_PLACES)
    if 0 in geometry.shape:
        return []
    contents = value_at(trace.storages[geometry.storage].contents, tick)
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


def _as_read(value: Value, geometry: Geometry) -> Value:
    """Return an element as the Tensor reads it: some views of complex Tensors conjugate or negate their elements."""
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
    """Whether a NaN or an infinity is among these values; None if the values are unknown."""
    match contents:
        case Cells(values=values):
            return any(map(is_nonfinite, values))
        case Summary():
            return contents.nan_count + contents.inf_count > 0
        case Unknown():
            return None
        case _:
            assert_never(contents)


def is_nonfinite(value: Value) -> bool:
    """Whether an element is a NaN or an infinity, or a complex number with such a part."""
    return any(part in _NONFINITE for part in (value if isinstance(value, tuple) else (value,)) if isinstance(part, str))


_NONFINITE = ("nan", "inf", "-inf")


def first_nonfinite_gradient(trace: Trace) -> Gradient | None:
    """Return the first Gradient with a NaN or an infinity. The `node` of this Gradient is the Node that computed it."""
    return next((gradient for gradient in trace.gradients if holds_nonfinite(gradient.value)), None)
