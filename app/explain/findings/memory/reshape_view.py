"""Finds results of `reshape` or `flatten` that are views, if a write on one side changed the other.

`reshape` and `flatten` return a view if the layout allows it, else a copy.
"""

import ast
from dataclasses import dataclass
from itertools import islice

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, finder, offer
from app.explain.findings.shared_memory import changes, is_looked_at, names_in_write, without_silently_wrong
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_clone
from app.trace.query import end_of
from app.trace.records import Step, TensorId, Write

MOST_SOURCES = 20
"""Maximum number of Tensors in a call's expression that are searched for the base of the result."""

_MAYBE = ("reshape", "reshape_as", "flatten", "ravel")


@dataclass(frozen=True, slots=True)
class _Followed:
    """`path` leads to `source`, and `result` is a view of `source`. `write` changed both tensors; the change of `follower` was
    unintended."""

    path: str
    source: TensorId
    result: TensorId
    write: Write
    follower: str


@finder(after=["find_not_viewable", "find_silently_wrong"])
def find_reshape_view(reading: Reading) -> list[Finding]:
    """A hint for each `r = a.reshape(...)` that shares the memory of `a`, if a write to one changed the other."""
    findings: list[Finding] = []
    done: set[int] = set()
    given = {value: name for statement in reading.syntax.of(ast.Assign) for name, value in _assigned(statement)}
    for method in _MAYBE:
        for step, _, node in reading.runs_with(ast.Call, method):
            if node not in given or id(node) in done or not isinstance(node, ast.Call):
                continue
            found = _followed(reading, given[node], node, step)
            if found is not None and len(findings) < MOST_FINDINGS:
                done.add(id(node))
                findings.append(_finding(reading, given[node], node, method, step, found))
    return without_silently_wrong(reading, findings)


def _assigned(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    """The variables of an assignment with their values, also for `a, b = x, y`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return [(name, value)]
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            return [(name.id, value) for name, value in zip(names, values, strict=True) if isinstance(name, ast.Name)]
    return []


def _followed(reading: Reading, name: str, node: ast.Call, step: Step) -> _Followed | None:
    """The first write that changed both the result and the tensor that was reshaped; None if there is none."""
    ended = end_of(step)
    result = reading.named(name, step.frame, ended)
    looks = reading.geometry_at(result, ended)
    for path, source in islice(reading.first_named(node, step), MOST_SOURCES):
        theirs = reading.geometry_at(source, ended)
        if result is None or looks is None or theirs is None or path == name or source == result:
            continue
        write = next(changes(reading, looks, ended), None) if looks.storage == theirs.storage else None
        # The write may go through a temporary view whose base could be either tensor, so the names in the statement decide.
        named = None if write is None else names_in_write(reading, write)
        if write is None or named is None:
            continue
        follower, tensor = (path, source) if name in named else (name, result)
        if is_looked_at(reading, follower, tensor, step, write.tick):
            return _Followed(path, source, result, write, follower)
    return None


def _finding(reading: Reading, name: str, node: ast.Call, method: str, step: Step, found: _Followed) -> Finding:
    fixes = [offer("copy_first", with_clone, reading.trace.source, node)]
    arguments: Arguments = {
        "name": reading.told(name, step.frame),
        "other": reading.told(found.path, step.frame),
        "method": method,
        "follower": reading.told(found.follower, step.frame),
        "line": reading.line_of(step.id) or 0,
        "write_line": reading.line_of(found.write.step) or 0,
    }
    return reading.finding("reshape_view", [step.id, found.write.step], [found.source, found.result], arguments, fixes=fixes)
