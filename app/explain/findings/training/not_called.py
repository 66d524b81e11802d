"""A method that stands alone as a statement, without parentheses: `optimizer.step` names it and does not call it."""

import ast
from functools import partial

from app.explain.finding import MOST_FINDINGS, Arguments, Finding
from app.explain.findings.making import make_finding
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import Fixes

_WITHOUT_ARGUMENTS = ("backward", "step", "zero_grad", "train", "eval", "zero_", "detach_", "requires_grad_", "retain_grad")
"""Methods that are called for their effect and need no argument."""


def find_not_called(reading: Reading) -> list[Finding]:
    """A warning for each such statement that ran."""
    findings: list[Finding] = []
    for statement in reading.syntax.of(ast.Expr):
        method = statement.value
        runs = reading.runs_of_statement.get(statement, [])[:1]
        if not isinstance(method, ast.Attribute) or method.attr not in _WITHOUT_ARGUMENTS or not runs:
            continue
        path = reading.syntax.path_of(method)
        if path and len(findings) < MOST_FINDINGS:
            arguments: Arguments = {"method": path, "line": reading.line_of(runs[0].id) or 0}
            fixes: Fixes = [("call_method", partial(with_replaced, reading.trace.source, [(method, f"{path}()")]))]
            findings.append(make_finding(reading, "not_called", [runs[0].id], [], arguments, fixes=fixes, severity="warning"))
    return findings
