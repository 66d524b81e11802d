"""Finds saved tensors whose version counter increased, with the lines that saved, wrote and needed them."""

import ast
from itertools import islice
from typing import Literal

from app.explain.finding import MOST_FINDINGS, MOST_FIXED, Arguments, Finding, finder
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import MOST_CHARACTERS
from app.explain.rewriting.rewrites import for_stale
from app.trace.chunks import Trace
from app.trace.index import Line
from app.trace.overlap import reaches
from app.trace.query import END, events_after, value_at
from app.trace.records import NodeId, SavedTensor, Step, Tick, Write

MOST_WRITES = 1_000
"""Maximum number of examined writes to one Storage. If there are more, the finding does not say whether the bytes
changed."""


@finder()
def find_stale(reading: Reading) -> list[Finding]:
    """An error for each backward that torch refused; a warning for a graph that still waits for its first backward.

    Saved tensors that were released unused are not reported, nor are graphs that later backwards did not reach, such as the
    graph of a loss that is only printed.
    """
    trace = reading.trace
    stale = [saved for saved in trace.saved_tensors if saved.outdated]
    if not stale:
        return []
    refused = reading.refused
    needed = [saved for saved in stale if _needer(saved, refused) is not None]
    # The same write, or a write in an earlier iteration of the loop, may have outdated more tensors than the backward needed.
    # One finding is enough.
    reported = {_lines(reading, saved)[1] for saved in needed}
    waiting = [saved for saved in stale if reading.waits_for_backward(saved) and _lines(reading, saved)[1] not in reported]
    groups: dict[tuple[object, ...], list[SavedTensor]] = {}
    for saved in [*needed, *waiting]:
        key = (_needer(saved, refused) is not None, *_lines(reading, saved), trace.nodes[saved.node].name)
        groups.setdefault(key, []).append(saved)
    return [
        _finding(reading, group, _needer(group[0], refused), with_fixes=number < MOST_FIXED)
        for number, group in enumerate(list(groups.values())[:MOST_FINDINGS])
    ]


def _needer(saved: SavedTensor, refused: dict[NodeId, Step]) -> Step | None:
    step = refused.get(saved.node)
    return step if step is not None and step.began >= saved.outdated[0][0] else None


def _write(trace: Trace, saved: SavedTensor) -> Write:
    return trace.writes[saved.outdated[0][1]]


def _lines(reading: Reading, saved: SavedTensor) -> tuple[Line | None, Line | None]:
    trace = reading.trace
    return reading.line_of(trace.nodes[saved.node].made_by), reading.line_of(_write(trace, saved).step)


def _finding(reading: Reading, group: list[SavedTensor], needer: Step | None, *, with_fixes: bool) -> Finding:
    trace, saved = reading.trace, group[0]
    write, maker = _write(trace, saved), trace.nodes[saved.node].made_by
    needed_by = None if needer is None else needer.id
    caught = needer is not None and reading.is_caught(needer)
    place = reading.place_of(write.step if needer is None else needer.id)
    last = reading.shown_from(write.step if needer is None else needer.id)
    return Finding(
        kind="stale_saved_tensor",
        severity="warning" if needer is None else "hint" if caught else "error",
        tick=saved.outdated[0][0],
        step=last[0] if last else None,
        steps=reading.shown_from(maker, write.step, needed_by),
        line=None if place is None else place.line,
        file=None if place is None else place.file,
        saved_tensors=[each.id for each in group],
        tensors=[tensor for tensor in dict.fromkeys([saved.tensor, write.tensor]) if tensor is not None],
        storages=[write.storage],
        arguments={
            **_arguments(reading, saved, reading.line_of(needed_by), END if needer is None else needer.began),
            "caught": "yes" if caught else "no",
        },
        fixes=for_stale(reading, group, write, needer) if with_fixes else [],
    )


def _arguments(reading: Reading, saved: SavedTensor, needer_line: Line | None, until: Tick) -> Arguments:
    trace = reading.trace
    write = _write(trace, saved)
    name, relation = reading.name_of_saved(saved)
    saver_line, writer_line = _lines(reading, saved)
    through = reading.name_written_through(write)
    return {
        "node": trace.nodes[saved.node].name,
        "slot": saved.name,
        "name": name,
        "relation": relation,
        "through": through,
        "way": "direct" if through in ("", name) else "alias",
        "saver_line": saver_line or 0,
        "writer_line": writer_line or 0,
        "needer_line": needer_line or 0,
        "saved_version": -1 if saved.version is None else saved.version,
        "written_version": -1 if write.version is None else write.version,
        "bytes": _bytes(reading, saved, until),
        "call": _stepped(reading, write),
        "by": "step" if _stepped(reading, write) else "write",
    }


def _bytes(reading: Reading, saved: SavedTensor, until: Tick) -> Literal["changed", "same", "idle", "unknown"]:
    """Whether the saved bytes changed.

    Torch refuses the backward in any case, because a version counter counts the writes to all bytes of a storage.

    same: all writes went to other bytes; idle: writes to these bytes stored equal values.
    """
    if saved.undecided is None and value_at(saved.overwritten, until) is not None:
        return "changed"
    since = saved.outdated[0][0]
    first = list(islice(events_after(reading.writes_to.get(saved.geometry.storage, []), Tick(since - 1), until), MOST_WRITES))
    is_moved = not first or any((write.operator or "").startswith("aten::set_") for write in first)  # `set_` writes no elements
    if saved.overwritten or saved.geometry.storage is None or len(first) == MOST_WRITES or is_moved:
        return "unknown"
    hits = [write for write in first if reaches(reading.trace, write, saved.geometry) is not False]
    return "unknown" if any(write.changed for write in hits) else "idle" if hits else "same"


def _stepped(reading: Reading, write: Write) -> str:
    """The source of an `opt.step()` that made this write; "" for other writes."""
    match reading.statement_ran_by(write.step):
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="step")) as call):
            text = reading.syntax.text_of(call)
            return text if len(text) <= MOST_CHARACTERS else ""
    return ""
