"""How a finding is put together, about what went on or about what was refused, and which statements ran a piece of the snippet."""

import ast
from collections.abc import Iterator, Sequence

from app.explain.finding import Arguments, Finding, Severity
from app.explain.reading.expressions import Expressions
from app.explain.reading.snippet import nodes_of
from app.explain.rewriting.rewrites import fixes_of
from app.trace.records import Step, StepId, StorageId, TensorId, Tick

MOST_RUNS = 10_000
"""Runs of the statements in question that are looked at."""

Fixes = list[tuple[str, str | None]]


def make_finding(
    reading: Expressions,
    kind: str,
    steps: list[StepId | None],
    tensors: list[TensorId],
    arguments: Arguments,
    *,
    fixes: Fixes,
    severity: Severity = "hint",
) -> Finding:
    """A finding that is true from the end of the last of these steps on, and is about its line."""
    shown = reading.shown_from(*steps)
    last = reading.trace.steps[shown[-1]]
    return Finding(
        kind=kind,
        severity=severity,
        tick=Tick(last.began if last.ended is None else last.ended),
        step=last.id,
        steps=shown,
        line=reading.line_of(last.id),
        tensors=list(dict.fromkeys(tensors)),
        arguments=arguments,
        fixes=fixes_of(reading.trace.source, fixes),
    )


def finding_from_exception(
    reading: Expressions,
    kind: str,
    step: Step,
    tensors: list[TensorId],
    arguments: Arguments,
    *,
    fixes: Fixes,
    makers: Sequence[StepId | None] = (),
    storages: Sequence[StorageId] = (),
) -> Finding:
    """A finding about what raised in `step`: an error, or a hint when the program caught the exception itself."""
    shown = reading.shown_from(*makers, step.id)
    line = reading.line_of(step.id)
    caught = reading.is_caught(step)
    return Finding(
        kind=kind,
        severity="hint" if caught else "error",
        tick=step.began,
        step=shown[-1],
        steps=shown,
        line=line,
        tensors=list(dict.fromkeys(tensors)),
        storages=list(storages),
        arguments={"line": line or 0, "caught": "yes" if caught else "no", **arguments},
        fixes=fixes_of(reading.trace.source, fixes),
    )


def runs_with(reading: Expressions, wanted: type[ast.expr], named: str) -> Iterator[tuple[Step, ast.stmt, ast.expr]]:
    """Each run of a statement that itself holds such an expression, with attribute or function name `named`."""
    pieces: dict[tuple[int, int], list[tuple[ast.stmt, ast.expr]]] = {}
    for statement in nodes_of(reading.trace.source):
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return):
            continue
        for node in ast.walk(statement):
            if isinstance(node, wanted) and _last_name(node) == named:
                pieces.setdefault((statement.lineno, statement.col_offset), []).append((statement, node))
    count = 0
    for step in reading.trace.steps if pieces else []:
        statement_at = reading.statement_at(step) if step.kind == "statement" else None
        if statement_at is None or (statement_at.lineno, statement_at.col_offset) not in pieces:
            continue
        for statement, node in pieces[statement_at.lineno, statement_at.col_offset]:
            count += 1
            if count <= MOST_RUNS:
                yield step, statement, node


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
