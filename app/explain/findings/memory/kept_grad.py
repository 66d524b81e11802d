"""Finds a gradient kept under another name, although later backwards and `zero_` write the same tensor."""

import ast
from collections.abc import Iterator
from itertools import chain

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.shared_memory import changes, is_looked_at, names_in_write
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_clone
from app.trace.query import end_of
from app.trace.records import Step, TensorId, Write

MOST_NAMES = 100
"""Maximum number of examined names in the writing statement. With more names, the statement may name the gradient."""


@finder(after=["find_accumulated", "find_one_memory"])
def find_kept_grad(reading: Reading) -> Iterator[Finding]:
    """A hint for each `g = x.grad` if other code changed the tensor `g`, which is read afterwards."""
    done: set[int] = set()
    for step, statement, node in reading.runs_with(ast.Attribute, "grad"):
        variable = _kept_in(statement, node) if id(node) not in done else ""
        if variable and not _is_variable(statement) and _is_told(reading, step):
            continue
        found = next(_changed(reading, variable, step), None) if variable else None
        if found is not None:
            done.add(id(node))
            yield _finding(reading, node, step, *found)


def _is_variable(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)


def _is_told(reading: Reading, step: Step) -> bool:
    """Whether another finding already reports that the line adds the same tensor several times."""
    return any(finding.arguments["line"] == reading.line_of(step.id) for finding in reading.found_by("find_one_memory"))


def _kept_in(statement: ast.stmt, node: ast.expr) -> str:
    """The variable that keeps a gradient: `g = x.grad`, `grads["w"] = x.grad` or `grads.append(x.grad)`; "" if there is none."""
    match statement, node:
        case ast.Assign(targets=[ast.Name(id=variable)]), ast.Attribute(ctx=ast.Load()):
            return variable
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=variable))], value=value), ast.Attribute() if value is node:
            return variable
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=variable), attr="append"), args=[value])), _:
            return variable if value is node else ""
    return ""


def _changed(reading: Reading, variable: str, step: Step) -> Iterator[tuple[str, TensorId, Write]]:
    """The gradients in a variable, each with the first write by a statement that does not name this gradient."""
    ended = end_of(step)
    for path, tensor in chain([(variable, reading.named(variable, step.frame, ended))], reading.given(variable, step)):
        if tensor is None or tensor not in reading.owners:
            continue
        for write in changes(reading, reading.geometry_at(tensor, ended), ended):
            writer = reading.statement_of(write.step)
            if writer is None or reading.named(path, step.frame, write.tick) != tensor:
                break
            if _is_meant(reading, write, writer, variable, tensor):
                continue
            if is_looked_at(reading, path, tensor, step, write.tick):
                yield path, tensor, write
            break


def _is_meant(reading: Reading, write: Write, writer: Step, variable: str, tensor: TensorId) -> bool:
    """Whether the writing statement names the variable, or the gradient by another name.

    True if it is unknown which names the statement contains.
    """
    names = names_in_write(reading, write)
    if names is None or variable in names or len(names) > MOST_NAMES:
        return True
    return any(reading.named(name, writer.frame, writer.began) == tensor for name in names)


def _finding(reading: Reading, node: ast.expr, step: Step, path: str, tensor: TensorId, write: Write) -> Finding:
    fixes = [offer("clone_grad", with_clone, reading.trace.source, node)]
    arguments: Arguments = {
        "name": reading.told(path, step.frame),
        "grad": reading.syntax.text_of(node),
        "how": "added" if reading.in_backward(write) else "zeroed" if (write.operator or "").endswith("zero_") else "written",
        "line": reading.line_of(step.id) or 0,
        "write_line": reading.line_of(write.step) or 0,
    }
    return reading.finding("kept_grad", [step.id, write.step], [tensor], arguments, fixes=fixes)
