"""Finds an optimizer that is created again for the same Parameters and thus loses its averages of gradients."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from app.explain.finding import Arguments, Finding, Severity, finder
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.trace.query import end_of, events_after
from app.trace.records import Step, StepId, TensorId

MOST_RUNS = 100
"""Maximum number of examined runs of one statement that creates an optimizer."""

_WITH_STATE = ("Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad", "Adadelta")
"""Optimizers that keep averages of gradients; `SGD` does if it has a momentum. `LBFGS` is created again on purpose."""


@finder()
def find_made_again(reading: Reading) -> Iterator[Finding]:
    """A finding for each statement that creates such optimizers.

    It is a warning if each optimizer makes only one step, and thus never uses its averages; a hint if each makes several
    steps.
    """
    for statement in reading.syntax.of(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Call() as call) if _has_state(call):
                runs = reading.runs_of_statement.get(statement, [])[:MOST_RUNS]
                found = _finding(reading, reading.syntax.path_of(target), last_name(call), runs)
                if found is not None:
                    yield found


def _has_state(call: ast.Call) -> bool:
    momentum = next((keyword.value for keyword in call.keywords if keyword.arg == "momentum"), None)
    is_moving = momentum is not None and not (isinstance(momentum, ast.Constant) and not momentum.value)
    return last_name(call) in _WITH_STATE or (last_name(call) == "SGD" and is_moving)


def _finding(reading: Reading, path: str, function: str, runs: list[Step]) -> Finding | None:
    """A finding if a statement created several optimizers for the same Parameters, and only `step()` changed them in between."""
    held = [reading.named(f"{path}.param_groups[0]['params'][0]", run.frame, end_of(run)) for run in runs]
    first = held[0] if held else None
    if len(runs) < 2 or first is None or any(each != first for each in held):
        return None
    counts = [_steps(reading, first, one, other) for one, other in pairwise(runs)]
    if not all(counts):
        return None
    is_single = all(count == 1 for count in counts)
    if not is_single and runs[0].frame != runs[1].frame:
        return None  # each call of a training function may create its own optimizer
    arguments: Arguments = {
        "optimizer": path,
        "function": function,
        "name": reading.name_of(first) or "none",
        "runs": len(runs),
        "how": "single" if is_single else "several",
    }
    severity: Severity = "warning" if is_single else "hint"
    steps: list[StepId | None] = [runs[0].id, runs[1].id]
    return reading.finding("optimizer_made_again", steps, [first], arguments, severity=severity)


def _steps(reading: Reading, tensor: TensorId, one: Step, other: Step) -> int:
    """The number of statements with a call of `step` that changed a Tensor between two runs; 0 if other code also changed it."""
    writes = writes_to(reading.writes_by_program, reading.geometry_at(tensor, one.began))
    found: set[StepId] = set()
    for write in events_after(writes, end_of(one), other.began):
        statement = reading.statement_of(write.step)
        if statement is None or "step" not in reading.syntax.calls_in(reading.statement_ran_by(write.step)):
            return 0
        found.add(statement.id)
    return len(found)
