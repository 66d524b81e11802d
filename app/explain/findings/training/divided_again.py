"""Finds data that is scaled in place each time it is read, because the statement divides a view or an argument."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_clone
from app.trace.query import MODULE, events_after
from app.trace.records import Step, TensorId, Write

MOST_RUNS = 200
"""Maximum number of examined runs of one statement that divides in place, after the first."""


@finder()
def find_divided_again(reading: Reading) -> Iterator[Finding]:
    """A warning for each statement that divided the same elements in place twice without another change in between."""
    first: dict[tuple[int, int, int, int], tuple[Step, Write]] = {}
    told: set[int] = set()
    runs: dict[int, int] = {}
    for write in reading.trace.writes:
        step = reading.statement_of(write.step) if write.operator == "aten::div_" and write.changed else None
        statement = None if step is None else reading.statement_ran_by(write.step)
        if step is None or statement is None or statement.lineno in told:
            continue
        variable = _divided(reading, statement)
        if not variable:
            continue
        before = first.setdefault((statement.lineno, write.storage, write.begin, write.end), (step, write))
        runs[statement.lineno] = runs.get(statement.lineno, 0) + (before[1] is not write)
        if before[1] is write or before[0].id == step.id or runs[statement.lineno] > MOST_RUNS:
            continue
        tensor = reading.named(variable, step.frame, step.began)
        if tensor is not None and _is_read_anew(reading, tensor, before, step) and _is_alone(reading, before[1], write):
            told.add(statement.lineno)
            yield _finding(reading, variable, tensor, before[0], step, statement)


def _divided(reading: Reading, statement: ast.stmt) -> str:
    """The variable that a statement divides in place, if the divisor does not contain it; "" for other statements."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Div(), value=value):
            return "" if name in reading.syntax.names_in(value) else name
    for call in reading.syntax.calls_in(statement).get("div_", []):
        names = list(reading.syntax.names_in(call.func))
        given = {name for each in call.args for name in reading.syntax.names_in(each)}
        return names[0] if len(names) == 1 and names[0] not in given else ""
    return ""


def _is_read_anew(reading: Reading, tensor: TensorId, before: tuple[Step, Write], step: Step) -> bool:
    """Whether the variable holds a view created since the first division, or an argument of another call.

    Divisions of weights, gradients and states of optimizers are left out.
    """
    record = reading.trace.tensors[tensor]
    if (
        reading.requires_grad(tensor, step.began)
        or tensor in reading.owners
        or reading.requires_grad(reading.base_of(tensor), step.began)
    ):
        return False
    if any("param_groups" in path or ".state" in path for path in reading.paths_of(reading.base_of(tensor), step.began)):
        return False
    storage = reading.geometry_at(tensor, step.began)
    others = [] if storage is None else reading.tensors_on.get(storage.storage, [])
    if any(reading.requires_grad(other, step.began) for other in others):
        return False
    is_view = reading.base_of(tensor) != tensor and record.born > before[1].tick
    is_argument = step.frame not in (None, MODULE, before[0].frame) and record.born < before[0].began
    return is_view or is_argument


def _is_alone(reading: Reading, first: Write, second: Write) -> bool:
    """Whether nothing changed the elements between two divisions, except the line of the division and subtractions in place."""
    between = events_after(reading.changing_writes.get(first.storage, []), first.tick, second.tick)
    lines = {reading.line_of(first.step)}
    for write in between:
        if write.begin < first.end and first.begin < write.end and write is not second:
            operator = (write.operator or "").removeprefix("aten::")
            if operator != "sub_" and reading.line_of(write.step) not in lines:
                return False
    return True


def _finding(reading: Reading, variable: str, tensor: TensorId, before: Step, step: Step, statement: ast.stmt) -> Finding:
    base = reading.base_of(tensor)
    source = reading.name_of(base) if base != tensor else ""
    arguments: Arguments = {
        "name": reading.told(variable, step.frame),
        "source": source or "none",
    }
    fixes = [offer("divide_a_copy", _copied, reading, variable, step)]
    steps = [before.id, step.id]
    return reading.finding("divided_again", steps, [tensor], arguments, fixes=fixes, severity="warning")


def _copied(reading: Reading, variable: str, step: Step) -> str | None:
    """`x = data[i]` → `x = data[i].clone()`."""
    definition = reading.defined_by(variable, step)
    match None if definition is None else definition[0]:
        case ast.Assign(targets=[ast.Name()], value=ast.Subscript() | ast.Attribute() as value):
            return with_clone(reading.trace.source, value)
    return None
