"""Finds an in-place write with a result that does not fit the tensor's dtype: `x += 0.5` with integers."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.blocks import levels, set_in
from app.explain.rewriting.rewrites import out_of_place, under
from app.trace.records import Step

_METHODS = {
    "add_": "+",
    "sub_": "-",
    "mul_": "*",
    "div_": "/",
    "pow_": "**",
    "multiply_": "*",
    "divide_": "/",
    "subtract_": "-",
}
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_KINDS = ("bool", "int", "float", "complex")
"""Kinds of dtypes, in the order of torch's type promotion: each kind can hold the numbers of the kinds before it."""


@finder()
def find_narrow_write(reading: Reading) -> Iterator[Finding]:
    """An error for each write that torch refused, with the operand that promotes the result."""
    for step, piece in reading.failures:
        target, operator, operand = _computed(piece)
        tensor = None if target is None else reading.tensor_of(target, step)
        geometry = reading.geometry_at(tensor, step.began)
        given = None if operand is None else _kind_of(reading, operand, step, [] if geometry is None else geometry.shape)
        if tensor is None or geometry is None or target is None or operand is None or given is None:
            continue
        holds = _kind(geometry.dtype)
        result = max(given, holds, _KINDS.index("float") if operator == "/" else 0)
        if holds < 0 or result <= holds or (operator == "-" and _KINDS[min(given, holds)] == "bool"):
            continue
        maker = reading.trace.tensors[tensor].made_by
        statement = reading.statement_ran_by(step.id)
        fixes = [offer("write_out_of_place", out_of_place, reading.syntax, statement)]
        if statement is not None and isinstance(target, ast.Name) and _KINDS[result] == "float":
            fixes.append(offer("floats_only", _guarded, reading.syntax, statement, target.id))
        arguments: Arguments = {
            "name": reading.syntax.text_of(target),
            "dtype": geometry.dtype,
            "operand": reading.syntax.text_of(operand),
            "how": "divided" if given <= holds else "other",
            "kind": _KINDS[result],
            "maker_line": reading.line_of(maker) or 0,
        }
        yield reading.exception_finding("narrow_write", step, [tensor], arguments, fixes=fixes, makers=[maker])


def _guarded(syntax: Syntax, statement: ast.stmt, name: str) -> str | None:
    """Adds `if value.is_floating_point():` around a write in a loop over tensors of several kinds, such as a state_dict's
    tensors."""
    loops = [level.owner for level in levels(syntax, statement) if isinstance(level.owner, ast.For)]
    if not loops or name not in set_in(syntax, [loops[-1].target]):
        return None
    return under(syntax.source, statement, f"if {name}.is_floating_point():")


def _computed(piece: ast.expr | ast.stmt) -> tuple[ast.expr | None, str, ast.expr | None]:
    """The target, the operator and the operand of an in-place operation."""
    match piece:
        case ast.AugAssign(target=target, op=operator, value=value) if type(operator) in _OPERATORS:
            return target, _OPERATORS[type(operator)], value
        case ast.Call(func=ast.Attribute(value=target, attr=method), args=[value], keywords=[]) if method in _METHODS:
            return target, _METHODS[method], value
    return None, "", None


def _kind(dtype: str) -> int:
    """The index of a dtype's kind in `_KINDS`; -1 for others, such as quantized ones."""
    for prefix, kind in (("bool", 0), ("int", 1), ("uint", 1), ("float", 2), ("bfloat", 2), ("complex", 3)):
        if dtype.startswith(prefix):
            return kind
    return -1


def _kind_of(reading: Reading, operand: ast.expr, step: Step, shape: list[int]) -> int | None:
    """The kind of an operand; None if the kind is unknown, or if the operand's shape could be the error."""
    number = operand.operand if isinstance(operand, ast.UnaryOp) else operand
    if isinstance(number, ast.Constant):
        kind = type(number.value).__name__
        return _KINDS.index(kind) if kind in _KINDS else None
    held = reading.held(number.id, step) if isinstance(number, ast.Name) else None
    if held is not None:
        return _KINDS.index(held.type) if held.type in _KINDS else None
    tensor = reading.tensor_of(operand, step)
    geometry = reading.geometry_at(tensor, step.began)
    if geometry is None or geometry.shape not in ([], shape) or _kind(geometry.dtype) < 0:
        return None
    return _kind(geometry.dtype)
