"""Finds the first step at which two runs of one snippet differ, in a recorded step or value."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter
from typing import Any

import msgspec

from app.trace.dtypes import itemsize
from app.trace.index import Index
from app.trace.overlap import hull
from app.trace.query import END
from app.trace.records import Cells, Contents, Geometry, Held, Step, StorageId, Tensor, TensorId, Tick

Series = list[tuple[int, Any]]
"""The values of a variable, an output stream or a tensor: the position of each step with a value, and the last value in the step.
"""

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
"""An address in a string. It differs in every run and does not affect the computation."""

MOST_COMPARED = 1_000_000
"""Maximum number of facts about tensors and contents that are compared. If there are more, the runs count as different from the
start."""

_UNWRITTEN = ("aten::empty", "aten::new_empty", "aten::resize_", "aten::set_")
"""Operators that return uninitialized memory."""


class RunSequence:
    """The steps of one run, for the comparison with another run.

    Operators within a backward are left out, because autograd chooses them by the number of references to a tensor.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.trace = index.trace
        around = index.node_steps
        self.steps = [
            step
            for step in self.trace.steps
            if (step.kind != "operator" or around[step.id] is None) and not self.is_left_out(step)
        ]
        self._number = {step.id: number for number, step in enumerate(self.steps)}
        self._began = [step.began for step in self.steps]

    def is_left_out(self, step: Step) -> bool:
        """Whether a step is left out of the comparison."""
        return False

    def position(self, tick: Tick) -> int:
        """The index in `steps` of the last step that began at or before `tick`."""
        return bisect_right(self._began, tick) - 1

    def signature(self, position: int) -> tuple[Any, ...]:
        """The attributes of a step that must be equal in both runs."""
        step = self.steps[position]
        name = None if step.node is None else self.trace.nodes[step.node].name
        parent = None if step.parent is None else self._number.get(step.parent)
        modes = (step.grad_enabled, step.inference, step.autocast, step.autocast_dtype, step.anomaly, step.saved_tensors_hooks)
        message = None if step.message is None else _without_addresses(step.message)
        return step.kind, step.name, name, step.span, step.frame, parent, message, step.ended is None, modes

    def series(self, facts: Iterable[tuple[Tick, Any]]) -> Series:
        """The last of the recorded values within each step, with the position of this step."""
        found: dict[int, Any] = {}
        for tick, value in facts:
            found[self.position(tick)] = value
        return list(found.items())


def first_difference(one: RunSequence, other: RunSequence) -> int | None:
    """The first position at which the runs differ; None if they are the same up to the end.

    Copies of saved tensors change the lifetimes of tensors and Nodes, addresses, and sharing of counters. Such differences are
    ignored.
    """
    return min(_differences(one, other, _Pairs(one, other)), default=None)


def first_difference_before(one: RunSequence, other: RunSequence, until: int) -> int | None:
    """The first position at which the runs differ, if it is before `until`. Only named Tensors are compared.

    An unnamed Tensor may contain uninitialized memory, such as the workspace of an LSTM. If uninitialized memory affects the
    program, a named Tensor differs, too.
    """
    found = min(_differences(one, other, _NamedPairs(one, other, until)), default=until)
    return found if found < until else None


def _differences(one: RunSequence, other: RunSequence, pairs: "_Pairs") -> Iterator[int]:
    together = min(len(one.steps), len(other.steps))
    differing = (position for position in range(together) if one.signature(position) != other.signature(position))
    if (position := next(differing, None)) is not None:
        yield position
    elif len(one.steps) != len(other.steps) or type(one.trace.ended) is not type(other.trace.ended):
        yield together
    these, those = _things(one), _things(other)
    for key in these.keys() | those.keys():
        yield from _apart(these.get(key, []), those.get(key, []))
    yield from pairs.differences()


def _things(run: RunSequence) -> dict[tuple[Any, ...], Series]:
    """What is compared besides steps and tensors: the output, the gradients in backward, and the values of variables."""
    trace = run.trace
    found: dict[tuple[Any, ...], Series] = {}
    printed: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for output in trace.outputs:
        printed[output.stream][run.position(output.tick)].append(_without_addresses(output.text))
    for stream, texts in printed.items():
        found["output", stream] = [(position, "".join(pieces)) for position, pieces in texts.items()]
    found["gradients",] = [
        (run.position(gradient.tick), (gradient.edge, gradient.input_nr, gradient.shape, gradient.value))
        for gradient in trace.gradients
    ]
    for variable in trace.variables:
        facts = ((tick, _at_no_place(held)) for tick, held in variable.value)
        found["variable", variable.frame, variable.name] = run.series(facts)
    for name in trace.names:
        found["name", name.frame, name.path] = run.series((tick, tensor is not None) for tick, tensor in name.tensor)
    return found


