"""Finds a list that should keep several states of a tensor, but contains the last state several times."""

import ast
import re
from collections import defaultdict
from itertools import islice, pairwise

from app.explain.finding import MOST_FINDINGS, Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_clone
from app.trace.query import events_after, value_at
from app.trace.records import FrameId, Geometry, Name, TensorId, Tick, Write

_ENTRY = re.compile(r"([^\W\d]\w*(?:\.\w+)*)\[\d+\](\[\d+\])?")
"""Matches `kept[0]`, `buffer.items[0]`, and `kept[0][1]` for a list of tuples."""


@finder(after=["find_numpy_alias"])
def find_one_memory(reading: Reading) -> list[Finding]:
    """A hint for each list to which a tensor was added, then written, and then added again."""
    lists: dict[tuple[FrameId, str, str], list[Name]] = defaultdict(list)
    for name in reading.trace.names:
        match = _ENTRY.fullmatch(name.path)
        if match is not None and name.tensor:
            lists[name.frame, match[1], match[2] or ""].append(name)
    findings: list[Finding] = []
    for (_, variable, _), entries in lists.items():
        for first, second in pairwise(entries):
            found = _between(reading, first, second)
            if found is not None and len(findings) < MOST_FINDINGS:
                findings.append(_finding(reading, variable, first, second, *found))
                break
    # If the array has a name, `find_numpy_alias` reports it in more detail.
    told = {finding.arguments["line"] for finding in reading.found_by("find_numpy_alias")} if findings else set()
    return [finding for finding in findings if finding.arguments["line"] not in told]


def _between(reading: Reading, first: Name, second: Name) -> tuple[TensorId, TensorId, Write] | None:
    """The tensors of two entries, and the write between the additions of both.

    None unless both entries read the same elements of the same memory.
    """
    (since, one), (until, other) = first.tensor[0], second.tensor[0]
    looks = [_look(reading, one, until), _look(reading, other, until)]
    if one is None or other is None or looks[0] is None or looks[1] is None or since > until:
        return None
    is_at_once = since == until
    if is_at_once:
        since = _begun(reading, until)
    places = [_place(reading, look, until) for look in looks if look is not None]
    if value_at(first.tensor, until) != one or places[0] is None or places[0] != places[1] or 0 in looks[0].shape:
        return None
    is_array = looks[0].storage != looks[1].storage  # each `from_numpy` creates a separate Storage
    known = reading.changing_writes if is_array else reading.changing_operators
    writes = [] if looks[0].storage is None else known.get(looks[0].storage, [])
    between = list(islice(events_after(writes, since, until), 1 + is_at_once))
    # If one statement created all entries, it is unknown when each was added. With two writes in this statement, one was in
    # between.
    return (one, other, between[-1]) if len(between) == 1 + is_at_once else None


def _begun(reading: Reading, tick: Tick) -> Tick:
    """The beginning of the statement at `tick` if it creates all entries of a list, as a comprehension does; else `tick`."""
    step = reading.statement_at_tick(tick)
    match reading.statement_at(step):
        case ast.Assign(value=ast.ListComp() | ast.Call(func=ast.Name(id="list"))) if step is not None:
            return step.began
    return tick


def _look(reading: Reading, tensor: TensorId | None, tick: Tick) -> Geometry | None:
    geometry = reading.geometry_at(tensor, tick)
    return None if geometry is None or geometry.storage is None else geometry


def _place(reading: Reading, geometry: Geometry, tick: Tick) -> tuple[object, ...] | None:
    """The elements of a Tensor, by the address of its Storage; None if the Storage was freed or moved."""
    storage = None if geometry.storage is None else reading.trace.storages[geometry.storage]
    if storage is None or storage.moved or (storage.freed is not None and storage.freed <= tick):
        return None
    look = geometry.storage_offset, geometry.dtype, tuple(geometry.shape), tuple(geometry.stride or [])
    return storage.device, storage.address, *look


def _finding(
    reading: Reading, variable: str, first: Name, second: Name, one: TensorId, other: TensorId, write: Write
) -> Finding:
    added = reading.step_at(second.tensor[0][0])
    statement = reading.statement_at(added)
    fixes: Fixes = []
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[kept], keywords=[])):
            match = _ENTRY.fullmatch(second.path)
            if (
                isinstance(kept, ast.Tuple)
                and match is not None
                and match[2] is not None
                and int(match[2][1:-1]) < len(kept.elts)
            ):
                kept = kept.elts[int(match[2][1:-1])]
            if name == variable and isinstance(kept, ast.Name | ast.Call | ast.Attribute | ast.Subscript):
                fixes.append(offer("keep_a_copy", with_clone, reading.trace.source, kept))
        case ast.Assign(value=ast.ListComp(elt=ast.Name() | ast.Call() as kept)):
            fixes.append(offer("keep_a_copy", with_clone, reading.trace.source, kept))
    return reading.finding(
        "one_memory",
        [write.step, None if added is None else added.id],
        [one, other],
        {
            "name": variable,
            "one": reading.text_of(first),
            "other": reading.text_of(second),
            "same": "yes" if one == other else "no",
            "write_line": reading.line_of(write.step) or 0,
        },
        fixes=fixes,
    )
