"""Finds a loop over Parameters that assigns a new tensor to the loop variable, which leaves the Parameters unchanged."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.mismatch import clipped
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import end_of
from app.trace.records import Step, TensorId


@finder()
def find_rebound_parameter(reading: Reading) -> Iterator[Finding]:
    """A warning for each `for p in ...: p = ...` if `p` was a Parameter and no code reads the new tensor."""
    for loop in reading.syntax.of(ast.For):
        targets = reading.syntax.names_in(loop.target)
        for statement in loop.body:
            inner = statement.body[0] if isinstance(statement, ast.With) and len(statement.body) == 1 else statement
            match inner:
                case ast.Assign(targets=[ast.Name(id=variable)], value=value) if variable in targets:
                    found = _rebound(reading, loop, inner, variable)
                    if found is not None:
                        yield _finding(reading, inner, value, variable, *found)


def _rebound(reading: Reading, loop: ast.For, statement: ast.Assign, variable: str) -> tuple[Step, TensorId] | None:
    """The first execution of an assignment that rebound a Parameter's variable to a new tensor, and that Parameter.

    None if later code of the same iteration reads the variable.
    """
    if variable not in reading.syntax.names_in(statement.value):
        return None
    end = statement.end_lineno or statement.lineno
    reads = (node for node in reading.syntax.walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    if any(node.id == variable and node.lineno > end for node in reads):
        return None
    for step in reading.runs_of_statement.get(statement, [])[:1]:
        before = reading.tensor_of(ast.Name(variable, ast.Load()), step)
        after = reading.named(variable, step.frame, end_of(step))
        if before is None or after is None or reading.trace.tensors[before].type != "Parameter":
            return None
        born = reading.trace.tensors[after].born
        return (step, before) if after != before and step.began <= born <= end_of(step) else None
    return None


def _finding(reading: Reading, statement: ast.Assign, value: ast.expr, variable: str, step: Step, tensor: TensorId) -> Finding:
    arguments: Arguments = {
        "variable": variable,
        "value": clipped(reading.syntax.text_of(value)),
        "name": reading.name_of(tensor) or "none",
    }
    fixes = [offer("copy_into_parameter", _copied, reading, statement, variable, step.grad_enabled)]
    return reading.finding("rebound_parameter", [step.id], [tensor], arguments, fixes=fixes, severity="warning")


def _copied(reading: Reading, statement: ast.Assign, variable: str, grad_enabled: bool) -> str | None:
    """`p = value` → `p.copy_(value)` (`p.data.copy_(value)` if gradients are on)."""
    text = ast.get_source_segment(reading.syntax.text, statement.value)
    if text is None:
        return None
    write = f"{variable}.{'data.' if grad_enabled else ''}copy_({text})"
    return with_replaced(reading.trace.source, [(statement, write)])
