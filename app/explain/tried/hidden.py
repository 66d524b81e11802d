"""Finds whether the exception that ends a fix's run was hidden in the snippet behind the exception that the fix repairs."""

import ast
import builtins

from app.explain.reading.syntax import bound_by
from app.explain.tried.change import Change, nodes_of
from app.trace.chunks import Trace
from app.trace.ends import Raised

_OF_IMPORTS = ("ModuleNotFoundError", "ImportError")
_OF_NAMES = "NameError"
_OF_INPUT = "EOFError"


def hidden_line(fixed: Trace, change: Change) -> int | None:
    """The line of the exception that ended the fix's run, if the fix cannot have caused it; else None.

    The fix is not the cause if an unchanged line imports a missing package, asks for input, or reads a name that neither
    snippet nor fix ever assigns. Any other exception may come from a value that the fix changed.
    """
    ended = fixed.ended
    if not isinstance(ended, Raised) or change.back(ended.line) is None:
        return None
    here = [node for node in nodes_of(fixed.source) if getattr(node, "lineno", None) == ended.line]
    if ended.type in _OF_IMPORTS:
        is_hidden = any(isinstance(node, ast.Import | ast.ImportFrom) for node in here)
    elif ended.type == _OF_INPUT:
        is_hidden = any(isinstance(node, ast.Name) and node.id == "input" for node in here)
    elif ended.type == _OF_NAMES:
        read = {node.id for node in here if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        is_hidden = bool(read - _bound(fixed.source) - _bound(change.source) - set(vars(builtins)))
    else:
        is_hidden = False
    return ended.line if is_hidden else None


def _bound(source: str) -> set[str]:
    """Every name that the source assigns or deletes somewhere."""
    nodes = (node for node in nodes_of(source) if not isinstance(node, ast.Global | ast.Nonlocal))
    return {name for node in nodes for name in bound_by(node)}
