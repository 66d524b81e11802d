"""The snippet as text and as a syntax tree, read without trust."""

import ast
import threading
import warnings
from collections.abc import Iterator
from functools import lru_cache

PARSED_CHARACTERS = 64 << 10
"""Longer snippets are not parsed: a syntax tree takes some 300 times the memory of its text (measured on `a;a;a;...`)."""

MOST_CHARACTERS = 40
"""Of a piece of the snippet that stands in a sentence."""

_WARNINGS = threading.Lock()


def normal(source: str) -> str:
    """The text with Python's own line ends (not `str.splitlines`' many) made `\\n` and without a byte order mark."""
    return source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=1)
def lines_of(source: str) -> tuple[str, ...]:
    """The lines as Python counts them; `lines_of(s)[n - 1]` is line n."""
    return tuple(normal(source).split("\n"))


@lru_cache(maxsize=1)
def tree_of(source: str) -> ast.Module | None:
    """The syntax tree, shared and not to be changed; None for what Python cannot parse, or what is too long."""
    return _parse(source)


def if_python(source: str) -> str | None:
    """`source` when it parses, else None."""
    return source if _parse(source) is not None else None


def _parse(source: str) -> ast.Module | None:
    if len(source) > PARSED_CHARACTERS:
        return None
    # `"\d"` warns while it is parsed; the visitor's string is no matter for this process's log. The filters are global.
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(normal(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def nodes_of(source: str) -> Iterator[ast.AST]:
    """Every node of the syntax tree, outer ones first; nothing for what cannot be parsed."""
    tree = tree_of(source)
    return iter(()) if tree is None else ast.walk(tree)


def at_column(source: str, line: int, column: int) -> int:
    """A column in code points as the syntax tree counts it: in bytes of UTF-8."""
    lines = lines_of(source)
    if not 0 < line <= len(lines):
        return 0
    text = lines[line - 1]
    return column if text.isascii() else len(text[:column].encode(errors="replace"))


def dotted(node: ast.expr) -> str:
    """`torch.hub.load` for the attribute chain of that spelling; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def bound_names(source: str) -> set[str]:
    """Every name that the snippet binds anywhere, in whatever scope; "*" when it imports a star."""
    names: set[str] = set()
    for node in nodes_of(source):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name.split(".")[0])
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                names.add(name)
            case ast.Global(names=several) | ast.Nonlocal(names=several):
                names.update(several)
    return names
