"""Finds gradients of several backwards that were summed in `.grad`, because nothing cleared `.grad` in between."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from app.explain.finding import MOST_FINDINGS, Finding, Fixes, finder, offer
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.reading import Reading
from app.explain.reading.recorded_values import is_nonzero
from app.explain.rewriting.rewrites import statements_before
from app.trace.index import Line
from app.trace.naming import grad_name
from app.trace.query import END, MODULE, events_after, next_change, value_at
from app.trace.records import Cells, Geometry, Step, Summary, Tensor, TensorId, Tick, Write

_SCALES = frozenset(
    f"aten::{name}_" for operation in ("mul", "div", "clamp") for name in (operation, f"_foreach_{operation}")
) | {"aten::clamp_min_", "aten::clamp_max_", "aten::_foreach_clamp_min_", "aten::_foreach_clamp_max_"}
"""Operators with which gradient clipping and averaging change `.grad`."""

Sum = tuple[Step, Write | None, Step]
"""Two backwards whose gradients were summed, and the update of the leaf between them (None: there was none)."""


@finder()
def find_accumulated(reading: Reading) -> list[Finding]:
    """A warning if the sum was used to update the leaf; a hint if the leaf did not change between the backwards."""
    groups: dict[tuple[Line, Line, bool], list[tuple[TensorId, Sum]]] = defaultdict(list)
    for leaf, runs in _accumulations(reading).items():
        found = _first_sum(reading, reading.trace.tensors[leaf], runs)
        if found is not None:
            lines = reading.line_of(found[0].id) or 0, reading.line_of(found[2].id) or 0
            groups[*lines, found[1] is None].append((leaf, found))
    return [_finding(reading, group) for group in list(groups.values())[:MOST_FINDINGS]]


def _accumulations(reading: Reading) -> dict[TensorId, list[Step]]:
    """For each leaf, the steps that added a gradient to its `.grad`."""
    found: dict[TensorId, list[Step]] = defaultdict(list)
    for step in reading.trace.steps:
        leaf = None if step.node is None else reading.trace.nodes[step.node].variable
        if leaf is not None and reading.was_added(step):
            found[leaf].append(step)
    return {leaf: runs for leaf, runs in sorted(found.items()) if len(runs) > 1}


def _first_sum(reading: Reading, leaf: Tensor, runs: list[Step]) -> Sum | None:
    """Two successive backwards whose gradients were summed and then used, although the leaf was also updated between them.

    If the leaf was never updated and `.grad` never cleared, the first two backwards.
    """
    kept: Sum | None = None
    begun: Sum | None = None
    is_whole = True
    for number, (first, second) in enumerate(pairwise(runs)):
        if first.ended is None or second.ended is None:
            return None
        after = runs[number + 2].began if number + 2 < len(runs) else END
        update = _updated(reading, leaf, first.ended, second.began)
        if _cleared(reading, leaf, first.ended, Tick(second.ended + 1), update) or _is_one(reading, first, second):
            begun, is_whole = None, False
            continue
        if update is not None:
            is_whole = False
            begun = begun or ((first, update, second) if _uses_grad(reading, update) else None)
        kept = kept or (first, None, second)
        use = _updated(reading, leaf, second.ended, after)
        if (
            begun is not None
            and use is not None
            and _uses_grad(reading, use)
            and not _cleared(reading, leaf, second.ended, use.tick, use)
        ):
            return begun
    last = runs[-1].ended
    is_over = (
        reading.is_cut or last is None or _cleared(reading, leaf, last, END) or _updated(reading, leaf, last, END) is not None
    )
    return None if is_over or not is_whole or kept is None or not _is_named(reading, leaf, kept[2].began) else kept


def _is_named(reading: Reading, leaf: Tensor, tick: Tick) -> bool:
    """Whether a variable of the module still leads to the leaf. If none does, the error is the lost leaf and not its gradient."""
    return reading.named(reading.path_of(leaf.id), MODULE, tick) == leaf.id


def _uses_grad(reading: Reading, write: Write) -> bool:
    """Whether the writing statement used a gradient: `opt.step()`, `w -= 0.1 * w.grad`."""
    statement = reading.statement_ran_by(write.step)
    pieces = reading.syntax.attributes_in(statement)
    return "grad" in pieces or (isinstance(statement, ast.Expr) and "step" in pieces)


def _is_one(reading: Reading, first: Step, second: Step) -> bool:
    """Whether both steps belong to the same backward."""
    one, other = reading.statement_of(first.id), reading.statement_of(second.id)
    return one is None or other is None or one.id == other.id


def _cleared(reading: Reading, leaf: Tensor, after: Tick, before: Tick, update: Write | None = None) -> bool:
    """Whether, between two ticks, `.grad` was replaced, or written by other code than a backward.

    A write that only scales `.grad` before `update`, as gradient clipping does, does not count.
    """
    grad, change = value_at(leaf.grad, after), next_change(leaf.grad, after)
    if change is not None and change < before:
        return True
    geometry = reading.geometry_at(grad, after)
    if geometry is None:
        return True
    writes = _writes(reading, geometry, after, before)
    return not all(update is not None and write.tick < update.tick and _only_scales(reading, write) for write in writes)


def _only_scales(reading: Reading, write: Write) -> bool:
    """Whether a write multiplied or clamped the gradient and did not set all of it to 0, which would be a reset."""
    match value_at(reading.trace.storages[write.storage].contents, write.tick):
        case Cells(values=values):
            is_left = any(map(is_nonzero, values))
        case Summary(min=least, max=most):
            is_left = is_nonzero(least) or is_nonzero(most)
        case _:
            return False
    return is_left and write.operator in _SCALES


def _updated(reading: Reading, leaf: Tensor, after: Tick, before: Tick) -> Write | None:
    """The first write to the leaf between two ticks; None if it was made through another leaf on the same memory."""
    write = next(_writes(reading, value_at(leaf.geometry, after), after, before), None)
    through = None if write is None or write.tensor is None else reading.base_of(write.tensor)
    is_own = write is None or through in (None, leaf.id) or not reading.requires_grad(through, write.tick)
    return write if is_own else None


def _writes(reading: Reading, geometry: Geometry | None, after: Tick, before: Tick) -> Iterator[Write]:
    """The writes to a Storage between two ticks, except those that backwards made."""
    return events_after(writes_to(reading.writes_by_program, geometry), after, Tick(before - 1))


def _finding(reading: Reading, group: list[tuple[TensorId, Sum]]) -> Finding:
    leaf, (first, write, second) = min(group, key=lambda each: each[0])
    fixes: Fixes = []
    if write is not None:
        names = [reading.path_of(each[0]) for each in group]
        fixes.append(offer("clear_grad", _cleared_before, reading, write, second, names))
    return reading.finding(
        "grad_accumulated",
        [first.id, *([] if write is None else [write.step]), second.id],
        [each[0] for each in group],
        {
            "name": reading.name_of(leaf),
            "grad": grad_name(reading.name_of(leaf)),
            "known": "yes" if reading.name_of(leaf) else "no",
            "others": len(group) - 1,
            "updated": "no" if write is None else "yes",
            "write_line": 0 if write is None else reading.line_of(write.step) or 0,
            "first_line": reading.line_of(first.id) or 0,
            "second_line": reading.line_of(second.id) or 0,
            "rounds": "same" if reading.line_of(first.id) == reading.line_of(second.id) else "other",
        },
        fixes=fixes,
        severity="hint" if write is None else "warning",
    )


def _cleared_before(reading: Reading, write: Write, second: Step, names: list[str]) -> str | None:
    """Inserts `opt.zero_grad()` or `w.grad = None` above the backward."""
    needer = reading.statement_ran_by(second.id)
    if needer is None:
        return None
    match reading.statement_ran_by(write.step):
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="step"))):
            return statements_before(reading.trace.source, needer, [f"{name}.zero_grad()"])
    if not all(name.isidentifier() for name in names):
        return None
    return statements_before(reading.trace.source, needer, [f"{name}.grad = None" for name in names])
