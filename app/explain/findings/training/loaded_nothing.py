"""Finds a state dict without any key of the module, so that `load_state_dict(strict=False)` silently loads no tensor."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.reading import Reading
from app.trace.query import end_of, events_after
from app.trace.records import Step, TensorId

MOST_HELD = 500
"""Maximum number of examined Tensors of a module."""


@finder()
def find_loaded_nothing(reading: Reading) -> Iterator[Finding]:
    """A warning for each `load_state_dict(..., strict=False)` that wrote to no Parameter of its module."""
    told: set[int] = set()
    for step, _, node in reading.runs_with(ast.Call, "load_state_dict"):
        match node:
            case ast.Call(func=ast.Attribute(value=owner), args=[given, *_]) if _is_lenient(node) and id(node) not in told:
                told.add(id(node))
            case _:
                continue
        module = reading.syntax.path_of(owner)
        held = _held(reading, module, step)
        if not held or any(_is_written(reading, tensor, step) for tensor in held.values()):
            continue
        keys = _held(reading, reading.syntax.path_of(given), step)
        arguments: Arguments = {
            "module": module,
            "name": next(iter(held)),
            "state": reading.syntax.path_of(given) or "none",
            "entry": next(iter(keys), "none"),
        }
        yield reading.finding("loaded_nothing", [step.id], held.values(), arguments, severity="warning")


def _is_lenient(call: ast.Call) -> bool:
    words = {keyword.arg: keyword.value for keyword in call.keywords}
    strict = words.get("strict", call.args[1] if len(call.args) > 1 else None)
    return isinstance(strict, ast.Constant) and strict.value is False and "assign" not in words


def _held(reading: Reading, path: str, step: Step) -> dict[str, TensorId]:
    """The Tensors of the module or dict at a path, by their full paths."""
    variable = path.replace("[", ".").partition(".")[0]
    found: dict[str, TensorId] = {}
    for name in reading.names_through(variable, step.frame)[:MOST_HELD] if path else []:
        tensor = reading.tensor_at(name, step.began)
        if tensor is not None and name.path.startswith((f"{path}.", f"{path}[")):
            found[name.path] = tensor
    return found


def _is_written(reading: Reading, tensor: TensorId, step: Step) -> bool:
    geometry = reading.geometry_at(tensor, step.began)
    writes = [] if geometry is None else reading.writes_to.get(geometry.storage, [])
    return next(events_after(writes, step.began, end_of(step)), None) is not None
