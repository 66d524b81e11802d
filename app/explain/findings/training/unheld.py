"""Finds a leaf of a model that gets a gradient but is in no optimizer, although an optimizer got `model.parameters()`."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.optimizers import Optimizer, ever_held, optimizers
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted, if_python
from app.explain.reading.syntax import last_name
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import events_after, value_at
from app.trace.records import Step, TensorId, Tick

MOST_LEAVES = 500
"""Maximum number of examined leaves with a gradient outside all optimizers."""

_WHOLE = ("list", "chain", "tuple", "parameters", "SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam")
"""Functions that pass on every Parameter that they get. Any other function may select some of them."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A leaf that no optimizer has: its path and attribute, the reason, and the step that first computed its gradient."""

    tensor: TensorId
    path: str
    attribute: str
    how: str
    run: Step


@finder(needs_the_end=True)
def find_unheld(reading: Reading) -> Iterator[Finding]:
    """A warning for each optimizer that got all Parameters of a module but lacks leaves of this module."""
    known = optimizers(reading)
    leaves = _unheld(reading, known) if known else []
    made: set[tuple[int, str]] = set()
    for optimizer in known if leaves else []:
        step = reading.step_at(optimizer.since)
        statement = reading.statement_at(step)
        # The arguments are only known if the optimizer's path was assigned in the statement that created the optimizer.
        given = [] if step is None or statement is None else _given(reading, statement)
        for module in given:
            found = [leaf for each, run in leaves if (leaf := _within(reading, optimizer, module, each, run)) is not None]
            groups: dict[tuple[str, str], list[_Leaf]] = defaultdict(list)
            for leaf in sorted(found, key=lambda leaf: leaf.tensor):
                groups[leaf.how, leaf.attribute].append(leaf)
            for (how, _), group in groups.items():
                if (group[0].tensor, how) not in made and step is not None:
                    made.add((group[0].tensor, how))
                    attributes = [attribute for other, attribute in groups if other == how]
                    yield _finding(reading, step, module, group, attributes)


def _unheld(reading: Reading, known: list[Optimizer]) -> list[tuple[TensorId, Step]]:
    """Leaves outside all optimizers that got a gradient and are not updated by hand, each with the step that first computed the
    gradient."""
    held = ever_held(known)
    found: dict[TensorId, Step] = {}
    for nodes in reading.nodes_run.values():
        for node in nodes:
            leaf = reading.leaf_of(node)
            if leaf is None or leaf in held or leaf in found or len(found) == MOST_LEAVES:
                continue
            run = reading.runs_of(node)[0]
            geometry = reading.geometry_at(leaf, run.began)
            writes = writes_to(reading.writes_by_program, geometry)
            if reading.was_added(run) and next(events_after(writes, run.began), None) is None:
                found[leaf] = run
    return list(found.items())


def _given(reading: Reading, statement: ast.stmt) -> list[str]:
    """The paths of the modules from which an optimizer got Parameters; empty if it may have got only some of these Parameters."""
    calls = reading.syntax.calls_in(statement)
    picks = any(isinstance(node, ast.comprehension | ast.Lambda) for node in reading.syntax.walk(statement))
    if picks or "filter" in calls or any(last_name(call) == "" for row in calls.values() for call in row):
        return []
    overridden = any(function.name == "parameters" for function in reading.syntax.of(ast.FunctionDef))
    modules = [call.func.value for call in calls.get("parameters", []) if isinstance(call.func, ast.Attribute)]
    return [] if overridden else [path for path in map(reading.syntax.path_of, modules) if path]


