"""A tensor that a custom Function keeps on `ctx` itself: autograd does not notice when it is written before backward reads it."""

import ast
from functools import partial

from app.explain.finding import MOST_FINDINGS, Arguments, Finding
from app.explain.findings.making import make_finding
from app.explain.findings.sharing import changes, geometry_at
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import Fixes
from app.trace.query import end_of
from app.trace.records import Step, TensorId, Write

MOST_RUNS = 50
"""Runs of one such statement that are looked at, and reads of each."""


def find_kept_on_ctx(reading: Reading) -> list[Finding]:
    """A warning for each `ctx.x = x` in a `forward` whose `x` was changed before a `backward` read `ctx.x`."""
    findings: list[Finding] = []
    for function in reading.syntax.of(ast.FunctionDef):
        if function.name not in ("forward", "setup_context") or not function.args.args:
            continue
        for statement in reading.syntax.walk(function):
            match statement:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=context)) as target], value=ast.Name() as value):
                    if context != "ctx":
                        continue
                    runs = reading.runs_of_statement.get(statement, [])[:MOST_RUNS]
                    found = next((found for step in runs if (found := _read_late(reading, target, value, step))), None)
                    if found is not None and len(findings) < MOST_FINDINGS:
                        findings.append(_finding(reading, target, value, *found))
    return findings


def _read_late(
    reading: Reading, target: ast.Attribute, value: ast.Name, step: Step
) -> tuple[Step, TensorId, Write, Step] | None:
    """The tensor that was kept, the first write that changed it, and the statement of a backward that read it afterwards."""
    tensor = reading.named(value.id, step.frame, step.began)
    if tensor is None or step.frame is None:
        return None
    write = next(changes(reading, geometry_at(reading, tensor, end_of(step)), end_of(step)), None)
    path = f"ctx.{target.attr}"
    for reader in reading.readers("ctx", write.tick) if write is not None else []:
        frame = reader.frame
        name = None if frame in (None, step.frame) else reading.name_in(frame, path)
        is_it = name is not None and reading.tensor_at(name, end_of(reader)) == tensor
        reads = target.attr in reading.syntax.attributes_in(reading.statement_at(reader))
        if write is not None and is_it and reads and reading.node_steps[reader.id] is not None:
            return step, tensor, write, reader
    return None


def _finding(
    reading: Reading, target: ast.Attribute, value: ast.Name, step: Step, tensor: TensorId, write: Write, reader: Step
) -> Finding:
    arguments: Arguments = {
        "kept": f"ctx.{target.attr}",
        "given": value.id,
        "name": reading.name_of(tensor) or "none",
        "line": reading.line_of(step.id) or 0,
        "write_line": reading.line_of(write.step) or 0,
        "reader_line": reading.line_of(reader.id) or 0,
    }
    fixes: Fixes = [("clone_on_ctx", partial(with_replaced, reading.trace.source, [(value, f"{value.id}.clone()")]))]
    steps = [step.id, write.step, reader.id]
    return make_finding(reading, "kept_on_ctx", steps, [tensor], arguments, fixes=fixes, severity="warning")
