"""Adds imports to a snippet."""

import ast

from app.explain.reading.snippet import if_python, lines_of, parsed


def with_imports(source: str, statements: list[str]) -> str | None:
    """The snippet with new imports at the top, below its docstring and `from __future__` lines, which must stay first."""
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
