"""Finds two optimizers that take turns with the same Parameters, because one of them got the Parameters of the wrong model."""

import ast
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.optimizers import Optimizer, constructor, optimizers
from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.records import FrameId, Step

MOST_OPTIMIZERS = 6
"""Maximum number of optimizers of one frame that are compared."""


@finder()
def find_shared_optimizer(reading: Reading) -> Iterator[Finding]:
    """A hint for each pair of optimizers that take turns, at the first step of the second optimizer. Some programs intend
    this."""
    by_frame: dict[FrameId, list[Optimizer]] = defaultdict(list)
    for optimizer in optimizers(reading):
        if len(by_frame[optimizer.frame]) < MOST_OPTIMIZERS and _maker(reading, optimizer) is not None:
            by_frame[optimizer.frame].append(optimizer)
    pairs = [pair for row in by_frame.values() for pair in combinations(row, 2) if pair[0].held.keys() == pair[1].held.keys()]
    steps = _steps(reading) if pairs else {}
    told: set[tuple[Line, Line]] = set()
    for one, other in pairs:
        first, second = steps.get(_last(one.path), []), steps.get(_last(other.path), [])
        lines = _line(reading, one), _line(reading, other)
        if one.path == other.path or lines[0] == lines[1] or lines in told or not _take_turns(first, second):
            continue
        told.add(lines)
        leaf = next(iter(one.held))
        arguments: Arguments = {
            "one": one.path,
            "other": other.path,
            "name": reading.name_of(leaf) or "none",
            "one_line": lines[0],
            "other_line": lines[1],
            "line": reading.line_of(second[0].id) or 0,
        }
        steps_shown = [_maker(reading, one), _maker(reading, other), second[0]]
        shown = [step.id for step in steps_shown if step is not None]
        yield reading.finding("shared_by_optimizers", shown, one.held, arguments)


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _maker(reading: Reading, optimizer: Optimizer) -> Step | None:
    found = constructor(reading, optimizer)
    return None if found is None else found[0]


def _line(reading: Reading, optimizer: Optimizer) -> Line:
    maker = _maker(reading, optimizer)
    return 0 if maker is None else reading.line_of(maker.id) or 0


def _steps(reading: Reading) -> dict[str, list[Step]]:
    """The runs of `step()`, in order, by the last name of the object: `opt` for `self.opt.step()`."""
    found: dict[str, list[Step]] = defaultdict(list)
    for step, _, node in reading.runs_with(ast.Call, "step"):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found[_last(reading.syntax.path_of(node.func.value))].append(step)
    return found


def _take_turns(first: list[Step], second: list[Step]) -> bool:
    """Whether each optimizer stepped after the other at least once. One optimizer used only after the other does not count."""
    if not first or not second:
        return False
    order = [step.id for step in first]
    return bisect_right(order, second[0].id) < len(order) and second[-1].id > order[0]
