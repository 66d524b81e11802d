"""Finds `F.dropout(x)` without `training=`, and `nn.Dropout()(x)` in one expression, which also drop elements in evaluation
mode."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.mismatch import function_of_torch
from app.explain.reading.grad_mode import is_in_function
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Step, StepId, TensorId

_FUNCTIONS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
_DROPS = ("aten::bernoulli_", "aten::native_dropout")

MOST_PARAMETERS = 200
"""Maximum number of Parameters that are examined in the module on which `eval()` was called."""


@finder()
def find_functional_dropout(reading: Reading) -> Iterator[Finding]:
    """A warning for each dropout that dropped elements, without gradients, while its module was in evaluation mode."""
    told: set[ast.expr] = set()
    switches: list[tuple[Step, str, str]] | None = None
    calls = [each for name in _FUNCTIONS for each in reading.runs_with(ast.Call, name)]
    for step, _, node in [*calls, *reading.runs_with(ast.Call, "")]:
        how = _how(reading, node, step) if isinstance(node, ast.Call) and node not in told and not step.grad_enabled else ""
        if not how or not any(each.name in _DROPS for each in reading.operators_of(step)):
            continue
        switches = _switches(reading) if switches is None else switches
        before = _last_eval(reading, switches, step)
        if before is None or not isinstance(node, ast.Call) or is_in_function(reading, step):
            continue
        told.add(node)
        arguments: Arguments = {
            "function": reading.syntax.text_of(node.func),
            "how": how,
            "model": before[2],
            "eval_line": reading.line_of(before[0].id) or 0,
        }
        fixes = [offer("pass_training", _with_training, reading, node)] if how == "function" else []
        steps: list[StepId | None] = [before[0].id, step.id]
        yield reading.finding("dropout_in_eval", steps, [], arguments, fixes=fixes, severity="warning")


def _how(reading: Reading, node: ast.Call, step: Step) -> str:
    match node:
        case ast.Call(func=ast.Call() as made) if last_name(made).endswith("Dropout") or last_name(made).startswith("Dropout"):
            return "made"
        case ast.Call(func=function, args=args, keywords=keywords) if last_name(function) in _FUNCTIONS and len(args) < 3:
            is_told = any(keyword.arg in ("training", None) for keyword in keywords)
            return "" if is_told or not function_of_torch(reading, function, step)[1] else "function"
    return ""


def _switches(reading: Reading) -> list[tuple[Step, str, str]]:
    """The calls of `eval()` and `train()`, in order, with the paths of their modules."""
    found = [
        (step, word, reading.syntax.path_of(call.func.value))
        for word in ("eval", "train")
        for step, _, call in reading.runs_with(ast.Call, word)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    ]
    return sorted(found, key=lambda each: each[0].id)


def _last_eval(reading: Reading, switches: list[tuple[Step, str, str]], step: Step) -> tuple[Step, str, str] | None:
    """The last call of `eval()` or `train()` before a step, if it was `eval()` on a module that contains the step's `self`;
    else None."""
    last = None
    for each in switches:
        if each[0].id > step.id:
            break
        last = each
    if last is None or last[1] != "eval":
        return None
    ours, theirs = _leaves(reading, "self", step), _leaves(reading, last[2].partition(".")[0], last[0])
    return last if ours & theirs else None


def _leaves(reading: Reading, variable: str, step: Step) -> set[TensorId]:
    reached = zip(reading.reached(variable, step.frame, step.began), range(MOST_PARAMETERS), strict=False)
    return {tensor for tensor, _ in reached}


def _with_training(reading: Reading, node: ast.Call) -> str | None:
    """`F.dropout(x, 0.5)` → `F.dropout(x, 0.5, training=self.training)`."""
    text = ast.get_source_segment(reading.syntax.text, node)
    return None if text is None else with_replaced(reading.trace.source, [(node, f"{text[:-1]}, training=self.training)")])
