"""Finds, among the inputs of a Tensor, the tensors that required grad until a statement turned gradients off."""

from dataclasses import dataclass

from app.explain.reading.reading import Reading
from app.explain.reading.ways import Ways
from app.trace.index import Line
from app.trace.query import value_at
from app.trace.records import Step, TensorId, Tick

MOST_LINES = 5
"""Maximum number of reported lines that turned off gradients for inputs of one Tensor."""


@dataclass(frozen=True, slots=True)
class TurnedOff:
    """The statements that turned off gradients (one per line, the nearest first), and the Tensors of the first of these lines."""

    how: str
    tensors: list[TensorId]
    statements: list[Step]


def turned_off(reading: Reading, root: TensorId, ways: Ways, step: Step) -> TurnedOff | None:
    """How the inputs of the Tensor `root` came to not require grad; None if they still require grad or if the reason is unknown.

    "frozen": leaves were frozen before they were used, and no other input requires grad. "itself": the root is a frozen leaf.
    "detached": a tensor lost its graph by `detach_()`.
    """
    lost: dict[Line, list[TensorId]] = {}
    statements: dict[Line, Step] = {}
    behind: set[TensorId] = set()
    for tensor, link in [(root, None), *ways.used.items()]:
        # What a number or a Module was computed from is skipped: if it mattered, `provenance` would have found a cut there.
        if link is not None and (link.made is None or link.made in behind):
            behind.add(tensor)
            continue
        used = step.began if link is None else link.step.began
        tick = reading.lost_grad(tensor, used)
        statement = None if tick is None else reading.statement_at_tick(tick)
        line = None if statement is None else reading.line_of(statement.id)
        if reading.requires_grad(tensor, used) or (tick is not None and line is None):
            return None
        if tick is None or statement is None or line is None:
            continue
        if value_at(reading.trace.tensors[tensor].is_leaf, Tick(tick - 1)) is not True:
            is_told = not lost and "detach_" in reading.syntax.calls_in(reading.statement_at(statement))
            return TurnedOff("detached", [tensor], [statement]) if is_told else None
        behind.add(tensor)
        statements.setdefault(line, statement)
        lost.setdefault(line, []).append(tensor)
    how = "itself" if root in behind else "frozen"
    return TurnedOff(how, next(iter(lost.values())), list(statements.values())[:MOST_LINES]) if lost else None