def _within(reading: Reading, optimizer: Optimizer, module: str, leaf: TensorId, run: Step) -> _Leaf | None:
    """The leaf with its path in the module; None if it is in no such path or if the optimizer did not step after its gradient."""
    if not _steps_after(reading, optimizer, run.began):
        return None
    for name in reading.plainest_of.get(leaf, []):
        behind = name.path.removeprefix(module)
        if name.frame != optimizer.frame or behind == name.path or not behind.startswith((".", "[")):
            continue
        was = value_at(name.tensor, optimizer.since)
        if was is not None and was != leaf:
            return None  # `find_other_parameter` reports a leaf that was replaced later
        if reading.trace.tensors[leaf].type == "Tensor":
            if was is None:
                return None  # an input of the module, which it stores
            how = "tensor"
        elif was is None:
            how = "later"
        else:
            how = "collection" if _collection(reading, behind) else "other"
        return _Leaf(leaf, name.path, _collection(reading, behind) or _first(behind), how, run)
    return None


def _steps_after(reading: Reading, optimizer: Optimizer, tick: Tick) -> bool:
    """Whether a `step()` wrote the optimizer's Parameters after a tick."""
    for tensor in optimizer.held:
        geometry = reading.geometry_at(tensor, tick)
        writes = writes_to(reading.writes_by_program, geometry)
        write = next(events_after(writes, tick), None)
        if write is not None:
            statement = reading.statement_ran_by(write.step)
            return "step" in reading.syntax.calls_in(statement)
    return False


def _collection(reading: Reading, behind: str) -> str:
    """The plain list or dict in a path: `layers` in `.blocks[0].layers[0].weight`, if `blocks` is a module; "" if unknown."""
    found: list[str] = re.findall(r"\.(\w+)(?=\[)", behind)
    plain = (each for each in found if isinstance(_assigned(reading, each), ast.List | ast.ListComp | ast.Dict | ast.DictComp))
    return next(plain, found[0] if len(found) == 1 else "")


def _first(behind: str) -> str:
    """The first name in a path: `layers` in `.layers[0].weight`."""
    return behind.lstrip(".").replace("[", ".").partition(".")[0]


def _finding(reading: Reading, step: Step, module: str, group: list[_Leaf], attributes: list[str]) -> Finding:
    first = group[0]
    arguments: Arguments = {
        "name": reading.told(first.path, step.frame),
        "module": module,
        "attribute": first.attribute,
        "how": first.how,
        "others": len(group) - 1,
        "line": reading.line_of(step.id) or 0,
        "backward_line": reading.line_of(first.run.id) or 0,
    }
    fixes: Fixes = []
    if first.how == "collection":
        fixes.append(offer("register_layers", _registered, reading, attributes))
    elif first.how == "tensor":
        fixes.append(offer("make_parameter", _as_parameter, reading, attributes))
    tensors = [leaf.tensor for leaf in group]
    return reading.finding("not_in_optimizer", [step.id, first.run.id], tensors, arguments, fixes=fixes, severity="warning")


def _assigned(reading: Reading, attribute: str) -> ast.expr | None:
    """The value assigned to `self.<attribute>`; None unless the snippet assigns it exactly once."""
    found = [
        node.value
        for node in reading.syntax.of(ast.Assign)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute) and node.targets[0].attr == attribute
    ]
    return found[0] if len(found) == 1 else None


def _registered(reading: Reading, attributes: list[str]) -> str | None:
    """`self.layers = [...]` → `self.layers = nn.ModuleList([...])`; a dict becomes a `ModuleDict`."""
    return _wrapped(reading, attributes, _container)


def _as_parameter(reading: Reading, attributes: list[str]) -> str | None:
    """`self.scale = torch.ones(1, requires_grad=True)` → `self.scale = nn.Parameter(torch.ones(1, requires_grad=True))`."""
    return _wrapped(reading, attributes, lambda value: "Parameter" if isinstance(value, ast.Call) else "")


def _container(value: ast.expr) -> str:
    match value:
        case ast.List() | ast.ListComp():
            return "ModuleList"
        case ast.Dict(keys=keys) if all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys):
            return "ModuleDict"
    return ""


