"""Where two runs of one snippet first differ, step by step and value by value."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter
from typing import Any

import msgspec

from app.trace.chunks import Trace
from app.trace.dtypes import itemsize
from app.trace.query import END, hull
from app.trace.records import Cells, Contents, Geometry, Held, Step, StepId, StorageId, Tensor, TensorId, Tick

Line = list[tuple[int, Any]]
"""What held of one thing, by beat: the last value of each beat in which something was recorded."""

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
"""In a text: where something lies, which is another place in every run, and says nothing about what the run computes."""

MOST_COMPARED = 1_000_000
"""Facts about contents that are compared. Where there are more, the runs count as different from the start."""

_UNWRITTEN = ("aten::empty", "aten::new_empty", "aten::resize_", "aten::set_")
"""Operators that give bytes as they find them."""


class Course:
    """A run as a row of beats: its steps, but for the operators that a backward runs, which depend on who else holds a tensor."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.node_around: list[StepId | None] = []
        """By step, the innermost Node's step that it belongs to; itself, if it is one."""
        self.beats: list[Step] = []
        self._number: dict[StepId, int] = {}
        for step in trace.steps:
            around = None if step.parent is None else self.node_around[step.parent]
            self.node_around.append(step.id if step.kind == "node" else around)
            if step.kind != "operator" or around is None:
                self._number[step.id] = len(self.beats)
                self.beats.append(step)
        self._began = [step.began for step in self.beats]

    def beat(self, tick: Tick) -> int:
        """In which beat a tick lies."""
        return bisect_right(self._began, tick) - 1

    def step(self, beat: int) -> tuple[Any, ...]:
        """What two runs must have in common to be at the same step."""
        step = self.beats[beat]
        name = None if step.node is None else self.trace.nodes[step.node].name
        parent = None if step.parent is None else self._number.get(step.parent)
        modes = (step.grad_enabled, step.inference, step.autocast, step.autocast_dtype, step.anomaly, step.saved_tensors_hooks)
        message = None if step.message is None else _without_addresses(step.message)
        return step.kind, step.name, name, step.span, step.frame, parent, message, step.ended is None, modes

    def line(self, facts: Iterable[tuple[Tick, Any]]) -> Line:
        """Facts by beat."""
        found: dict[int, Any] = {}
        for tick, value in facts:
            found[self.beat(tick)] = value
        return list(found.items())


def first_difference(one: Course, other: Course) -> int | None:
    """The first beat in which the runs differ; None when they are the same to the end.

    Not compared is what depends on what is saved where: how long tensors and Nodes live, where they lie, what hangs on a counter.
    """
    return min(_differences(one, other), default=None)


def _differences(one: Course, other: Course) -> Iterator[int]:
    together = min(len(one.beats), len(other.beats))
    steps = (beat for beat in range(together) if one.step(beat) != other.step(beat))
    if (beat := next(steps, None)) is not None:
        yield beat
    elif len(one.beats) != len(other.beats) or type(one.trace.ended) is not type(other.trace.ended):
        yield together
    these, those = _things(one), _things(other)
    for key in these.keys() | those.keys():
        yield from _apart(these.get(key, []), those.get(key, []))
    yield from _Pairs(one, other).differences()


def _things(course: Course) -> dict[tuple[Any, ...], Line]:
    """What can be told of a run by name or in its order: what was printed, which gradients travelled, what variables held."""
    trace = course.trace
    found: dict[tuple[Any, ...], Line] = {}
    printed: dict[str, dict[int, str]] = defaultdict(dict)
    for output in trace.outputs:
        beats = printed[output.stream]
        beat = course.beat(output.tick)
        beats[beat] = beats.get(beat, "") + _without_addresses(output.text)
    found.update({("output", stream): list(beats.items()) for stream, beats in printed.items()})
    found["gradients",] = [
        (course.beat(gradient.tick), (gradient.edge, gradient.input_nr, gradient.shape, gradient.value))
        for gradient in trace.gradients
    ]
    for variable in trace.variables:
        facts = ((tick, _at_no_place(held)) for tick, held in variable.value)
        found["variable", variable.frame, variable.name] = course.line(facts)
    for name in trace.names:
        found["name", name.frame, name.path] = course.line((tick, tensor is not None) for tick, tensor in name.tensor)
    return found


