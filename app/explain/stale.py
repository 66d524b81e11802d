"""A SavedTensor whose version counter moved on: who saved it, who wrote, who needed it."""

from app.explain.finding import Arguments, Finding
from app.explain.reading import Reading, line_of, shown_from
from app.explain.rewrites import for_stale
from app.trace.chunks import Trace
from app.trace.query import statement_of
from app.trace.records import NodeId, SavedTensor, Step, StepId, Write


def find_stale(trace: Trace) -> list[Finding]:
    """An error for each backward that torch refused for it; a warning for what still waits for a backward it would refuse.

    What was let go without being asked for again harms nobody and is not told.
    """
    stale = [saved for saved in trace.saved_tensors if saved.outdated]
    if not stale:
        return []
    reading = Reading(trace)
    needers = _refused(trace)
    needed = [saved for saved in stale if _needer(saved, needers) is not None]
    told = {_statement(trace, saved) for saved in needed}
    waiting = [saved for saved in stale if _waits(trace, saved) and _statement(trace, saved) not in told]
    groups: dict[tuple[object, ...], list[SavedTensor]] = {}
    for saved in [*needed, *waiting]:
        key = (_needer(saved, needers) is not None, *_lines(trace, saved), trace.nodes[saved.node].name)
        groups.setdefault(key, []).append(saved)
    return [_finding(reading, group, _needer(group[0], needers)) for group in groups.values()]


def _refused(trace: Trace) -> dict[NodeId, Step]:
    """The Node at which each backward that raised stopped: the last one it began."""
    last: dict[StepId, Step] = {}
    refused: dict[NodeId, Step] = {}
    for step in trace.steps:
        statement = statement_of(trace, step.id) if step.kind in ("node", "exception") else None
        if statement is None:
            continue
        if step.node is not None:
            last[statement.id] = step
        elif statement.id in last:
            stopped = last[statement.id]
            if stopped.node is not None:
                refused[stopped.node] = stopped
    return refused


def _needer(saved: SavedTensor, refused: dict[NodeId, Step]) -> Step | None:
    step = refused.get(saved.node)
    return step if step is not None and step.began >= saved.outdated[0][0] else None


def _waits(trace: Trace, saved: SavedTensor) -> bool:
    return saved.released is None and trace.nodes[saved.node].freed is None


def _write(trace: Trace, saved: SavedTensor) -> Write:
    return trace.writes[saved.outdated[0][1]]


def _statement(trace: Trace, saved: SavedTensor) -> StepId | None:
    """The statement that wrote."""
    statement = statement_of(trace, _write(trace, saved).step)
    return None if statement is None else statement.id


def _lines(trace: Trace, saved: SavedTensor) -> tuple[int | None, int | None]:
    return line_of(trace, trace.nodes[saved.node].made_by), line_of(trace, _write(trace, saved).step)


def _finding(reading: Reading, group: list[SavedTensor], needer: Step | None) -> Finding:
    trace, saved = reading.trace, group[0]
    write, maker = _write(trace, saved), trace.nodes[saved.node].made_by
    writer_line = line_of(trace, write.step)
    needer_line = None if needer is None else line_of(trace, needer.id)
    steps = shown_from(trace, maker, write.step, None if needer is None else needer.id)
    last = shown_from(trace, write.step if needer is None else needer.id)
    return Finding(
        kind="stale_saved_tensor",
        severity="warning" if needer is None else "error",
        tick=saved.outdated[0][0],
        step=last[0] if last else None,
        steps=steps,
        line=writer_line if needer is None else needer_line,
        saved_tensors=[each.id for each in group],
        tensors=[tensor for tensor in dict.fromkeys([saved.tensor, write.tensor]) if tensor is not None],
        storages=[write.storage],
        arguments=_arguments(reading, saved, needer_line),
        fixes=for_stale(reading, group, write, needer),
    )


def _arguments(reading: Reading, saved: SavedTensor, needer_line: int | None) -> Arguments:
    trace = reading.trace
    write = _write(trace, saved)
    name, relation = reading.name_of_saved(saved)
    saver_line, writer_line = _lines(trace, saved)
    through = reading.name_written_through(write)
    return {
        "node": trace.nodes[saved.node].name,
        "slot": saved.name,
        "name": name,
        "relation": relation,
        "through": "" if through == name else through,
        "saver_line": saver_line or 0,
        "writer_line": writer_line or 0,
        "needer_line": needer_line or 0,
        "saved_version": -1 if saved.version is None else saved.version,
        "written_version": -1 if write.version is None else write.version,
        # The counter counts for the whole storage: the bytes that were saved may well be as they were.
        "bytes": "changed" if saved.overwritten else "unknown",
    }
