"""Finds a tensor that a custom Function stores as an attribute of `ctx`, where autograd does not notice a later write."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.shared_memory import changes
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_clone
from app.trace.query import end_of
from app.trace.records import Step, TensorId, Write

MOST_PARTS = 10
"""Maximum number of examined elements of a stored tuple."""

MOST_RUNS = 50
"""Maximum number of examined runs of one statement `ctx.x = x`, and of examined reads of each stored tensor."""


@finder()
def find_kept_on_ctx(reading: Reading) -> Iterator[Finding]:
    """A warning for each `ctx.x = x` in a `forward` if `x` was changed before `backward` read `ctx.x`."""
    for function in reading.syntax.of(ast.FunctionDef):
        if function.name not in ("forward", "setup_context") or not function.args.args:
            continue
        for statement in reading.syntax.walk(function):
            match statement:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="ctx")) as target], value=value):
                    runs = reading.runs_of_statement.get(statement, [])[:MOST_RUNS]
                    for path, part, given in _parts(target, value):
                        lates = (_read_late(reading, target, path, given, step) for step in runs)
                        found = next((found for found in lates if found is not None), None)
                        if found is not None:
                            yield _finding(reading, path, part, given, *found)


def _parts(target: ast.Attribute, value: ast.expr) -> list[tuple[str, ast.expr, ast.Name]]:
    """The stored values that share memory with a variable: the path in `backward`, the expression, and the variable. Each
    element of a stored tuple has its own entry."""
    path = f"ctx.{target.attr}"
    row = [(path, value)]
    if isinstance(value, ast.Tuple | ast.List):
        row = [(f"{path}[{place}]", part) for place, part in enumerate(value.elts)]
    found: list[tuple[str, ast.expr, ast.Name]] = []
    for at, part in row[:MOST_PARTS]:
        match part:
            case ast.Name() as name:
                found.append((at, part, name))
            case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="detach")):
                found.append((at, part, name))
            case ast.Attribute(value=ast.Name() as name, attr="data"):
                found.append((at, part, name))
    return found


def _read_late(
    reading: Reading, target: ast.Attribute, path: str, value: ast.Name, step: Step
) -> tuple[Step, TensorId, Write, Step] | None:
    """The run that stored the tensor, the tensor, the first write that changed it, and the backward's statement that read it
    after the write."""
    tensor = reading.named(value.id, step.frame, step.began)
    if tensor is None or step.frame is None:
        return None
    geometry = reading.geometry_at(tensor, end_of(step))
    write = next(changes(reading, geometry, end_of(step)), None)
    for reader in reading.readers("ctx", write.tick) if write is not None else []:
        frame = reader.frame
        name = None if frame in (None, step.frame) else reading.name_in(frame, path)
        kept = None if name is None else reading.geometry_at(reading.tensor_at(name, end_of(reader)), end_of(reader))
        is_it = kept is not None and geometry is not None and kept.storage == geometry.storage
        reads = target.attr in reading.syntax.attributes_in(reading.statement_at(reader))
        if write is not None and is_it and reads and reading.node_steps[reader.id] is not None:
            return step, tensor, write, reader
    return None


def _finding(
    reading: Reading, path: str, part: ast.expr, value: ast.Name, step: Step, tensor: TensorId, write: Write, reader: Step
) -> Finding:
    arguments: Arguments = {
        "kept": path,
        "given": value.id,
        "name": reading.name_of(tensor) or "none",
        "line": reading.line_of(step.id) or 0,
        "write_line": reading.line_of(write.step) or 0,
        "reader_line": reading.line_of(reader.id) or 0,
    }
    fixes = [offer("clone_on_ctx", with_clone, reading.trace.source, part)]
    steps = [step.id, write.step, reader.id]
    return reading.finding("kept_on_ctx", steps, [tensor], arguments, fixes=fixes, severity="warning")