def _wrapped(reading: Reading, attributes: list[str], wrapper: Callable[[ast.expr], str]) -> str | None:
    """The snippet with the value of each of these attributes wrapped in a class of `torch.nn`."""
    nn = "nn" if "nn" in reading.syntax.bound_names else "torch.nn"
    replaced: list[tuple[ast.expr | ast.stmt, str]] = []
    for attribute in attributes:
        value = _assigned(reading, attribute)
        text = None if value is None else ast.get_source_segment(reading.syntax.text, value)
        kind = "" if value is None else wrapper(value)
        if value is None or text is None or not kind:
            return None
        replaced.append((value, f"{nn}.{kind}({text})"))
    return with_replaced(reading.trace.source, replaced)


@finder()
def find_empty_optimizer(reading: Reading) -> Iterator[Finding]:
    """An error for an optimizer that got no Parameters, if the reason is known."""
    for step, piece in reading.raised_as("ValueError"):
        given = _first_given(reading, piece, step)
        if given is None:
            continue
        held = reading.held(given.split(".")[0], step) if given.isidentifier() else None
        written = None if held is None else _misspelled(reading, held.type)
        leaves = [each for each in _reached(reading, given, step) if reading.requires_grad(each[1], step.began)]
        if written is None and not leaves:
            continue
        path = leaves[0][0] if leaves else ""
        attributes = list(dict.fromkeys(_first(each.removeprefix(given)) for each, _ in leaves))
        arguments: Arguments = {
            "module": given,
            "how": "init" if written is not None else "collection" if "[" in path else "tensor",
            "name": path or "none",
            "type": "" if held is None else held.type,
            "written": "" if written is None else written.name,
            "written_line": 0 if written is None else written.lineno,
        }
        fixes: Fixes = []
        if written is not None:
            fixes.append(offer("spell_init", _spelled, reading, written.name))
        else:
            is_tensor = reading.trace.tensors[leaves[0][1]].type == "Tensor"
            title, rewrite = ("make_parameter", _as_parameter) if is_tensor else ("register_layers", _registered)
            fixes.append(offer(title, rewrite, reading, attributes))
        tensors = [tensor for _, tensor in leaves]
        yield reading.exception_finding("no_parameters", step, tensors, arguments, fixes=fixes)


def _first_given(reading: Reading, piece: ast.expr | ast.stmt, step: Step) -> str | None:
    """The path of the module whose `parameters()` alone an optimizer got; None for other optimizers."""
    match piece:
        case ast.Call(func=function, args=[ast.Call(func=ast.Attribute(value=module, attr="parameters"), args=[]), *_]):
            is_one = "optim" in dotted(function).split(".") or last_name(function) in _WHOLE
            return (reading.syntax.path_of(module) or None) if is_one else None
    return None


def _misspelled(reading: Reading, kind: str) -> ast.FunctionDef | None:
    """The method of this class with a name that looks like a misspelling of `__init__`; None if there is none."""
    for definition in reading.syntax.of(ast.ClassDef):
        methods = [each for each in definition.body if isinstance(each, ast.FunctionDef)]
        if definition.name == kind and not any(each.name == "__init__" for each in methods):
            return next((each for each in methods if each.name.strip("_") in ("init", "int", "inti")), None)
    return None


def _spelled(reading: Reading, written: str) -> str | None:
    """`def _init_(self)` → `def __init__(self)`, and the same in calls."""
    return if_python(re.sub(rf"(?<!\w){re.escape(written)}(?=\()", "__init__", reading.syntax.text))


def _reached(reading: Reading, module: str, step: Step) -> list[tuple[str, TensorId]]:
    """The Tensors that a path led to when a step began, with their paths."""
    root = module.replace("[", ".").partition(".")[0]
    names = reading.names_through(root, step.frame) or reading.names_through(root, reading.trace.frames[0].id)
    found = [(name.path, value_at(name.tensor, step.began)) for name in names if name.path.startswith(module)]
    return [(path, tensor) for path, tensor in found if tensor is not None]
