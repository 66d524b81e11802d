"""Finds evaluation in training mode and training in evaluation mode, in which dropout and batch norm behave wrongly."""

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.grad_mode import switch_before
from app.explain.reading.reading import Reading
from app.trace.query import MODULE
from app.trace.records import Step, StepId

_MEASURED = ("argmax", "item", "accuracy_score", "topk", "tolist")
"""Functions that programs use to judge predictions, but not for training."""

_DROPS = ("aten::bernoulli_", "aten::native_dropout")

MOST_OPERATORS = 200
"""Maximum number of operators of dropout and batch norm that are traced back to calls of models."""

MOST_BETWEEN = 1_000
"""Maximum number of steps between an `eval()` and the next training that are searched for an evaluation."""

MOST_CALLS = 20
"""Maximum number of nested calls between an operator and the call of a model."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """A call of a model in training mode: its statement, the model's path, and the operator that reveals the mode (dropout or
    norm)."""

    statement: Step
    call: ast.Call
    model: str
    how: str
    buffer: str


@finder()
def find_training_mode(reading: Reading) -> Iterator[Finding]:
    """A hint for each call that evaluates a model in training mode; a warning for each training in evaluation mode."""
    passes, is_whole = _passes(reading)
    if not passes:
        return
    switched = {word: [step for step, _, _ in reading.runs_with(ast.Call, word)] for word in ("eval", "train")}
    trained = {each.model for each in passes if each.statement.grad_enabled}
    moving = {each.statement.id for each in passes}
    told: set[ast.Call] = set()
    for each in passes:
        if each.call in told:
            continue
        if not each.statement.grad_enabled and each.model in trained and _is_measured(reading, each, switched):
            told.add(each.call)
            yield _evaluated(reading, each)
        elif each.statement.grad_enabled and is_whole:
            found = _left_in_eval(reading, each, switched, moving)
            if found is not None:
                told.add(each.call)
                yield _trained(reading, each, *found)


def _passes(reading: Reading) -> tuple[list[_Pass], bool]:
    """The calls of models that dropped elements or changed running statistics, and whether the list is complete.

    It is not if there are more than `MOST_OPERATORS`.
    """
    shown: list[tuple[StepId, str, str]] = []
    for step in reading.trace.steps:
        if step.kind == "operator" and step.name in _DROPS:
            shown.append((step.id, "dropout", "none"))
            if len(shown) > MOST_OPERATORS:
                break
    for write in reading.trace.writes if len(shown) <= MOST_OPERATORS else []:
        if write.tensor is not None and write.step is not None and "batch_norm" in (write.operator or ""):
            name = reading.name_of(write.tensor)
            shown += [(write.step, "norm", name)] if name.endswith("running_mean") else []
            if len(shown) > MOST_OPERATORS:
                break
    found: dict[tuple[StepId, ast.Call], _Pass] = {}
    for step_id, how, buffer in sorted(shown[:MOST_OPERATORS]):
        called = _model_called(reading, step_id)
        if called is not None:
            statement, call, model = called
            found.setdefault((statement.id, call), _Pass(statement, call, model, how, buffer))
    return list(found.values()), len(shown) <= MOST_OPERATORS


def _model_called(reading: Reading, step: StepId) -> tuple[Step, ast.Call, str] | None:
    """The outermost statement around an operator that calls a model by its variable, the call, and the path of the model."""
    statement, found = reading.statement_of(step), None
    for _ in range(MOST_CALLS):
        if statement is None:
            break
        calls = [each for row in reading.syntax.calls_in(reading.statement_ran_by(statement.id)).values() for each in row]
        for call in calls:
            path = reading.syntax.path_of(call.func)
            if path and path != "self" and _is_model(reading, path, statement):
                found = statement, call, path
        caller = None if statement.frame is None else reading.callers.get(statement.frame)
        statement = None if caller is None else reading.statement_of(reading.trace.steps[caller].parent)
    return found


def _is_model(reading: Reading, path: str, statement: Step) -> bool:
    """Whether a path leads to an object with Parameters."""
    variable = path.replace("[", ".").partition(".")[0]
    for frame in dict.fromkeys((statement.frame, MODULE)):
        for name in reading.names_through(variable, frame):
            if name.path.startswith(f"{path}.") or name.path.startswith(f"{path}["):
                tensor = reading.tensor_at(name, statement.began)
                if tensor is not None and reading.trace.tensors[tensor].type == "Parameter":
                    return True
    return False


def _is_measured(reading: Reading, each: _Pass, switched: dict[str, list[Step]]) -> bool:
    """Whether a call without gradients evaluates the model.

    False if the model is in evaluation mode (dropping elements then comes from `F.dropout`), or if the same block calls
    `train()`.
    """
    switch = switch_before(reading, each.statement)
    block = None if switch is None else reading.syntax.statement_around(switch.node)
    if switch is None or block is None or switch.how == "call":
        return False
    calls = reading.syntax.calls_in(block)
    trained, evaluated = (_last(switched[word], each.statement) for word in ("train", "eval"))
    is_asked = trained is not None and trained.frame == each.statement.frame and trained.began > switch.step.began
    is_in_eval = evaluated is not None and (trained is None or trained.began < evaluated.began)
    return any(word in calls for word in _MEASURED) and "train" not in calls and not is_asked and not is_in_eval


def _last(runs: list[Step], step: Step) -> Step | None:
    """The last of `runs` that began before `step`."""
    place = bisect_right(runs, step.began, key=attrgetter("began"))
    return runs[place - 1] if place else None


def _left_in_eval(
    reading: Reading, each: _Pass, switched: dict[str, list[Step]], moving: set[StepId]
) -> tuple[Step, Step] | None:
    """A later training run of the same statement in evaluation mode, and the `eval()` before it; None if there is none."""
    written = reading.statement_ran_by(each.statement.id)
    runs = [] if written is None else reading.runs_of_statement.get(written, [])
    after = _next(switched["eval"], each.statement)
    run = None if after is None else _next(runs, after)
    undone = None if after is None else _next(switched["train"], after)
    if after is None or run is None or run.id in moving or not run.grad_enabled:
        return None
    if undone is not None and undone.began < run.began:
        return None
    between = (reading.trace.steps[place] for place in range(after.id, min(run.id, after.id + MOST_BETWEEN)))
    is_evaluation = any(step.kind == "statement" and not step.grad_enabled for step in between)
    return (run, after) if is_evaluation else None


def _next(runs: list[Step], step: Step) -> Step | None:
    """The first of `runs` that began after `step`."""
    place = bisect_right(runs, step.began, key=attrgetter("began"))
    return runs[place] if place < len(runs) else None


def _evaluated(reading: Reading, each: _Pass) -> Finding:
    arguments: Arguments = {
        "model": each.model,
        "how": each.how,
        "name": each.buffer,
    }
    steps: list[StepId | None] = [each.statement.id]
    return reading.finding("evaluated_in_training_mode", steps, [], arguments)


def _trained(reading: Reading, each: _Pass, run: Step, switched: Step) -> Finding:
    arguments: Arguments = {
        "model": each.model,
        "how": each.how,
        "eval_line": reading.line_of(switched.id) or 0,
    }
    steps: list[StepId | None] = [switched.id, run.id]
    return reading.finding("trained_in_eval_mode", steps, [], arguments, severity="warning")
