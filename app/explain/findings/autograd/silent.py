"""Finds saved tensors whose bytes changed while the version counter did not: backward silently computes with wrong values."""

from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from app.explain.finding import MOST_FINDINGS, MOST_FIXED, Finding, finder
from app.explain.findings.effect import effect_of
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import for_silent
from app.trace.query import END
from app.trace.records import SavedTensor, Step, Write

_RUNNING = frozenset({"running_mean", "running_var"})
"""Batch norm saves its running statistics, but backward uses them only in evaluation mode (ATen/native/Normalization.cpp)."""
_OF_THE_BATCH = "result1"
"""The saved mean of the batch. It has no elements in evaluation mode, where it is not computed."""

MOST_EXAMINED = 10_000
"""Maximum number of examined saved tensors. It limits the work on forged traces."""


@finder()
def find_silently_wrong(reading: Reading) -> list[Finding]:
    """An error if a backward used the changed bytes and therefore computed a wrong gradient; a warning if the gradient may be
    wrong or will be.

    A hint if it is unknown whether the bytes changed.
    """
    trace = reading.trace
    evaluations = {each.node for each in trace.saved_tensors if each.name == _OF_THE_BATCH and 0 in each.geometry.shape}
    used = (saved for saved in trace.saved_tensors if saved.name not in _RUNNING or saved.node in evaluations)
    changed = (saved for saved in used if saved.overwritten)
    groups: dict[tuple[object, ...], _Group] = {}
    for saved in islice(changed, MOST_EXAMINED):
        use = _use_of(reading, saved)
        effect = None if use is None else _effect(reading, saved, use.needer)
        if use is None or effect == "same":
            continue
        node = trace.nodes[saved.node]
        lines = reading.line_of(node.made_by), reading.line_of(use.write.step)
        group = groups.setdefault((use.needer is not None, *lines, node.name, effect == "may"), _Group(use))
        group.saved.append(saved)
        group.effect = "wrong" if effect == "wrong" else group.effect or effect
    return [
        _finding(reading, group, with_fixes=number < MOST_FIXED)
        for number, group in enumerate(list(groups.values())[:MOST_FINDINGS])
    ]


@dataclass(frozen=True, slots=True)
class _Use:
    """The Write that changed the saved bytes, and the run of the Node that used the bytes; None if the Node has not run yet."""

    write: Write
    needer: Step | None


@dataclass(slots=True)
class _Group:
    """Saved tensors that were saved on one line and overwritten on one line, and the first use of their changed bytes."""

    use: _Use
    saved: list[SavedTensor] = field(default_factory=list)
    effect: str | None = None


def _use_of(reading: Reading, saved: SavedTensor) -> _Use | None:
    """The first use of the changed bytes by the saving Node, or its possible use by a later backward; None if neither exists."""
    writes = reading.trace.writes
    refused = saved.outdated[0][0] if saved.outdated else END
    ends = [tick for tick, _ in saved.overwritten[1:]]
    for (since, write), until in zip(saved.overwritten, [*ends, END], strict=True):
        step = None if write is None else reading.run_of_node(saved.node, since=since)
        if write is not None and step is not None and step.began < min(until, refused):
            return _Use(writes[write], step)
    last = saved.overwritten[-1][1]
    still_may = last is not None and refused == END and reading.waits_for_backward(saved)
    return _Use(writes[last], None) if last is not None and still_may else None


def _effect(reading: Reading, saved: SavedTensor, needer: Step | None) -> Literal["wrong", "same", "unknown", "waits", "may"]:
    """The effect of the changed bytes on the gradient. "may": it is unknown whether the bytes changed; "waits": the Node has
    not run."""
    if saved.undecided is not None:
        return "may"
    return "waits" if needer is None else effect_of(reading, saved, needer)


def _finding(reading: Reading, group: _Group, *, with_fixes: bool) -> Finding:
    trace, saved, effect = reading.trace, group.saved[0], group.effect or "unknown"
    node, write, needer = trace.nodes[saved.node], group.use.write, group.use.needer
    name, relation = reading.name_of_saved(saved)
    through = reading.name_written_through(write)
    writer, place = reading.shown_from(write.step), reading.place_of(write.step)
    return Finding(
        kind="silently_wrong_gradient",
        severity="error" if effect == "wrong" else "hint" if effect == "may" else "warning",
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
            "effect": effect,
            "undecided": saved.undecided or "",
            "saved_version": -1 if saved.version is None else saved.version,
        },
        fixes=for_silent(reading, group.saved, write, needer) if with_fixes and effect != "may" else [],
    )
