"""Finds an array and a tensor that share memory, if a write on one side changed the other."""

import ast
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice, takewhile
from operator import attrgetter

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, Fixes, finder, offer
from app.explain.findings.shared_memory import MOST_WRITES, is_held, is_looked_at, names_in_write, without_silently_wrong
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.index import Line
from app.trace.overlap import reaches
from app.trace.query import END, end_of, events_after, value_at
from app.trace.records import Held, Step, Storage, TensorId, Tick, Variable, Write

MOST_ALIASES = 500
"""Maximum number of examined arrays that share memory with a Storage."""

MOST_STORAGES = 100
"""Maximum number of Storages that are searched for an overlap with an array."""

MOST_TENSORS = 100
"""Maximum number of Tensors of one Storage that are searched for a read of the written bytes."""

_COPIES = {
    "from_numpy": ".clone()",
    "as_tensor": ".clone()",
    "frombuffer": ".clone()",
    "numpy": ".copy()",
    "asarray": ".copy()",
}
"""Functions that create an alias, and the method that copies their result."""


@dataclass(frozen=True, slots=True)
class _Alias:
    """A variable that holds an array over these bytes of a Storage from `since`, the end of the statement `maker`, to `until`."""

    variable: Variable
    storage: Storage
    begin: int
    end: int
    maker: Step
    since: Tick
    until: Tick


@dataclass(frozen=True, slots=True)
class _Followed:
    """A write to memory that an array and a tensor share, with both names; `by` tells through which of the two it was written."""

    alias: _Alias
    write: Write
    array: str
    path: str
    tensor: TensorId
    by: str


@finder(after=["find_silently_wrong"])
def find_numpy_alias(reading: Reading) -> list[Finding]:
    """A hint for each line that made an array and a tensor share memory, at the first write whose effect on the other side is
    read."""
    found: dict[Line, _Followed] = {}
    for alias in islice(_aliases(reading), MOST_ALIASES):
        line = reading.line_of(alias.maker.id) or 0
        if line not in found and len(found) < MOST_FINDINGS:
            followed = next(_followed(reading, alias), None)
            if followed is not None:
                found[line] = followed
    return without_silently_wrong(reading, [_finding(reading, each) for each in found.values()])


def _aliases(reading: Reading) -> Iterator[_Alias]:
    """Every array that overlaps a Storage in memory, for the time in which both exist."""
    arrays = [
        (variable, number, tick, held)
        for variable in reading.trace.variables
        for number, (tick, held) in enumerate(variable.value)
        if held is not None and held.kind == "array" and held.address is not None and held.span
    ]
    places = _places(reading) if arrays else {}
    addresses = sorted(places)
    reach = list(accumulate((max(map(_end, places[address])) for address in addresses), max))
    for variable, number, tick, held in arrays:
        until = variable.value[number + 1][0] if number + 1 < len(variable.value) else END
        first = int(held.address or "0x0", 16)
        place = bisect_left(addresses, first + (held.span or 0)) - 1
        near: list[Storage] = []
        while place >= 0 and reach[place] > first and len(near) < MOST_STORAGES:
            near += islice(_living(places[addresses[place]], tick, until), MOST_STORAGES)
            place -= 1
        for storage in sorted(near, key=lambda storage: (int(storage.address, 16), storage.id)):
            alias = _alias(reading, variable, held, storage, (tick, until))
            if alias is not None:
                yield alias


def _places(reading: Reading) -> dict[int, list[Storage]]:
    """The Storages at each address, in order of their creation, because addresses are reused."""
    found: dict[int, list[Storage]] = defaultdict(list)
    for storage in sorted(reading.trace.storages, key=attrgetter("born")):
        found[int(storage.address, 16)].append(storage)
    return found


def _living(storages: list[Storage], since: Tick, until: Tick) -> Iterator[Storage]:
    """The Storages at one address that existed between two ticks, the last one first."""
    before = range(bisect_right(storages, until, key=attrgetter("born")) - 1, -1, -1)
    return takewhile(lambda storage: storage.freed is None or storage.freed > since, (storages[place] for place in before))


def _end(storage: Storage) -> int:
    """The address after the last byte that a Storage ever had."""
    return int(storage.address, 16) + max((nbytes for _, nbytes in storage.nbytes), default=0)


