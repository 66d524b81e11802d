"""A SavedTensor whose bytes changed while its version counter did not: backward computes with other numbers, and says nothing."""

from app.explain.finding import Finding
from app.explain.reading import Reading, line_of, shown_from
from app.explain.rewrites import for_silent
from app.trace.chunks import Trace
from app.trace.dtypes import itemsize
from app.trace.query import END, hull, value_at
from app.trace.records import Cells, SavedTensor, Step, Tick, Write

_UNUSED_SLOTS = frozenset({"running_mean", "running_var"})
"""Batch norm keeps its running statistics for backward and writes them at every forward, but in training backward does not
use them (batch_norm_backward, ATen/native/Normalization.cpp); the trace does not tell training from evaluation."""


def find_silently_wrong(trace: Trace) -> list[Finding]:
    """An error when a backward used the changed bytes, a warning while one still can."""
    changed = [saved for saved in trace.saved_tensors if saved.overwritten and saved.name not in _UNUSED_SLOTS]
    if not changed:
        return []
    reading = Reading(trace)
    groups: dict[tuple[object, ...], tuple[list[SavedTensor], Step | None]] = {}
    for saved in changed:
        used, needer = _used(reading, saved)
        if used is None or _same_values(trace, saved, used):
            continue
        lines = line_of(trace, trace.nodes[saved.node].made_by), line_of(trace, _write(trace, saved).step)
        key = (needer is not None, *lines, trace.nodes[saved.node].name)
        groups.setdefault(key, ([], needer))[0].append(saved)
    return [_finding(reading, group, needer) for group, needer in groups.values()]


def _write(trace: Trace, saved: SavedTensor) -> Write:
    return trace.writes[saved.overwritten[0][1]]


def _used(reading: Reading, saved: SavedTensor) -> tuple[Tick | None, Step | None]:
    """When backward used the changed bytes, and the Node's step; END when it still may; None when it cannot (any more)."""
    overwritten = saved.overwritten[0][0]
    refused = saved.outdated[0][0] if saved.outdated else END
    for step in reading.runs_of_node.get(saved.node, []):
        if overwritten <= step.began < refused:
            return step.began, step
    alive = saved.released is None and reading.trace.nodes[saved.node].freed is None
    return (END if alive and refused == END else None), None


def _same_values(trace: Trace, saved: SavedTensor, tick: Tick) -> bool:
    """Whether the saved elements are known to read at `tick` as they did before the write: something put them back."""
    span = hull(saved.geometry)
    if span is None or saved.geometry.storage is None:
        return False
    contents = trace.storages[saved.geometry.storage].contents
    before, after = value_at(contents, Tick(saved.overwritten[0][0] - 1)), value_at(contents, tick)
    if not (isinstance(before, Cells) and isinstance(after, Cells)) or before.dtype != after.dtype:
        return False
    size = itemsize(before.dtype)
    if not size:
        return False
    part = slice(span.start // size, -(-span.stop // size))
    return before.values[part] == after.values[part]


def _finding(reading: Reading, group: list[SavedTensor], needer: Step | None) -> Finding:
    trace, saved = reading.trace, group[0]
    node, write = trace.nodes[saved.node], _write(trace, saved)
    name, relation = reading.name_of_saved(saved)
    through = reading.name_written_through(write)
    writer = shown_from(trace, write.step)
    return Finding(
        kind="silently_wrong_gradient",
        severity="warning" if needer is None else "error",
        tick=write.tick,
        step=writer[0] if writer else None,
        steps=shown_from(trace, node.made_by, write.step, None if needer is None else needer.id),
        line=line_of(trace, write.step),
        saved_tensors=[each.id for each in group],
        tensors=[tensor for tensor in dict.fromkeys([saved.tensor, write.tensor]) if tensor is not None],
        storages=[write.storage],
        arguments={
            "node": node.name,
            "slot": saved.name,
            "name": name,
            "relation": relation,
            "through": "" if through == name else through,
            "saver_line": line_of(trace, node.made_by) or 0,
            "writer_line": line_of(trace, write.step) or 0,
            "needer_line": 0 if needer is None else line_of(trace, needer.id) or 0,
            "saved_version": -1 if saved.version is None else saved.version,
        },
        fixes=for_silent(reading, write),
    )