class _Pairs:
    """The Tensors that the runs have in common: by the step that made them, by their names, and as gradients of such."""

    def __init__(self, one: Course, other: Course) -> None:
        self._one, self._other = one, other
        self._waiting: list[tuple[TensorId, TensorId]] = []
        self._tensors: set[tuple[TensorId, TensorId]] = set()
        self._looks: set[tuple[object, ...]] = set()
        self._left = MOST_COMPARED

    def differences(self) -> Iterator[int]:
        these, those = _made(self._one), _made(self._other)
        for beat in these.keys() & those.keys():
            # What nothing holds but what was saved is not seen in a run where a copy was.
            if len(these[beat]) == len(those[beat]):
                self._waiting.extend(zip(these[beat], those[beat], strict=True))
        names = {(name.frame, name.path): name for name in self._other.trace.names}
        for name in self._one.trace.names:
            if (there := names.get((name.frame, name.path))) is not None:
                self._meet(name.tensor, there.tensor)
        while self._waiting:
            pair = self._waiting.pop()
            if pair not in self._tensors:
                self._tensors.add(pair)
                yield from self._compare(self._one.trace.tensors[pair[0]], self._other.trace.tensors[pair[1]])

    def _meet(self, facts: Sequence[tuple[Tick, TensorId | None]], others: Sequence[tuple[Tick, TensorId | None]]) -> None:
        for (_, tensor), (_, there) in zip(facts, others, strict=False):
            if tensor is not None and there is not None:
                self._waiting.append((tensor, there))

    def _compare(self, tensor: Tensor, there: Tensor) -> Iterator[int]:
        self._meet(tensor.grad, there.grad)
        if tensor.type != there.type:
            yield max(self._one.beat(tensor.born), self._other.beat(there.born))
        for facts, others in (
            (_without_storage(tensor.geometry), _without_storage(there.geometry)),
            (tensor.requires_grad, there.requires_grad),
            (tensor.is_leaf, there.is_leaf),
            (_is_there(tensor.grad), _is_there(there.grad)),
        ):
            yield from _apart_since_both(self._one.line(facts), self._other.line(others))
        for seen, seen_there in zip(_looks(self._one, tensor), _looks(self._other, there), strict=False):
            look = (seen.storage, seen_there.storage, seen.bytes, seen.since, seen.until)
            if look not in self._looks:
                self._looks.add(look)
                self._left -= len(self._one.trace.storages[seen.storage].contents)
                yield from _apart_since_both(_shown(self._one, seen), _shown(self._other, seen_there))
                if self._left < 0:
                    yield 0


@dataclass(frozen=True, slots=True)
class _Look:
    """For a while a Tensor looks at these bytes of a Storage."""

    storage: StorageId
    bytes: range | None
    since: Tick
    until: Tick


def _looks(course: Course, tensor: Tensor) -> Iterator[_Look]:
    ends = [tick for tick, _ in tensor.geometry[1:]]
    for (tick, geometry), until in zip(tensor.geometry, [*ends, END], strict=True):
        if geometry.storage is not None:
            yield _Look(geometry.storage, hull(geometry), tick, until)


def _shown(course: Course, look: _Look) -> Line:
    """What lay in those bytes, by beat, but for what happened to lie there before anybody wrote."""
    facts = course.trace.storages[look.storage].contents
    begin = bisect_right(facts, look.since, key=itemgetter(0))
    end = bisect_left(facts, look.until, key=itemgetter(0))
    shown = [(max(tick, look.since), _part(value, look.bytes)) for tick, value in facts[max(0, begin - 1) : end]]
    return [(beat, value) for beat, value in course.line(shown) if not (course.beats[beat].name or "").startswith(_UNWRITTEN)]


def _part(contents: Contents, span: range | None) -> Contents:
    """The elements that lie in these bytes; all of them where that cannot be told."""
    size = itemsize(contents.dtype) if isinstance(contents, Cells) else None
    if not size or span is None or not isinstance(contents, Cells):
        return contents
    values = contents.values[span.start // size : -(-span.stop // size)]
    return Cells(dtype=contents.dtype, values=values)


def _made(course: Course) -> dict[int, list[TensorId]]:
    """By beat, the Tensors first seen there; what a backward makes on its way is told by the gradients."""
    found: dict[int, list[TensorId]] = defaultdict(list)
    for tensor in course.trace.tensors:
        if tensor.made_by is None or course.node_around[tensor.made_by] is None:
            found[course.beat(tensor.born)].append(tensor.id)
    return found


def _apart(line: Line, other: Line) -> Iterator[int]:
    """The first beat in which two lines differ."""
    for entry, entry_there in zip_longest(line, other):
        if entry != entry_there:
            yield min(each[0] for each in (entry, entry_there) if each is not None)
            return


def _apart_since_both(line: Line, other: Line) -> Iterator[int]:
    """The same from when both tell something; that a value was told again is no difference."""
    if line and other:
        since = max(line[0][0], other[0][0])
        yield from _apart(_changes(line, since), _changes(other, since))


def _changes(line: Line, since: int) -> Line:
    found: Line = []
    for beat, value in line:
        if beat <= since:
            found = [(since, value)]
        elif value != found[-1][1]:
            found.append((beat, value))
    return found


def _without_storage(facts: Sequence[tuple[Tick, Geometry]]) -> list[tuple[Tick, Geometry]]:
    return [(tick, msgspec.structs.replace(geometry, storage=None)) for tick, geometry in facts]


def _is_there(facts: Sequence[tuple[Tick, TensorId | None]]) -> list[tuple[Tick, bool]]:
    return [(tick, tensor is not None) for tick, tensor in facts]


def _at_no_place(held: Held | None) -> Held | None:
    if held is None:
        return None
    text = None if held.text is None else _without_addresses(held.text)
    return msgspec.structs.replace(held, text=text, address=None)


def _without_addresses(text: str) -> str:
    return _ADDRESS.sub("0x", text)