def _alias(reading: Reading, variable: Variable, held: Held, storage: Storage, times: tuple[Tick, Tick]) -> _Alias | None:
    begin = int(held.address or "0x0", 16) - int(storage.address, 16)
    end = begin + (held.span or 0)
    since, until = max(times[0], storage.born), min(times[1], END if storage.freed is None else storage.freed)
    if since >= until or end <= 0 or begin >= (value_at(storage.nbytes, since) or 0):
        return None
    made = reading.step_at(since)
    maker = None if made is None else reading.statement_of(made.id)
    if storage.moved or maker is None or storage.device != "cpu":
        return None
    # An array may be freed and its address reused within one statement, which the recorder does not notice; such overlaps are
    # left out.
    return _Alias(variable, storage, begin, end, maker, end_of(maker), until) if end_of(maker) < until else None


def _followed(reading: Reading, alias: _Alias) -> Iterator[_Followed]:
    writes = reading.changing_writes.get(alias.storage.id, [])
    for write in islice(events_after(writes, alias.since, alias.until), MOST_WRITES):
        if write.end <= alias.begin or alias.end <= write.begin:
            continue
        written = _in_torch(reading, write)
        through = None if written is None else reading.base_of(written)
        array = _array_of(reading, alias, write)
        for path, tensor in _tensors_under(reading, alias, write):
            if written is None and is_looked_at(reading, path, tensor, alias.maker, write.tick):
                yield _Followed(alias, write, array, path, tensor, "numpy")
            elif tensor == through and _array_is_looked_at(reading, alias, write.tick):
                yield _Followed(alias, write, alias.variable.name, path, tensor, "torch")


def _in_torch(reading: Reading, write: Write) -> TensorId | None:
    """The Tensor that was written, even if it has another Storage at the same address; None for a write through an array."""
    if write.tensor is not None:
        return write.tensor
    statement = reading.statement_of(write.step)
    return reading.written_in.get(None if statement is None else statement.id)


def _tensors_under(reading: Reading, alias: _Alias, write: Write) -> Iterator[tuple[str, TensorId]]:
    """The named Tensors that read the written bytes, with their names."""
    for tensor in islice(reading.tensors_on.get(alias.storage.id, []), MOST_TENSORS):
        geometry = reading.geometry_at(tensor, write.tick)
        if reaches(reading.trace, write, geometry):
            for path in reading.paths_of(tensor, write.tick)[:1]:
                yield path, tensor


def _array_of(reading: Reading, alias: _Alias, write: Write) -> str:
    """The name of an array on the written bytes: the name in the writing statement, or else the alias's own variable."""
    named = names_in_write(reading, write) or ()
    if alias.variable.name in named:
        return reading.in_frame(alias.variable.name, alias.variable.frame)
    place = int(alias.storage.address, 16)
    for variable in reading.trace.variables:
        held = value_at(variable.value, write.tick) if variable.name in named else None
        if held is not None and held.address is not None:
            begin = int(held.address, 16) - place
            if begin < write.end and write.begin < begin + (held.span or 0):
                return reading.in_frame(variable.name, variable.frame)
    return reading.in_frame(alias.variable.name, alias.variable.frame)


def _array_is_looked_at(reading: Reading, alias: _Alias, tick: Tick) -> bool:
    held = value_at(alias.variable.value, tick)
    return is_held(
        reading, alias.variable.name, alias.maker, tick, lambda step: value_at(alias.variable.value, step.began) == held
    )


def _finding(reading: Reading, found: _Followed) -> Finding:
    maker = found.alias.maker
    # An array over a tensor may exist to fill the tensor; a copy would not fill it.
    fills = found.by == "numpy" and "numpy" in reading.syntax.attributes_in(reading.statement_at(maker))
    fixes: Fixes = [] if fills else [offer("copy_once", _copied, reading, maker)]
    arguments: Arguments = {
        "array": found.array,
        "name": reading.told(found.path, maker.frame),
        "by": found.by,
        "line": reading.line_of(maker.id) or 0,
        "write_line": reading.line_of(found.write.step) or 0,
    }
    return reading.finding("numpy_alias", [maker.id, found.write.step], [found.tensor], arguments, fixes=fixes)


def _copied(reading: Reading, maker: Step) -> str | None:
    """`torch.from_numpy(a)` → `torch.from_numpy(a).clone()`, `t.numpy()` → `t.numpy().copy()`, if the line has one such call."""
    source, statement = reading.trace.source, reading.statement_at(maker)
    calls = [
        (node, _COPIES[name])
        for node in (reading.syntax.walk(statement) if isinstance(statement, ast.Assign | ast.Expr) else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (name := node.func.attr) in _COPIES
    ]
    text = ast.get_source_segment(reading.syntax.text, calls[0][0]) if len(calls) == 1 else None
    return None if text is None else with_replaced(source, [(calls[0][0], text + calls[0][1])])