class _Pairs:
    """Pairs of corresponding Tensors of two runs: created by the same step, with the same name, or the `grad`s of such a pair."""

    def __init__(self, one: RunSequence, other: RunSequence) -> None:
        self._one, self._other = one, other
        self._waiting: list[tuple[TensorId, TensorId]] = []
        self._tensors: set[tuple[TensorId, TensorId]] = set()
        self._looks: set[tuple[object, ...]] = set()
        self._left = MOST_COMPARED

    def differences(self) -> Iterator[int]:
        self._meet_made()
        for name in self._one.trace.names:
            if (there := self._other.index.name_in(name.frame, name.path)) is not None:
                self._meet(name.tensor, there.tensor)
        while self._waiting and self._left >= 0:
            pair = self._waiting.pop()
            if pair not in self._tensors:
                self._tensors.add(pair)
                yield from self._compare(self._one.trace.tensors[pair[0]], self._other.trace.tensors[pair[1]])
        if self._left < 0:
            yield 0

    def _meet_made(self) -> None:
        these, those = _made(self._one), _made(self._other)
        for position in these.keys() & those.keys():
            # A run that saves copies does not record tensors to which only a SavedTensor refers.
            if len(these[position]) == len(those[position]):
                self._waiting.extend(zip(these[position], those[position], strict=True))

    def _meet(self, facts: Sequence[tuple[Tick, TensorId | None]], others: Sequence[tuple[Tick, TensorId | None]]) -> None:
        for (_, tensor), (_, there) in zip(facts, others, strict=False):
            if tensor is not None and there is not None:
                self._waiting.append((tensor, there))

    def _compare(self, tensor: Tensor, there: Tensor) -> Iterator[int]:
        for each in (tensor, there):
            self._left -= len(each.geometry) + len(each.requires_grad) + len(each.is_leaf) + len(each.grad)
        self._meet(tensor.grad, there.grad)
        if tensor.type != there.type:
            yield max(self._one.position(tensor.born), self._other.position(there.born))
        for facts, others in (
            (_without_storage(tensor.geometry), _without_storage(there.geometry)),
            (tensor.requires_grad, there.requires_grad),
            (tensor.is_leaf, there.is_leaf),
            (_is_there(tensor.grad), _is_there(there.grad)),
        ):
            yield from _apart_since_both(self._one.series(facts), self._other.series(others))
        for seen, seen_there in zip(_looks(self._one, tensor), _looks(self._other, there), strict=False):
            look = (seen.storage, seen_there.storage, seen.bytes, seen.since, seen.until)
            if look not in self._looks:
                self._looks.add(look)
                self._left -= len(self._one.trace.storages[seen.storage].contents)
                yield from _apart_since_both(_shown(self._one, seen), _shown(self._other, seen_there))
                if self._left < 0:
                    return


class _NamedPairs(_Pairs):
    """Pairs of Tensors that have the same name in both runs before position `until`, from which the programs differ."""

    def __init__(self, one: RunSequence, other: RunSequence, until: int) -> None:
        super().__init__(one, other)
        self._until = until

    def _meet_made(self) -> None:
        pass

    def _meet(self, facts: Sequence[tuple[Tick, TensorId | None]], others: Sequence[tuple[Tick, TensorId | None]]) -> None:
        super()._meet(
            [fact for fact in facts if self._one.position(fact[0]) < self._until],
            [fact for fact in others if self._other.position(fact[0]) < self._until],
        )


@dataclass(frozen=True, slots=True)
class _Look:
    """The bytes of a Storage that a Tensor uses between two ticks."""

    storage: StorageId
    bytes: range | None
    since: Tick
    until: Tick


def _looks(run: RunSequence, tensor: Tensor) -> Iterator[_Look]:
    ends = [tick for tick, _ in tensor.geometry[1:]]
    for (tick, geometry), until in zip(tensor.geometry, [*ends, END], strict=False):  # a forged Tensor may have no geometry
        if geometry.storage is not None:
            yield _Look(geometry.storage, hull(geometry), tick, until)


def _shown(run: RunSequence, look: _Look) -> Series:
    """The recorded contents of the bytes, with the position of the step, except contents of uninitialized memory."""
    facts = run.trace.storages[look.storage].contents
    begin = bisect_right(facts, look.since, key=itemgetter(0))
    end = bisect_left(facts, look.until, key=itemgetter(0))
    shown = [(max(tick, look.since), _part(value, look.bytes)) for tick, value in facts[max(0, begin - 1) : end]]
    return [
        (position, value)
        for position, value in run.series(shown)
        if not (run.steps[position].name or "").startswith(_UNWRITTEN)
    ]


def _part(contents: Contents, span: range | None) -> Contents:
    """The elements whose bytes are in `span`; all elements if the span or the size of an element is unknown."""
    size = itemsize(contents.dtype) if isinstance(contents, Cells) else None
    if not size or span is None or not isinstance(contents, Cells):
        return contents
    values = contents.values[span.start // size : -(-span.stop // size)]
    return Cells(dtype=contents.dtype, values=values)


def _made(run: RunSequence) -> dict[int, list[TensorId]]:
    """The Tensors that were first recorded in each step, by the step's position.

    Tensors created within a backward are left out, because `_things` compares the gradients.
    """
    found: dict[int, list[TensorId]] = defaultdict(list)
    for tensor in run.trace.tensors:
        if tensor.made_by is None or run.index.node_steps[tensor.made_by] is None:
            found[run.position(tensor.born)].append(tensor.id)
    return found


def _apart(series: Series, other: Series) -> Iterator[int]:
    """Yields the first position at which two series differ; nothing if they are equal."""
    for entry, entry_there in zip_longest(series, other):
        if entry != entry_there:
            yield min(each[0] for each in (entry, entry_there) if each is not None)
            return


def _apart_since_both(series: Series, other: Series) -> Iterator[int]:
    """The position of the first difference, beginning where both series have a value.

    Only changes of the value are compared: a value that one run recorded twice and the other once is not a difference.
    """
    if series and other:
        since = max(series[0][0], other[0][0])
        yield from _apart(_changes(series, since), _changes(other, since))


def _changes(series: Series, since: int) -> Series:
    found: Series = []
    for position, value in series:
        if position <= since:
            found = [(since, value)]
        elif value != found[-1][1]:
            found.append((position, value))
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
