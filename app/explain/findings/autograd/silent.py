"""A SavedTensor whose bytes changed while its version counter did not: backward computes with other numbers, silently."""

from dataclasses import dataclass, field
from itertools import islice

from app.explain.finding import MOST_FINDINGS, MOST_FIXED, Finding
from app.explain.findings.effect import effect_of
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import for_silent
from app.trace.chunks import Trace
from app.trace.dtypes import itemsize
from app.trace.query import END, hull, value_at
from app.trace.records import Cells, SavedTensor, Step, Tick, Write

_UNUSED_SLOTS = frozenset({"running_mean", "running_var"})
"""Batch norm keeps its running statistics for backward and writes them at every forward, but in training backward does not
use them (batch_norm_backward, ATen/native/Normalization.cpp); the trace does not tell training from evaluation."""


MOST_EXAMINED = 10_000
"""Saved tensors looked at: a hostile trace costs no more than a long one."""

MOST_COMPARED = 1_000
"""Elements of one saved tensor that are compared; an honest Storage with more of them keeps no values (`Limits.cells`)."""


def find_silently_wrong(reading: Reading) -> list[Finding]:
    """An error when a backward used the changed bytes and its gradient is another for it; a warning when it may be, or one will."""
    trace = reading.trace
    changed = (saved for saved in trace.saved_tensors if saved.overwritten and saved.name not in _UNUSED_SLOTS)
    groups: dict[tuple[object, ...], _Group] = {}
    for saved in islice(changed, MOST_EXAMINED):
        used, needer = _used(reading, saved)
        if used is None or _same_values(trace, saved, used):
            continue
        effect = "unknown" if needer is None else effect_of(reading, saved, needer)
        if effect == "same":
            continue
        node = trace.nodes[saved.node]
        lines = reading.line_of(node.made_by), reading.line_of(_write(trace, saved).step)
        group = groups.setdefault((needer is not None, *lines, node.name), _Group(needer))
        group.saved.append(saved)
        group.is_wrong = group.is_wrong or effect == "wrong"
    return [
        _finding(reading, group, with_fixes=number < MOST_FIXED)
        for number, group in enumerate(list(groups.values())[:MOST_FINDINGS])
    ]


@dataclass(slots=True)
class _Group:
    """What was saved on one line and written on another, and the run that used it."""

    needer: Step | None
    saved: list[SavedTensor] = field(default_factory=list)
    is_wrong: bool = False
    """Whether the gradient is known to be another."""


def _write(trace: Trace, saved: SavedTensor) -> Write:
    return trace.writes[saved.overwritten[0][1]]


def _used(reading: Reading, saved: SavedTensor) -> tuple[Tick | None, Step | None]:
    """When backward used the changed bytes, and the Node's step; END when it still may; None when it cannot (any more)."""
    overwritten = saved.overwritten[0][0]
    refused = saved.outdated[0][0] if saved.outdated else END
    step = reading.run_of_node(saved.node, since=overwritten)
    if step is not None and step.began < refused:
        return step.began, step
    return (END if refused == END and reading.waits_for_backward(saved) else None), None


def _same_values(trace: Trace, saved: SavedTensor, tick: Tick) -> bool:
    """Whether the saved elements are known to read at `tick` as they did before the write: something put them back."""
    span = hull(saved.geometry)
    # `.data =` and `set_` let a saved tensor look at another Storage: the one that it left holds what it did.
    if span is None or saved.geometry.storage is None or _write(trace, saved).storage != saved.geometry.storage:
        return False
    contents = trace.storages[saved.geometry.storage].contents
    before, after = value_at(contents, Tick(saved.overwritten[0][0] - 1)), value_at(contents, tick)
    if not (isinstance(before, Cells) and isinstance(after, Cells)) or before.dtype != after.dtype:
        return False
    size = itemsize(before.dtype)
    if not size:
        return False
    part = slice(span.start // size, -(-span.stop // size))
    if part.stop - part.start > MOST_COMPARED:
        return False
    return before.values[part] == after.values[part]


def _finding(reading: Reading, group: _Group, *, with_fixes: bool) -> Finding:
    trace, saved, needer = reading.trace, group.saved[0], group.needer
    node, write = trace.nodes[saved.node], _write(trace, saved)
    name, relation = reading.name_of_saved(saved)
    through = reading.name_written_through(write)
    writer, place = reading.shown_from(write.step), reading.place_of(write.step)
    return Finding(
        kind="silently_wrong_gradient",
        severity="error" if group.is_wrong else "warning",
        tick=write.tick,
        step=writer[0] if writer else None,
        steps=reading.shown_from(node.made_by, write.step, None if needer is None else needer.id),
        line=None if place is None else place.line,
        file=None if place is None else place.file,
        saved_tensors=[each.id for each in group.saved],
        tensors=[tensor for tensor in dict.fromkeys([saved.tensor, write.tensor]) if tensor is not None],
        storages=[write.storage],
        arguments={
            "node": node.name,
            "slot": saved.name,
            "name": name,
            "relation": relation,
            "through": through,
            "way": "direct" if through in ("", name) else "alias",
            "saver_line": reading.line_of(node.made_by) or 0,
            "writer_line": reading.line_of(write.step) or 0,
            "needer_line": 0 if needer is None else reading.line_of(needer.id) or 0,
            "effect": "wrong" if group.is_wrong else "waits" if needer is None else "unknown",
            "saved_version": -1 if saved.version is None else saved.version,
        },
        fixes=for_silent(reading, group.saved, write, needer) if with_fixes else [],
    )
