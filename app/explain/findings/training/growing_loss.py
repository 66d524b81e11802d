"""Finds a loss that grows with each step of an optimizer, as it does if the learning rate is too large."""

import ast
import math
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.optimizers import constructor, runs_of_step
from app.explain.reading.reading import Reading
from app.explain.reading.ways import roots_after
from app.explain.rewriting.fitting import argument
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import elements
from app.trace.records import Step, TensorId, Tick

MOST_BACKWARDS = 100
"""Maximum number of examined backwards."""

FEWEST = 4
"""Minimum number of steps after which the loss was larger. Other batches and momentum raise a loss for fewer steps."""

LEAST_RATIO = 1.5
"""Minimum ratio of a loss to the loss before it."""

LEAST_GROWTH = 100
"""Minimum ratio of the last loss to the first."""

_LEAST_RATE, _MOST_RATE, _MOST_RATIO = 1e-9, 1e9, 1e12
"""Limits of the numbers from which a lower rate is computed."""


class Loss(NamedTuple):
    """The value from which a backward began."""

    backward: Step
    root: TensorId
    value: float


@finder(after=["find_accumulated"])
def find_growing_loss(reading: Reading) -> Iterator[Finding]:
    """A warning for each optimizer whose steps raise a loss again and again, at the backward after which this is certain."""
    told: set[TensorId] = set()
    if reading.found_by("find_accumulated"):
        return  # sums of gradients are another reason
    stepped = runs_of_step(reading)
    for optimizer, runs in stepped:
        others = sorted(run.began for other, its in stepped if other.held.keys().isdisjoint(optimizer.held) for run in its)
        growing = [] if told.intersection(optimizer.held) else _growing(reading, [run.began for run in runs], others)
        maker, call = constructor(reading, optimizer) or (None, None)
        if not growing or (call is not None and any(each.arg == "maximize" for each in call.keywords)):
            continue
        told.update(optimizer.held)
        found = None if call is None else _learning_rate(reading, call)
        arguments: Arguments = {
            "name": reading.name_of(growing[-1].root) or "none",
            "optimizer": optimizer.path,
            "steps": len(growing) - 1,
            "first": f"{growing[0].value:.3g}",
            "last": f"{growing[-1].value:.3g}",
            "rate": "unknown" if found is None else reading.syntax.text_of(found[0]),
            "rate_line": 0 if found is None else found[0].lineno,
        }
        fixes: Fixes = []
        if found is not None:
            fixes.append(offer("lower_rate", with_replaced, reading.trace.source, [(found[0], _lower(found[1], growing))]))
        shown = [] if maker is None or found is None else [maker.id]
        steps = [*shown, growing[-1].backward.id]
        yield reading.finding("growing_loss", steps, [growing[-1].root], arguments, fixes=fixes, severity="warning")


def _growing(reading: Reading, steps: list[Tick], others: list[Tick]) -> list[Loss]:
    """The first losses of one statement that only grow; empty if they do not grow enough.

    Between two of them the optimizer stepped, and no other did. The generator of a GAN may raise the discriminator's loss.
    """
    by_statement: dict[ast.stmt, list[Loss]] = {}
    for backward, root in roots_after(reading, Tick(-1), MOST_BACKWARDS):
        statement = reading.statement_at(backward)
        match elements(reading.trace, root, max(backward.began, reading.trace.tensors[root].born)):
            case [int() | float() as value] if statement is not None and 0 < value < math.inf:
                found = by_statement.setdefault(statement, [])
                last = found[-1] if found else None
                if last is not None and (
                    value < LEAST_RATIO * last.value
                    or not _is_between(steps, last.backward, backward)
                    or _is_between(others, last.backward, backward)
                ):
                    found.clear()
                found.append(Loss(backward, root, value))
                if len(found) > FEWEST and value >= LEAST_GROWTH * found[0].value:
                    return found
    return []


def _is_between(ticks: list[Tick], first: Step, second: Step) -> bool:
    """Whether any of these sorted ticks is between the beginnings of two steps."""
    place = bisect_right(ticks, first.began)
    return place < len(ticks) and ticks[place] < second.began


def _learning_rate(reading: Reading, call: ast.Call) -> tuple[ast.expr, float] | None:
    """The number that the snippet passes to the optimizer as learning rate, also through a variable, and its value."""
    written = argument(call, 1, "lr")
    if isinstance(written, ast.Name):
        written = reading.syntax.only_value(ast.Name, written.id)
    match written:
        case ast.Constant(value=int() | float() as rate) if _LEAST_RATE < rate < _MOST_RATE and rate is not True:
            return written, rate
    return None


def _lower(rate: float, growing: list[Loss]) -> str:
    """A lower learning rate.

    In gradient descent on a quadratic loss with the curvature c, a step with the rate r multiplies the distance to the minimum
    by 1 - rc, and the loss by the square of this. So the ratio of two losses gives c, and 1/c is the best rate. Later losses
    of other functions would give a rate that is much too low.
    """
    ratio = min(_MOST_RATIO, max(second.value / first.value for first, second in pairwise(growing[:3])))
    lower = rate / (1 + math.sqrt(ratio))
    exponent = math.floor(math.log10(lower))
    return f"{max(1, math.floor(lower / 10**exponent))}e{exponent}"
