"""Finds a kept `state_dict()` that changed with the model, because it contains no copies."""

import ast
from collections.abc import Iterator

from app.explain.finding import Finding, finder, offer
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.reading import Reading
from app.explain.rewriting.added_imports import with_imports
from app.explain.rewriting.blocks import levels
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import END, MODULE, events_after
from app.trace.records import Step, TensorId, Write

MOST_ENTRIES = 20
"""Maximum number of written entries of one state that are searched for one that is read afterwards."""


@finder()
def find_live_state(reading: Reading) -> Iterator[Finding]:
    """A hint for each variable that kept a `state_dict()` while the model's tensors were written."""
    done: set[int] = set()
    for step, statement, node in reading.runs_with(ast.Call, "state_dict"):
        variable = _kept_in(statement, node) if id(node) not in done else ""
        found = _written_after(reading, variable, step) if variable else None
        if found is not None:
            done.add(id(node))
            yield _finding(reading, variable, step, node, *found)


def _kept_in(statement: ast.stmt, node: ast.expr) -> str:
    """The variable that keeps a state: `best = m.state_dict()`, also in a tuple, as an entry, or appended; "" if there is
    none."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=variable)], value=value) if value is node:
            return variable
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=variable))], value=value) if value is node:
            return variable
        case ast.Assign(targets=[ast.Name(id=variable)], value=ast.Dict(values=values)) if node in values:
            return variable
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if node in values:
            target = targets[values.index(node)] if len(targets) == len(values) else None
            return target.id if isinstance(target, ast.Name) else ""
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=variable), attr="append"), args=[value])) if (
            value is node
        ):
            return variable
    return ""


def _written_after(reading: Reading, variable: str, step: Step) -> tuple[str, TensorId, Write] | None:
    """The first write to a tensor of the model while the variable still held the `state_dict()`, with the changed entry."""
    ended = END if step.ended is None else step.ended
    found: list[tuple[str, TensorId, Write]] = []
    for path, tensor in reading.given(variable, step):
        geometry = reading.geometry_at(tensor, ended)
        writes = writes_to(reading.changing_writes, geometry)
        write = next(events_after(writes, ended), None)
        if write is not None and reading.named(path, step.frame, write.tick) == tensor:
            found.append((path, tensor, write))
    statement = reading.statement_at(step)
    above = [] if statement is None or not found else levels(reading.syntax, statement)
    # A state kept under a condition (`if loss < best_loss:`) should not change in iterations in which the condition is false.
    is_chosen = any(isinstance(level.statement, ast.If) for level in above)
    if found and not is_chosen and not any(_is_looked_at(reading, variable, step, *each) for each in found[:MOST_ENTRIES]):
        return None
    return min(found, key=lambda each: each[2].tick) if found else None


def _is_looked_at(reading: Reading, variable: str, step: Step, path: str, tensor: TensorId, write: Write) -> bool:
    """Whether the variable still holds the `state_dict()` when it is read after a write, or at the end of the run."""
    if step.frame == MODULE and reading.named(path, MODULE, END) == tensor:
        return True
    readers = reading.readers(variable, write.tick)
    return any(reader.frame == step.frame and reading.named(path, step.frame, reader.began) == tensor for reader in readers)


def _finding(reading: Reading, variable: str, step: Step, node: ast.expr, path: str, tensor: TensorId, write: Write) -> Finding:
    fixes = [offer("copy_state", _copied, reading, node)]
    return reading.finding(
        "live_state",
        [step.id, write.step],
        [tensor],
        {
            "name": variable,
            "path": path,
            "line": reading.line_of(step.id) or 0,
            "write_line": reading.line_of(write.step) or 0,
        },
        fixes=fixes,
    )


def _copied(reading: Reading, node: ast.expr) -> str | None:
    """`m.state_dict()` → `copy.deepcopy(m.state_dict())`."""
    text = ast.get_source_segment(reading.syntax.text, node)
    copied = None if text is None else with_replaced(reading.trace.source, [(node, f"copy.deepcopy({text})")])
    is_there = copied is None or "copy" in reading.syntax.bound_names
    return copied if is_there or copied is None else with_imports(copied, ["import copy"])
