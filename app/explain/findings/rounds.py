"""The loops that were running when a recording ended, with the current iteration of each and the number of iterations."""

import ast
from bisect import bisect_right
from operator import attrgetter
from typing import NamedTuple

from app.explain.reading.integers import integers
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.blocks import Loop, levels
from app.trace.records import Step, Tick


class Rounds(NamedTuple):
    """A loop that was running when the recording ended."""

    loop: Loop
    first: Step
    """The step of the loop's header that began the first iteration."""
    number: int
    """The number of the current iteration, from 1."""
    total: int | None
    """The number of all iterations; None if unknown."""


def rounds_under_way(reading: Reading) -> list[Rounds]:
    """The loops around the last statement that began, also in calling functions, the outermost first."""
    found: list[Rounds] = []
    for step in _statements_under_way(reading):
        since = Tick(0)
        for loop in _loops_around(reading, step):
            runs = reading.runs_of_statement.get(loop, [])
            runs = [run for run in runs[bisect_right(runs, since, key=attrgetter("began")) :] if run.frame == step.frame]
            if runs:
                since = runs[-1].began
                total = _total(reading, loop, runs[0]) if isinstance(loop, ast.For) else None
                if total is None or len(runs) <= total:
                    found.append(Rounds(loop, runs[0], len(runs), total))
    return found


def _statements_under_way(reading: Reading) -> list[Step]:
    """The last statement that began, and the statements that called its function, the outermost first."""
    found: list[Step] = []
    step = reading.begun[-1] if reading.begun else None
    while step is not None:
        if step.kind == "call" and step.ended is not None:
            found.clear()  # that function had returned
        elif step.kind == "statement":
            found.append(step)
        step = None if step.parent is None else reading.trace.steps[step.parent]
    return found[::-1]


def _loops_around(reading: Reading, step: Step) -> list[Loop]:
    """The loops around a statement, within its function, the outermost first. One-line loops are left out."""
    statement = reading.statement_at(step)
    found: list[Loop] = []
    for level in [] if statement is None else levels(reading.syntax, statement):
        if isinstance(level.owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.clear()
        elif isinstance(level.owner, ast.For | ast.While) and level.block is level.owner.body:
            found.append(level.owner)
    if isinstance(statement, ast.For | ast.While) and step.ended is not None:
        found.append(statement)
    return [loop for loop in found if not reading.syntax.beside(loop)]


def counted(loop: ast.For) -> ast.expr:
    """The iterable of a loop; `x` for `enumerate(x)`."""
    match loop.iter:
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return inner
    return loop.iter


def _total(reading: Reading, loop: ast.For, step: Step) -> int | None:
    iterable = counted(loop)
    match iterable:
        case ast.Call(args=args) if is_range(reading.syntax, iterable):
            numbers = integers(reading, args, step)
            return len(range(*numbers)) if numbers and (len(numbers) < 3 or numbers[2]) else None
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return None if any(isinstance(each, ast.Starred) for each in elements) else len(elements)
        case ast.Name(id=name):
            return _length(reading, iterable, step) if name not in _receivers(reading.syntax, loop) else None
    return None


def is_range(syntax: Syntax, node: ast.expr) -> bool:
    """Whether an expression is a call of Python's `range` with a valid number of arguments."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=args, keywords=[]):
            return 1 <= len(args) <= 3 and "range" not in syntax.bound_names
    return False


def _length(reading: Reading, name: ast.Name, step: Step) -> int | None:
    """The length of a list or tuple, or the first size of a tensor; None if unknown."""
    held = reading.held(name.id, step)
    if held is not None:
        return held.length if held.type in ("list", "tuple") else None
    tensor = reading.named(name.id, step.frame, step.began)
    geometry = reading.geometry_at(tensor, step.began)
    return geometry.shape[0] if geometry is not None and geometry.shape else None


def _receivers(syntax: Syntax, loop: ast.For) -> set[str]:
    """The variables whose attributes a loop reads.

    One of them may be the list over which the loop iterates, and the loop may call its `append`.
    """
    attributes = (each.value for each in syntax.walk(loop) if isinstance(each, ast.Attribute))
    return {each.id for each in attributes if isinstance(each, ast.Name)}
