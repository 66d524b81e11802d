"""Finds a name that should keep the model as it was in some iteration, but refers to the model itself."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, finder, offer
from app.explain.findings.shared_memory import is_held, writes_to
from app.explain.reading.grad_mode import is_in_function
from app.explain.reading.reading import Reading
from app.explain.reading.ways import roots_after, ways_back
from app.explain.rewriting.added_imports import with_imports
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import MODULE, end_of, events_after, value_at
from app.trace.records import Step, TensorId, Tick, Write

_CONVERSIONS = ("to", "cuda", "cpu", "float", "double", "half", "bfloat16", "train", "eval", "requires_grad_")
"""Methods of a module that return the module itself."""

MOST_RUNS = 50
"""Maximum number of examined runs of one statement such as `best = model`."""

MOST_BACKWARDS = 3
"""Maximum number of backwards whose roots are traced back to calls of modules."""


@finder()
def find_live_module(reading: Reading) -> list[Finding]:
    """A warning for each `best = model` in a loop, if the model was trained further and `best` was read afterwards."""
    findings: list[Finding] = []
    for loop in reading.syntax.of(ast.For, ast.While):
        rebound = {
            node.id for node in reading.syntax.walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for statement in reading.syntax.walk(loop):
            match statement:
                case ast.Assign(targets=[ast.Name(id=variable)], value=ast.Name(id=model)) if model not in rebound:
                    if _is_only_begun(reading, loop, statement, variable):
                        continue
                    runs = reading.runs_of_statement.get(statement, [])[:MOST_RUNS]
                    found = next((found for step in runs if (found := _trained(reading, step, variable, model))), None)
                    if found is not None and len(findings) < MOST_FINDINGS:
                        findings.append(_finding(reading, statement.value, variable, model, *found))
    lines = {finding.line for finding in findings}
    return findings + [finding for finding in _targets(reading) if finding.line not in lines][:MOST_FINDINGS]


def _targets(reading: Reading) -> Iterator[Finding]:
    """A finding for each `target = net` if the program then uses both names as if they were two models.

    Two modules are meant if the program loads the state of one name into the other, or if, for the same loss, it calls one
    name with gradients off and the other with gradients on.
    """
    uses: _Uses | None = None
    before: dict[str, str] = {}
    targets = (target for statement in reading.syntax.of(ast.Assign) for target in statement.targets)
    times = Counter(reading.syntax.path_of(target) for target in targets)
    for statement in reading.syntax.of(ast.Assign):
        value = _converted(statement.value)
        match statement.targets:
            case [ast.Name() | ast.Attribute() as target] if isinstance(value, ast.Name | ast.Attribute):
                runs = reading.runs_of_statement.get(statement, [])[:1]
                path, model = reading.syntax.path_of(target), reading.syntax.path_of(value)
                if not runs or not path or not model:
                    continue
                # After `self.net = net.to(device)` and `self.target = net.to(device)`, both attributes refer to the same model.
                first = before.setdefault(model, path) if times[model] == 1 else model
                for paths in dict.fromkeys([(path, model), (path, first)]):
                    found = None if paths[0] == paths[1] else _first_write(reading, runs[0], *paths)
                    if found is None:
                        continue
                    uses = _uses(reading) if uses is None else uses
                    is_both = paths[0] in uses.without_grad and paths[1] in uses.with_grad
                    if paths in uses.loaded or paths[::-1] in uses.loaded or is_both:
                        yield _finding(reading, statement.value, *paths, runs[0], *found)
                        break


def _converted(node: ast.expr) -> ast.expr:
    """The `net` in `net.to(device).eval()`, whose methods return the module itself."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CONVERSIONS:
        node = node.func.value
    return node


@dataclass(slots=True)
class _Uses:
    """Pairs of models of which one loads the other's state, and the models called with gradients on and off for a loss."""

    loaded: set[tuple[str, str]] = field(default_factory=set)
    with_grad: set[str] = field(default_factory=set)
    without_grad: set[str] = field(default_factory=set)


