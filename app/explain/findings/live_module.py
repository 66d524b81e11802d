"""A name that was to keep a model as it was in some round, and is the model itself."""

import ast
from functools import partial

from app.explain.finding import MOST_FINDINGS, Arguments, Finding
from app.explain.findings.making import make_finding
from app.explain.findings.sharing import geometry_at, is_held
from app.explain.reading.reading import Reading
from app.explain.rewriting.imports import with_imports
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import Fixes
from app.trace.query import end_of, events_after
from app.trace.records import Step, TensorId, Write

MOST_RUNS = 50
"""Runs of one such statement that are looked at."""


def find_live_module(reading: Reading) -> list[Finding]:
    """A warning for each `best = model` in a loop whose model was trained on, and whose `best` was read afterwards."""
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
    return findings


def _is_only_begun(reading: Reading, loop: ast.stmt, statement: ast.stmt, variable: str) -> bool:
    """`if net is None: net = model` keeps no state."""
    tests = (node for node in reading.syntax.walk(loop) if isinstance(node, ast.If) and statement in node.body)
    return any(variable in reading.syntax.names_in(node.test) for node in tests)


def _trained(reading: Reading, step: Step, variable: str, model: str) -> tuple[Step, TensorId, Write] | None:
    """When a statement gave a model a second name: the first write to one of its Parameters while that name was in use."""
    held = reading.held(model, step)
    if held is None or held.kind != "object":
        return None
    for tensor in reading.reached(model, step.frame, step.began):
        if reading.trace.tensors[tensor].type != "Parameter":
            continue
        geometry = geometry_at(reading, tensor, step.began)
        writes = [] if geometry is None or geometry.storage is None else reading.changing_writes.get(geometry.storage, [])
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
    fixes: Fixes = [("copy_module", partial(_copied, reading, node, model))]
    return make_finding(reading, "live_module", [step.id, write.step], [tensor], arguments, fixes=fixes, severity="warning")


def _copied(reading: Reading, node: ast.expr, model: str) -> str | None:
    """`best = model` → `best = copy.deepcopy(model)`."""
    copied = with_replaced(reading.trace.source, [(node, f"copy.deepcopy({model})")])
    is_there = copied is None or "copy" in reading.syntax.bound_names
    return copied if is_there or copied is None else with_imports(copied, ["import copy"])
