"""Finds a statement that only names a method: `optimizer.step` without parentheses does not call it."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced

_WITHOUT_ARGUMENTS = ("backward", "step", "zero_grad", "train", "eval", "zero_", "detach_", "requires_grad_", "retain_grad")
"""Methods that are called for their effect and need no arguments."""


@finder()
def find_not_called(reading: Reading) -> Iterator[Finding]:
    """A warning for each statement that ran and only names a method."""
    for statement in reading.syntax.of(ast.Expr):
        method = statement.value
        runs = reading.runs_of_statement.get(statement, [])[:1]
        if not isinstance(method, ast.Attribute) or method.attr not in _WITHOUT_ARGUMENTS or not runs:
            continue
        path = reading.syntax.path_of(method)
        if path:
            arguments: Arguments = {"method": path}
            fixes = [offer("call_method", with_replaced, reading.trace.source, [(method, f"{path}()")])]
            yield reading.finding("not_called", [runs[0].id], [], arguments, fixes=fixes, severity="warning")
