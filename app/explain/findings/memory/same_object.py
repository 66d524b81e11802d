"""Finds a conversion that returned the same tensor because it had nothing to convert, if the tensor was then written."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.shared_memory import changes, is_looked_at, names_in_write
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import called_name, dotted
from app.explain.rewriting.replacing import with_clone
from app.trace.query import MODULE, end_of
from app.trace.records import Step, TensorId, Write

_METHODS = ("to", "cpu", "float", "double", "half", "long", "int", "type", "contiguous")
_FUNCTIONS = ("as_tensor", "asarray")


@finder()
def find_same_object(reading: Reading) -> Iterator[Finding]:
    """A hint for each `y = x.to(...)` that returned `x` itself, if a write through one name is read through the other.

    There is also a hint for `x = x.to(...)` in a function, if `x` is the caller's tensor and is written there.
    """
    done: set[int] = set()
    for named in (*_METHODS, *_FUNCTIONS):
        variables = {node: _converted(node) for node in reading.syntax.ending_in(ast.Call, named)}
        for step, statement, node in reading.runs_with(ast.Call, named):
            converted = None if id(node) in done else variables[node]
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node and converted is not None:
                    is_argument = name == converted
                    found = _by_caller(reading, name, step) if is_argument else _by_name(reading, name, converted, step)
                    if found is not None:
                        done.add(id(node))
                        yield _finding(reading, name, "argument" if is_argument else "name", step, node, *found)


def _converted(node: ast.expr) -> str | None:
    """The variable whose tensor a call should convert; None for other calls."""
    match node:
        case ast.Call(func=ast.Attribute(attr=method) as function, args=[ast.Name(id=name), *_]) if method in _FUNCTIONS:
            return name if dotted(function).startswith("torch.") else None
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _METHODS:
            return name
    return None


def _by_name(reading: Reading, name: str, other: str, step: Step) -> tuple[str, TensorId, Write] | None:
    """Of two names of a tensor: the name that the first write does not use, the Tensor, and the write.

    None unless this name is read after the write.
    """
    ended = end_of(step)
    tensor = reading.named(name, step.frame, ended)
    if tensor is None or tensor != reading.named(other, step.frame, ended):
        return None
    write = next(changes(reading, reading.geometry_at(tensor, ended), ended), None)
    if write is None or any(reading.named(each, step.frame, write.tick) != tensor for each in (name, other)):
        return None
    follower = other if name in (names_in_write(reading, write) or ()) else name
    return (other, tensor, write) if is_looked_at(reading, follower, tensor, step, write.tick) else None


def _by_caller(reading: Reading, name: str, step: Step) -> tuple[str, TensorId, Write] | None:
    """The caller's name of an argument, the argument's Tensor, and the function's first write to this Tensor; None unless the
    name is read later."""
    ended = end_of(step)
    tensor = reading.named(name, step.frame, ended)
    caller = None if step.frame in (None, MODULE) else reading.statement_of(reading.callers.get(step.frame or MODULE))
    if tensor is None or caller is None or tensor != reading.named(name, step.frame, step.began):
        return None
    write = next(changes(reading, reading.geometry_at(tensor, ended), ended), None)
    writer = None if write is None else reading.statement_of(write.step)
    if write is None or writer is None or writer.frame != step.frame or reading.named(name, step.frame, write.tick) != tensor:
        return None
    for path in reading.paths_of(tensor, caller.began, MODULE):
        if is_looked_at(reading, path, tensor, caller, write.tick):
            return path, tensor, write
    return None


def _finding(
    reading: Reading, name: str, how: str, step: Step, node: ast.expr, other: str, tensor: TensorId, write: Write
) -> Finding:
    fixes = [offer("copy_first", with_clone, reading.trace.source, node)]
    arguments: Arguments = {
        "name": reading.told(name, step.frame),
        "other": other if how == "argument" else reading.told(other, step.frame),
        "how": how,
        "method": called_name(node),
        "line": reading.line_of(step.id) or 0,
        "write_line": reading.line_of(write.step) or 0,
    }
    return reading.finding("same_object", [step.id, write.step], [tensor], arguments, fixes=fixes)
