"""The fixes for a NaN or infinite derivative: an epsilon under a root, or `torch.where` around the argument."""

import ast

from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import last_name
from app.explain.rewriting.blocks import levels, set_in
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Node

_PLAIN = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)


def with_epsilon(reading: Reading, node: Node) -> str | None:
    """`x.sqrt()` → `(x + 1e-12).sqrt()`, because the derivative of the root is infinite at 0."""
    piece = reading.node_at(reading.span_of(node.made_by))
    under = _argument(piece) if isinstance(piece, ast.Call) and last_name(piece) == "sqrt" else None
    text = None if under is None else ast.get_source_segment(reading.syntax.text, under)
    if text is None or under is None or not isinstance(piece, ast.Call):
        return None
    is_method = isinstance(piece.func, ast.Attribute) and piece.func.value is under
    return with_replaced(reading.trace.source, [(under, f"({text} + 1e-12)" if is_method else f"{text} + 1e-12")])


def with_safe_argument(reading: Reading, node: Node, where: Node) -> str | None:
    """`torch.where(c, x.log(), 0)` → `torch.where(c, torch.where(c, x, 1).log(), 0)`.

    The derivative of `log` is then finite where `x` is not chosen.

    The expression may also be on an earlier line that assigns the branch's variable.
    """
    syntax, piece, chosen = reading.syntax, reading.node_at(reading.span_of(node.made_by)), _where(reading, where)
    argument = _argument(piece)
    text = None if argument is None else ast.get_source_segment(syntax.text, argument)
    if chosen is None or argument is None or text is None or not isinstance(piece, ast.expr):
        return None
    condition, branches = chosen.args[0], chosen.args[1:]
    of = [number for number, branch in enumerate(branches) if _stands_in(reading, piece, branch)]
    said = ast.get_source_segment(syntax.text, condition)
    if len(of) != 1 or said is None or not _is_known(reading, condition, piece, chosen):
        return None
    harmless = f"torch.where({said}, {text}, 1)" if of[0] == 0 else f"torch.where({said}, 1, {text})"
    return with_replaced(reading.trace.source, [(argument, harmless)])


def _where(reading: Reading, node: Node) -> ast.Call | None:
    piece = reading.node_at(reading.span_of(node.made_by))
    is_where = isinstance(piece, ast.Call) and dotted(piece.func) == "torch.where" and len(piece.args) == 3
    return piece if is_where and isinstance(piece, ast.Call) and not piece.keywords else None


def _argument(piece: ast.AST | None) -> ast.expr | None:
    """The argument of a function of one tensor, or the divisor of a division."""
    match piece:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch")), args=[argument], keywords=[]):
            return argument
        case ast.Call(func=ast.Attribute(value=value), args=[], keywords=[]) if isinstance(value, (*_PLAIN, ast.BinOp)):
            return value
        case ast.BinOp(op=ast.Div(), right=right) if isinstance(right, _PLAIN):
            return right
    return None


def _stands_in(reading: Reading, piece: ast.expr, branch: ast.expr) -> bool:
    """Whether a branch of `torch.where` contains the expression `piece`, or is the variable to which `piece` is assigned."""
    if any(each is piece for each in reading.syntax.walk(branch)):
        return True
    match reading.syntax.statement_around(piece):
        case ast.Assign(targets=[ast.Name(id=name)]):
            return isinstance(branch, ast.Name) and branch.id == name
    return False


def _is_known(reading: Reading, condition: ast.expr, piece: ast.expr, where: ast.Call) -> bool:
    """Whether the condition of `torch.where` has the same value at the earlier expression `piece`.

    It has the same value if no statement in between assigns the condition's variables.
    """
    syntax = reading.syntax
    first, last = syntax.statement_around(piece), syntax.statement_around(where)
    if first is None or last is None or not isinstance(condition, ast.Compare | ast.Name | ast.Call | ast.UnaryOp):
        return False
    above, below = levels(syntax, first), levels(syntax, last)
    if not above or not below or above[-1].block is not below[-1].block or above[-1].place > below[-1].place:
        return False
    between = above[-1].block[above[-1].place : below[-1].place]
    return not set(syntax.names_in(condition)) & set_in(syntax, between)
