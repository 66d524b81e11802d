"""The fixes for sizes that do not fit: add or remove a dimension, replace a size or a name in a call."""

import ast

from app.explain.finding import Fixes, offer
from app.explain.reading.snippet import dotted, normal
from app.explain.reading.syntax import Syntax
from app.explain.reading.viewing import Shape
from app.explain.rewriting.replacing import with_replaced

_PLAIN = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript)


def behind(source: str, node: ast.expr, written: str) -> tuple[ast.expr, str]:
    """A replacement that appends text to an expression: `x` becomes `x.squeeze(1)`, `a + b` becomes `(a + b).squeeze(1)`."""
    text = ast.get_source_segment(normal(source), node) or ""
    return node, f"{text if isinstance(node, _PLAIN) else f'({text})'}{written}"


def with_behind(source: str, node: ast.expr, written: str) -> str | None:
    """The snippet with text appended to an expression."""
    return with_replaced(source, [behind(source, node, written)])


def to_shape(source: str, node: ast.expr, shape: Shape, wanted: Shape) -> Fixes:
    """`x.unsqueeze(1)` or `x.squeeze(1)`, if that changes `shape` to `wanted`."""
    for place in range(len(wanted)):
        if (*shape[:place], 1, *shape[place:]) == wanted:
            return [offer("add_dimension", with_behind, source, node, f".unsqueeze({place})")]
    for place in range(len(shape)):
        if shape[place] == 1 and shape[:place] + shape[place + 1 :] == wanted:
            return [offer("drop_dimension", with_behind, source, node, f".squeeze({place})")]
    return []


def argument(call: ast.Call, place: int, keyword: str) -> ast.expr | None:
    """The argument of a call for a parameter, passed by position or by name; None if unknown."""
    if any(isinstance(each, ast.Starred) for each in call.args[: place + 1]):
        return None
    named = next((each.value for each in call.keywords if each.arg == keyword), None)
    return call.args[place] if len(call.args) > place else named


def literal(syntax: Syntax, call: ast.Call, place: int, keyword: str) -> ast.expr | None:
    """The `argument` if its source consists of integers: `128`, `16 * 5 * 5`; None for a variable, which may be used
    elsewhere."""
    written = argument(call, place, keyword)
    is_number = written is not None and all(
        isinstance(each, ast.operator | ast.BinOp) or (isinstance(each, ast.Constant) and type(each.value) is int)
        for each in syntax.walk(written)
    )
    return written if is_number else None


def renamed(call: ast.Call, name: str) -> list[tuple[ast.expr | ast.stmt, str]]:
    """A replacement such as `nn.BatchNorm1d` → `nn.BatchNorm2d`.

    Empty for a name without a module, such as `BatchNorm1d`, because the snippet may not import the new name.
    """
    module = dotted(call.func).rpartition(".")[0]
    return [(call.func, f"{module}.{name}")] if module else []
