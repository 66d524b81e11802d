"""Finds a batch norm with frozen weights whose running statistics still change in each forward pass."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import statements_after
from app.trace.index import Line
from app.trace.query import END, MODULE, events_after, value_at
from app.trace.records import Name, Step, StepId, TensorId, Tick, Write

_NORMS = ("native_batch_norm", "_native_batch_norm_legit", "cudnn_batch_norm", "batch_norm", "_batch_norm_with_update")


@finder()
def find_moving_norm(reading: Reading) -> Iterator[Finding]:
    """A warning for each frozen batch norm that was used in training, once per line that froze it."""
    done: set[Line | None] = set()
    for name in reading.trace.names:
        if name.frame != MODULE or not name.path.endswith(".running_mean"):
            continue
        found = _moved(reading, name)
        if found is None:
            continue
        weight, froze, write = found
        line = reading.line_of(froze.id)
        if line in done:
            continue
        done.add(line)
        root, owner = _frozen_by(reading, froze)
        arguments: Arguments = {
            "name": name.path,
            "module": owner or name.path.removesuffix(".running_mean"),
            "frozen_line": line or 0,
        }
        fixes: Fixes = []
        if root is not None and owner:
            fixes.append(offer("eval_frozen", statements_after, reading.trace.source, root, [f"{owner}.eval()"]))
        steps: list[StepId | None] = [froze.id, write.step]
        yield reading.finding("moving_batch_norm", steps, [weight], arguments, fixes=fixes, severity="warning")


def _moved(reading: Reading, name: Name) -> tuple[TensorId, Step, Write] | None:
    """The frozen weight of a batch norm, the statement that froze it, and the first forward pass that changed its statistics."""
    weight_name = reading.name_in(name.frame, f"{name.path.removesuffix('running_mean')}weight")
    weight = None if weight_name is None else value_at(weight_name.tensor, END)
    mean = value_at(name.tensor, END)
    if weight is None or mean is None:
        return None
    facts = reading.trace.tensors[weight].requires_grad
    # Only weights that were frozen once and stayed frozen count. In a GAN, models are frozen and unfrozen in turns.
    if [required for _, required in facts][-2:] != [True, False] or sum(not required for _, required in facts) > 1:
        return None
    since = facts[-1][0]
    if _written(reading, weight, since) or not any(step.began > since for step in reading.trace.steps if step.node is not None):
        return None
    geometry = reading.geometry_at(mean, since)
    writes = writes_to(reading.changing_writes, geometry)
    write = next((each for each in events_after(writes, since) if (each.operator or "").removeprefix("aten::") in _NORMS), None)
    froze = reading.statement_at_tick(since)
    step = None if write is None or write.step is None else reading.trace.steps[write.step]
    return None if write is None or froze is None or step is None or not step.grad_enabled else (weight, froze, write)


def _written(reading: Reading, tensor: TensorId, since: Tick) -> bool:
    """Whether a frozen weight is still written, as in a copy that follows another model."""
    geometry = reading.geometry_at(tensor, since)
    writes = writes_to(reading.writes_by_program, geometry)
    return next(events_after(writes, since), None) is not None


def _frozen_by(reading: Reading, step: Step) -> tuple[ast.stmt | None, str]:
    """The statement `module.requires_grad_(False)`, or the loop over `module.parameters()`, and the path of the module."""
    statement = reading.statement_at(step)
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=module, attr="requires_grad_"))):
            path = reading.syntax.path_of(module)
            loop = _loop(reading, path, statement)
            return loop if loop[0] is not None else (statement, path)
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=variable))]):
            return _loop(reading, variable, statement)
    return None, ""


def _loop(reading: Reading, variable: str, statement: ast.stmt) -> tuple[ast.stmt | None, str]:
    for loop in reading.syntax.of(ast.For):
        match loop:
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Attribute(value=module, attr="parameters")), body=[only]
            ):
                if name == variable and only is statement:
                    return loop, reading.syntax.path_of(module)
    return None, ""
