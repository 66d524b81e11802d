"""The snippet with imports added, or without a package that is not there."""

import ast

from app.explain.reading.snippet import if_python, lines_of, parsed
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.replacing import without_lines


def with_imports(source: str, statements: list[str]) -> str | None:
    """The snippet with imports in front, but behind its docstring and `from __future__` lines, which must stay first."""
    tree = parsed(source)
    if tree is None:
        return None
    after = 0
    for number, statement in enumerate(tree.body):
        docstring = number == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (docstring or future):
            break
        after = statement.end_lineno or statement.lineno
    lines = lines_of(source)
    return if_python("\n".join([*lines[:after], *statements, *lines[after:]]))


def without_package(syntax: Syntax, package: str) -> str | None:
    """The snippet with the package's imports and the statements that only call it made comments.

    None when the snippet does more with the package than that, so that it could not run without it.
    """
    lines: set[int] = set()
    names: set[str] = set()
    for node in syntax.of(ast.Import, ast.ImportFrom):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        if all(module.split(".")[0] == package for module in modules):
            names |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
            lines |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    uses = sum(node.id in names for node in syntax.of(ast.Name))
    for statement in syntax.of(ast.Expr):
        if _root(statement.value) in names:
            uses -= sum(isinstance(inner, ast.Name) and inner.id in names for inner in syntax.walk(statement))
            lines |= set(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    if not lines or uses:
        return None
    return if_python(without_lines(syntax.source, lines))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
