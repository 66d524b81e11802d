"""Finds a tensor of several values where one Python value is needed: `if x > 0`, `.item()`, `float(x)`, `torch.tensor(list)`."""

import ast
from dataclasses import replace
from math import prod

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, failure_finder, function_of_torch
from app.explain.reading.shapes import Operand, of_tensor
from app.explain.reading.snippet import dotted
from app.explain.reading.viewing import broadcast
from app.trace.query import value_at

_NUMBERS = ("float", "int", "bool", "round")
_REBUILT = ("tensor", "as_tensor", "FloatTensor", "Tensor", "LongTensor", "DoubleTensor")
_COMPARED = ("max", "min")
_IN = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
_NUMBER = (ast.Constant, ast.UnaryOp)


@failure_finder("RuntimeError", "ValueError", "TypeError")
def find_many_values(failure: Failure) -> list[Finding]:
    """An error if the run ended because a tensor of several values was used as one Python value."""
    found = _asked(failure)
    if found is None or prod(found[2].shape) == 1:
        return []
    rule, function, operand, fixes = found
    arguments: Arguments = {
        **failure.told(operand, "left"),
        "rule": rule,
        "function": function,
        "count": prod(operand.shape),
    }
    return [failure.single_finding("many_values", [operand], arguments, fixes=fixes)]


_Found = tuple[str, str, Operand, Fixes]
"""The rule, the function that needs one value, the tensor, and the fixes."""


def _asked(failure: Failure) -> _Found | None:
    match failure.piece:
        case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test) | ast.IfExp(test=test):
            return _tested(failure, test)
        case ast.BoolOp(values=[test, *_]) | ast.UnaryOp(op=ast.Not(), operand=test):
            return _tested(failure, test)
        case ast.Compare(left=left, ops=[operator], comparators=[_]) as compared:
            if isinstance(operator, ast.In | ast.NotIn):
                return _tested(failure, left)
            return _tested(failure, compared) if _is_test(failure, compared) else None
        case (
            ast.JoinedStr() | ast.FormattedValue() | ast.Constant() as text
        ):  # on Python 3.11 all parts of an f-string have the f-string's position
            around = failure.reading.syntax.walk(failure.reading.syntax.statement_around(text))
            return _formatted(failure, [each for each in around if isinstance(each, ast.FormattedValue)])
        case ast.Call():
            return _called(failure, failure.piece)
    return None


def _formatted(failure: Failure, values: list[ast.FormattedValue]) -> _Found | None:
    """Finds `f"{loss:.4f}"`, whose format needs one number."""
    for value in values:
        if value.format_spec is not None:
            operand = failure.operand(value.value)
            if operand is not None and prod(operand.shape) != 1:
                return "format", "format", operand, []
    return None


def _is_test(failure: Failure, piece: ast.expr) -> bool:
    """Whether a comparison is used as a truth value."""
    syntax = failure.reading.syntax
    statement = syntax.statement_around(piece)
    if isinstance(statement, ast.If | ast.While | ast.Assert):
        return piece in list(syntax.walk(statement.test))
    tests = (each.test for each in syntax.walk(statement) if isinstance(each, ast.IfExp | ast.Assert))
    return any(piece in list(syntax.walk(test)) for test in tests)


def _tested(failure: Failure, test: ast.expr) -> _Found | None:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.BoolOp):
        test = test.values[0]
    operand = (failure.operand(test) or _compared(failure, test)) if failure.step.name == "RuntimeError" else None
    return None if operand is None else ("truth", "bool", operand, [])


def _compared(failure: Failure, test: ast.expr) -> Operand | None:
    """The result of a comparison that is not stored in a variable."""
    match test:
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if not isinstance(operator, _IN):
            one, other = failure.operand(left), failure.operand(right)
            known = one or other
            if known is None or (None in (one, other) and not isinstance(left, _NUMBER) and not isinstance(right, _NUMBER)):
                return None
            shape = broadcast(one.shape, other.shape) if one is not None and other is not None else known.shape
            text = failure.reading.syntax.text_of(test)
            return None if shape is None else replace(known, text=text, shape=shape, dtype="bool")
    return None


def _called(failure: Failure, piece: ast.Call) -> _Found | None:
    match piece:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[]):
            operand = failure.operand(value)
            return None if operand is None else ("item", "item", operand, [])
        case ast.Call(func=ast.Name(id=name), args=[value]) if name in _NUMBERS:
            operand = failure.operand(value)
            return None if operand is None else ("item", name, operand, [])
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math")) as function, args=[value, *_]):
            operand = failure.operand(value)
            return None if operand is None else ("math", dotted(function), operand, [])
        case ast.Call(func=ast.Name(id=name), args=[first, _, *_]) if name in _COMPARED and failure.step.name == "RuntimeError":
            operand = failure.operand(first)
            return None if operand is None else ("truth", name, operand, [])
        case ast.Call(func=function, args=[given, *_]):
            name, is_torch = function_of_torch(failure.reading, function, failure.step)
            return _rebuilt(failure, piece, name, given) if is_torch and name in _REBUILT else None
    return None


def _rebuilt(failure: Failure, piece: ast.Call, name: str, given: ast.expr) -> _Found | None:
    """Finds `torch.tensor([a, b])` with tensors of several values."""
    items = list_items(failure, given)
    many = next((each for each in items if prod(each.shape) != 1), None)
    if many is None:
        return None
    is_even = len({each.shape for each in items}) == 1
    return "rebuilt", name, many, [offer("stack", _stacked, failure, piece, given)] if is_even and not piece.keywords else []


def list_items(failure: Failure, node: ast.expr) -> list[Operand]:
    """The tensors of a list literal, or of a list in a variable; empty if one of them is unknown."""
    if isinstance(node, ast.List | ast.Tuple):
        return failure.operands(node.elts) if node.elts else []
    reading, step = failure.reading, failure.step
    attribute = ""
    match node:
        case ast.ListComp(
            elt=ast.Attribute(value=ast.Name(id=name), attr="grad" | "data") as taken,
            generators=[ast.comprehension(target=ast.Name(id=each), iter=ast.Name() as source, ifs=[])],
        ) if name == each:
            node, attribute = source, taken.attr
    held = reading.held(node.id, step) if isinstance(node, ast.Name) else None
    if held is None or not isinstance(node, ast.Name) or held.kind != "collection" or held.type not in ("list", "tuple"):
        return []
    found: list[Operand] = []
    for number in range(held.length or 0):
        path = f"{node.id}[{number}]"
        tensor = reading.named(path, step.frame, step.began)
        if tensor is not None and attribute == "grad":
            tensor, path = value_at(reading.trace.tensors[tensor].grad, step.began), f"{path}.grad"
        operand = None if tensor is None else of_tensor(reading, tensor, step, path)
        if operand is None:
            return []
        found.append(operand)
    return found


def _stacked(failure: Failure, piece: ast.Call, given: ast.expr) -> str | None:
    """`torch.tensor(rows)` → `torch.stack(rows)`."""
    text = ast.get_source_segment(failure.reading.syntax.text, given)
    prefix = dotted(piece.func).rpartition(".")[0]
    return None if text is None or not prefix else failure.replaced(piece, f"{prefix}.stack({text})")
