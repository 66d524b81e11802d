"""Finds a call of an object that is not a function: a tuple by a stray comma, a reassigned name, the result of
`load_state_dict`."""

import ast
import builtins

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.reading.shapes import known_tensor
from app.explain.rewriting.replacing import with_replaced

_LOADED = "_IncompatibleKeys"
"""The type that `load_state_dict` returns."""


@failure_finder("TypeError", "AttributeError")
def find_not_callable(failure: Failure) -> list[Finding]:
    """An error if the run ended because a value cannot be called, or is the result of `load_state_dict` and not a module."""
    match failure.step.name, failure.piece:
        case "TypeError", ast.Call(func=ast.Name() | ast.Attribute() as function):
            pass
        case "AttributeError", ast.Attribute(value=ast.Name() as function):
            pass
        case _:
            return []
    rule, kind, assigned = _held(failure, function)
    if not rule or (failure.step.name == "AttributeError" and rule != "loaded"):
        return []
    arguments: Arguments = {
        "rule": rule,
        "name": clipped(failure.reading.syntax.text_of(function)),
        "type": kind,
        "made_line": 0 if assigned is None else assigned.lineno,
    }
    fixes = _fixes(failure, rule, assigned)
    return [failure.reading.exception_finding("not_callable", failure.step, [], arguments, fixes=fixes)]


def _held(failure: Failure, function: ast.Name | ast.Attribute) -> tuple[str, str, ast.Assign | None]:
    """Why a value cannot be called, its type, and the statement that assigned it."""
    reading, step = failure.reading, failure.step
    if isinstance(function, ast.Attribute):
        statement = _assignment(failure, function.attr)
        value = None if statement is None else statement.value
        if isinstance(value, ast.Tuple) and statement is not None:
            return ("comma" if len(value.elts) == 1 else "other"), "tuple", statement
        if isinstance(value, ast.List | ast.ListComp):
            return "other", "list", statement
        is_tensor = known_tensor(reading, function, step) is not None
        return ("other", "Tensor", statement) if is_tensor else ("", "", None)
    held = reading.held(function.id, step)
    defined = reading.defined_by(function.id, step)
    made = defined[0] if defined is not None and isinstance(defined[0], ast.Assign) else None
    is_tensor = held is None and known_tensor(reading, function, step) is not None
    if not is_tensor and (
        held is None or held.kind in ("function", "class") or (held.kind == "object" and held.type != _LOADED)
    ):
        return "", "", None
    kind = "Tensor" if held is None else "module" if held.kind == "module" else held.type
    if kind == _LOADED:
        return "loaded", kind, made
    value = None if made is None else made.value
    if isinstance(value, ast.Tuple) and len(value.elts) == 1:
        return "comma", kind, made
    return _shadowed(failure, function.id, made), kind, made


def _shadowed(failure: Failure, name: str, made: ast.Assign | None) -> str:
    """Whether a variable hides a function: a builtin, or a function that the snippet defines or called under this name."""
    if made is not None and hasattr(builtins, name):
        return "builtin"
    earlier = [each for each in failure.reading.syntax.of(ast.FunctionDef, ast.ClassDef) if each.name == name]
    inner = made is not None and name in {
        each.func.id
        for each in failure.reading.syntax.walk(made.value)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
    }
    return "shadowed" if made is not None and (earlier or inner) else "other"


def _assignment(failure: Failure, attribute: str) -> ast.Assign | None:
    """The statement that sets an attribute of this name; None unless the snippet sets it exactly once."""
    value = failure.reading.syntax.only_value(ast.Attribute, attribute)
    statement = None if value is None else failure.reading.syntax.statement_around(value)
    return statement if isinstance(statement, ast.Assign) else None


def _fixes(failure: Failure, rule: str, statement: ast.Assign | None) -> Fixes:
    if statement is None:
        return []
    text = failure.reading.syntax.text
    match rule, statement.value:
        case "comma", ast.Tuple(elts=[only]) as value:
            inner = ast.get_source_segment(text, only)
            return [offer("drop_comma", failure.replaced, value, inner)] if inner is not None else []
        case "loaded", ast.Call() as value:
            written = ast.get_source_segment(text, value)
            return [offer("load_in_place", with_replaced, failure.source, [(statement, written)])] if written else []
    return []
