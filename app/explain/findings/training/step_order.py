"""Finds gradients that were cleared before the optimizer used them, or clipped after the optimizer had used them."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.optimizers import gradient_at, stepped
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import end_of, events_after, next_change
from app.trace.records import Step, StepId, TensorId, Tick, Write

MOST_HELD = 200
"""Maximum number of examined Tensors of an optimizer."""


@finder()
def find_zeroed_before_step(reading: Reading) -> Iterator[Finding]:
    """A warning for each `opt.step()` without a gradient, because `zero_grad()` ran after the backward."""
    told: set[ast.stmt] = set()
    for step, statement, held in stepped(reading):
        if statement in told:
            continue
        cleared = {each: _cleared(reading, each, step) for each in held[:MOST_HELD]}
        found = [(leaf, *ticks) for leaf, ticks in cleared.items() if ticks is not None]
        if not found or len(held) > MOST_HELD:
            continue
        if any(gradient_at(reading, each, step.began) is not None for each in held if cleared[each] is None):
            continue
        leaf, since, tick = found[0]
        backward, zeroing = reading.step_at(since), reading.statement_at_tick(tick)
        zeroed = reading.statement_at(zeroing)
        if backward is None or zeroing is None or "zero_grad" not in reading.syntax.calls_in(zeroed):
            continue
        told.add(statement)
        arguments: Arguments = {
            "name": reading.name_of(leaf) or "none",
            "backward_line": reading.line_of(backward.id) or 0,
            "zero_line": reading.line_of(zeroing.id) or 0,
        }
        fixes = [offer("zero_after_step", _swapped, reading, zeroed, statement)]
        steps: list[StepId | None] = [backward.id, zeroing.id, step.id]
        tensors = [each[0] for each in found]
        yield reading.finding("zeroed_before_step", steps, tensors, arguments, fixes=fixes, severity="warning")


def _cleared(reading: Reading, leaf: TensorId, step: Step) -> tuple[Tick, Tick] | None:
    """When a leaf got its last gradient before a step, and when this gradient was cleared; None if it was used in between."""
    facts = reading.trace.tensors[leaf].grad
    before = [place for place, (tick, _) in enumerate(facts) if tick <= step.began]
    since = tick = None
    if len(before) > 1 and facts[before[-1]][1] is None and facts[before[-2]][1] is not None:
        since, tick = facts[before[-2]][0], facts[before[-1]][0]
    elif before and facts[before[-1]][1] is not None:
        last = _last_write(reading, facts[before[-1]][1], step.began)
        if last is not None and (last.operator or "").endswith("zero_"):
            since, tick = facts[before[-1]][0], last.tick
    geometry = reading.geometry_at(leaf, step.began)
    if since is None or tick is None or geometry is None or geometry.storage is None:
        return None
    writes = reading.writes_by_program.get(geometry.storage, [])
    return (
        (since, tick)
        if next(events_after(writes, since, end_of(step)), None) is None or _is_idle(writes, since, step)
        else None
    )


def _is_idle(writes: list[Write], since: Tick, step: Step) -> bool:
    """Whether all writes after `since` were made by the step itself and changed no bytes, because the gradient was 0."""
    return all(write.tick >= step.began and write.changed is False for write in events_after(writes, since, end_of(step)))


def _last_write(reading: Reading, tensor: TensorId | None, until: Tick) -> Write | None:
    geometry = reading.geometry_at(tensor, until)
    writes = [] if geometry is None or geometry.storage is None else reading.writes_to.get(geometry.storage, [])
    last = None
    for write in events_after(writes, Tick(-1), until):
        last = write
    return last


@finder()
def find_clipped_after_step(reading: Reading) -> Iterator[Finding]:
    """A warning for each clipping of gradients that a step had already used and no later step uses."""
    done: set[int] = set()
    for function in ("clip_grad_norm_", "clip_grad_value_"):
        for step, statement, node in reading.runs_with(ast.Call, function):
            if id(node) in done:
                continue
            found = _used_before(reading, step)
            if found is None:
                continue
            done.add(id(node))
            leaf, updated = found
            arguments: Arguments = {
                "function": function,
                "name": reading.name_of(leaf) or "none",
                "step_line": reading.line_of(updated.id) or 0,
            }
            updater = reading.statement_at(updated)
            fixes = [offer("clip_before_step", _swapped, reading, updater, statement)]
            steps: list[StepId | None] = [updated.id, step.id]
            yield reading.finding("clipped_after_step", steps, [leaf], arguments, fixes=fixes, severity="warning")


def _used_before(reading: Reading, clip: Step) -> tuple[TensorId, Step] | None:
    """A leaf whose gradient a statement clipped, and the `step()` that had already used the gradient; None if a later step uses
    it."""
    for write in reading.writes_in.get(clip.id, []):
        if write.tensor is None or write.changed is False or write.tensor not in reading.owners:
            continue  # a write that changed no bytes clipped nothing
        for since, leaf in reading.owners[write.tensor]:
            geometry = reading.geometry_at(leaf, clip.began)
            if geometry is None or geometry.storage is None or gradient_at(reading, leaf, clip.began) != write.tensor:
                continue
            updates = reading.writes_by_program.get(geometry.storage, [])
            added = [each for each in _writes(reading, write.tensor, since, clip.began) if reading.in_backward(each)]
            came = added[-1].tick if added else since
            update = next(events_after(updates, came, clip.began), None)
            updated = None if update is None else reading.statement_of(update.step)
            if updated is None or "step" not in reading.syntax.calls_in(reading.statement_at(updated)):
                return None
            again = next(events_after(updates, end_of(clip)), None)
            gone = next_change(reading.trace.tensors[leaf].grad, clip.began)
            zeroed = next((each for each in _writes(reading, write.tensor, end_of(clip)) if _zeroes(each)), None)
            ticks = [tick for tick in (gone, None if zeroed is None else zeroed.tick) if tick is not None]
            return (leaf, updated) if again is None or (ticks and min(ticks) < again.tick) else None
    return None


def _zeroes(write: Write) -> bool:
    return (write.operator or "").endswith("zero_")


def _writes(reading: Reading, tensor: TensorId, since: Tick, until: Tick | None = None) -> list[Write]:
    geometry = reading.geometry_at(tensor, since)
    writes = [] if geometry is None or geometry.storage is None else reading.writes_to.get(geometry.storage, [])
    return list(events_after(writes, since) if until is None else events_after(writes, since, until))


def _swapped(reading: Reading, first: ast.stmt | None, second: ast.stmt) -> str | None:
    """The snippet with the two statements exchanged, if they are on separate adjacent lines."""
    source = reading.syntax.text
    if not isinstance(first, ast.Expr) or not isinstance(second, ast.Expr) or first.col_offset != second.col_offset:
        return None
    texts = [ast.get_source_segment(source, each) for each in (first, second)]
    between = reading.syntax.lines[(first.end_lineno or first.lineno) : second.lineno - 1]
    if None in texts or any(line.strip() and not line.strip().startswith("#") for line in between):
        return None
    if first.lineno >= second.lineno or any("\n" in (text or "") for text in texts):
        return None
    return with_replaced(source, [(first, texts[1] or ""), (second, texts[0] or "")])
