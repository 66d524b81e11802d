"""Finds an optimizer whose last steps wrote its Parameters and changed no value, although the gradients are not 0."""

import ast
from collections.abc import Iterator
from itertools import islice, takewhile

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.optimizers import Optimizer, constructor, gradient_at, runs_of_step
from app.explain.reading.reading import Reading
from app.explain.rewriting.fitting import argument
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import end_of, events_after, value_at
from app.trace.records import Cells, Step, Summary, TensorId

FEWEST = 2
"""Minimum number of such steps. A schedule may set the learning rate of one step, the first or the last, to 0."""

MOST_STEPS = 50
"""Maximum number of examined steps of an optimizer."""

MOST_HELD = 200
"""Maximum number of examined Tensors of an optimizer."""

LEAST = 1e-4
"""Minimum ratio of the largest gradient to the largest value: a step with the learning rate 1e-3 then changes a float32."""

DEFAULT_RATE = "1e-3"
"""The default learning rate of most optimizers in `torch.optim`."""


@finder(needs_the_end=True)
def find_unchanged_step(reading: Reading) -> Iterator[Finding]:
    """A warning for each optimizer whose last steps change nothing, at the first of these steps."""
    told: set[TensorId] = set()
    for optimizer, runs in runs_of_step(reading):
        held = list(optimizer.held)[:MOST_HELD]
        steps = _unchanged(reading, runs, held)
        if len(steps) < FEWEST or told.intersection(held):
            continue
        told.update(held)
        maker, rate = _learning_rate(reading, optimizer)
        fixes: Fixes = (
            [] if rate is None else [offer("learning_rate", with_replaced, reading.trace.source, [(rate, DEFAULT_RATE)])]
        )
        leaf = next(leaf for leaf in held if _has_gradient(reading, leaf, steps[-1]))
        arguments: Arguments = {
            "optimizer": optimizer.path,
            "name": reading.name_of(leaf) or "none",
            "others": len(held) - 1,
            "steps": len(steps),
            "rate": "unknown" if rate is None else "zero",
            "maker_line": 0 if maker is None else reading.line_of(maker.id) or 0,
        }
        shown = [maker.id] if maker is not None and rate is not None else []
        yield reading.finding("unchanged_step", [*shown, steps[-1].id], held, arguments, fixes=fixes, severity="warning")


def _unchanged(reading: Reading, runs: list[Step], held: list[TensorId]) -> list[Step]:
    """The last runs of `step()` that changed nothing, the latest first."""
    return list(takewhile(lambda step: _changes_nothing(reading, step, held), islice(reversed(runs), MOST_STEPS)))


def _changes_nothing(reading: Reading, step: Step, held: list[TensorId]) -> bool:
    """Whether a step wrote a Parameter whose gradient is not 0, and no write of the step changed a byte of a Parameter."""
    has_gradient = False
    for leaf in held:
        geometry = reading.geometry_at(leaf, step.began)
        writes = reading.writes_to.get(None if geometry is None else geometry.storage, [])
        changed = [write.changed for write in events_after(writes, step.began, end_of(step))]
        if any(each is not False for each in changed):
            return False
        has_gradient |= bool(changed) and _has_gradient(reading, leaf, step)
    return has_gradient


def _has_gradient(reading: Reading, leaf: TensorId, step: Step) -> bool:
    """Whether the gradient of a leaf is known, and large enough that a step with a usual learning rate would change the leaf."""
    gradient = gradient_at(reading, leaf, step.began)
    largest = 0.0 if gradient is None else _largest(reading, gradient, step)
    return largest > LEAST * _largest(reading, leaf, step)


def _largest(reading: Reading, tensor: TensorId, step: Step) -> float:
    """The largest absolute value on a Tensor's storage when a step begins; 0 if the values are unknown."""
    geometry = reading.geometry_at(tensor, step.began)
    if geometry is None or geometry.storage is None:
        return 0.0
    match value_at(reading.trace.storages[geometry.storage].contents, step.began):
        case Cells(values=values):
            return max((abs(each) for each in values if isinstance(each, int | float)), default=0.0)
        case Summary(min=int() | float() as low, max=int() | float() as high):
            return max(abs(low), abs(high))
    return 0.0


def _learning_rate(reading: Reading, optimizer: Optimizer) -> tuple[Step | None, ast.expr | None]:
    """The statement that created the optimizer, and its learning rate if the source has 0."""
    found = constructor(reading, optimizer)
    if found is None:
        return None, None
    step, call = found
    match argument(call, 1, "lr"):
        case ast.Constant(value=int() | float() as rate) as written if rate == 0 and rate is not False:
            return step, written
    return step, None