def _uses(reading: Reading) -> _Uses:
    found = _Uses()
    for _, _, call in reading.runs_with(ast.Call, "load_state_dict"):
        match call:
            case ast.Call(
                func=ast.Attribute(value=into), args=[ast.Call(func=ast.Attribute(value=of, attr="state_dict"), args=[])]
            ):
                found.loaded.add((reading.syntax.path_of(into), reading.syntax.path_of(of)))
    for _, root in roots_after(reading, Tick(-1), MOST_BACKWARDS):
        for link in ways_back(reading, root).used.values():
            has_grad = link.step.grad_enabled or is_in_function(reading, link.step)
            is_off = not has_grad or "detach" in reading.syntax.attributes_in(link.piece)
            for call in [each for row in reading.syntax.calls_in(link.piece).values() for each in row]:
                path = reading.syntax.path_of(call.func)
                (found.without_grad if is_off else found.with_grad).add(path)
    return found


def _first_write(reading: Reading, step: Step, target: str, model: str) -> tuple[TensorId, Write] | None:
    """The first write to a Parameter that both paths have led to since a statement ran."""
    ended = end_of(step)
    root = model.replace("[", ".").partition(".")[0]
    scopes = [scope for scope in dict.fromkeys((step.frame, MODULE)) if scope is not None]
    for name in (name for scope in scopes for name in reading.names_through(root, scope)):
        behind = name.path.removeprefix(model)
        tensor = value_at(name.tensor, ended) if behind != name.path and behind.startswith((".", "[")) else None
        if tensor is None or reading.trace.tensors[tensor].type != "Parameter":
            continue
        other = reading.name_in(name.frame, f"{target}{behind}")
        if other is not None and value_at(other.tensor, ended) != tensor:
            return None
        if other is None and not _is_set_once(reading, root, target):
            return None
        geometry = reading.geometry_at(tensor, ended)
        writes = writes_to(reading.writes_by_program, geometry)
        write = next((each for each in events_after(writes, ended) if each.changed), None)
        return None if write is None else (tensor, write)
    return None


def _is_only_begun(reading: Reading, loop: ast.stmt, statement: ast.stmt, variable: str) -> bool:
    """Whether the statement only initializes a variable, as in `if net is None: net = model`."""
    tests = (node for node in reading.syntax.walk(loop) if isinstance(node, ast.If) and statement in node.body)
    return any(variable in reading.syntax.names_in(node.test) for node in tests)


def _trained(reading: Reading, step: Step, variable: str, model: str) -> tuple[Step, TensorId, Write] | None:
    """The run `step`, and the first later write to a Parameter of the model.

    None unless `variable` still led to the model at this write.
    """
    held = reading.held(model, step)
    if held is None or held.kind != "object":
        return None
    for tensor in reading.reached(model, step.frame, step.began):
        if reading.trace.tensors[tensor].type != "Parameter":
            continue
        geometry = reading.geometry_at(tensor, step.began)
        writes = writes_to(reading.changing_writes, geometry)
        write = next(events_after(writes, end_of(step)), None)
        if write is not None and is_held(reading, variable, step, write.tick, lambda _: True):
            return step, tensor, write
        return None
    return None


def _finding(
    reading: Reading, node: ast.expr, variable: str, model: str, step: Step, tensor: TensorId, write: Write
) -> Finding:
    arguments: Arguments = {
        "name": variable,
        "model": model,
        "line": reading.line_of(step.id) or 0,
        "write_line": reading.line_of(write.step) or 0,
    }
    fixes = [offer("copy_module", _copied, reading, node)]
    return reading.finding("live_module", [step.id, write.step], [tensor], arguments, fixes=fixes, severity="warning")


def _copied(reading: Reading, node: ast.expr) -> str | None:
    """`best = model` → `best = copy.deepcopy(model)`."""
    text = ast.get_source_segment(reading.syntax.text, node)
    copied = None if text is None else with_replaced(reading.trace.source, [(node, f"copy.deepcopy({text})")])
    is_there = copied is None or "copy" in reading.syntax.bound_names
    return copied if is_there or copied is None else with_imports(copied, ["import copy"])


def _is_set_once(reading: Reading, root: str, target: str) -> bool:
    """Whether exactly one statement sets `self.target`.

    The trace cannot show this: of two paths to the same object, it records only the first.
    """
    targets = [each for statement in reading.syntax.of(ast.Assign) for each in statement.targets]
    return target.startswith(f"{root}.") and [reading.syntax.path_of(each) for each in targets].count(target) == 1
