"""Finds the torch function that a call calls, or the torch class of the called object and the call that created the object."""

import ast

from app.explain.findings.mismatch import Failure, function_of_torch
from app.explain.reading.syntax import last_name


def called_by(failure: Failure, function: ast.expr) -> tuple[str, ast.Call | None]:
    """The name of the called torch function, or the class of the called object and the call that created the object; "" for
    other calls."""
    name, is_torch = function_of_torch(failure.reading, function, failure.step)
    if is_torch:
        return name, None
    match function:
        case ast.Name(id=variable):
            held = failure.reading.held(variable, failure.step)
            is_own = (
                held is None or held.kind != "object" or held.type in failure.reading.syntax.bound_names - _imported(failure)
            )
            return ("", None) if is_own or held is None else (held.type, _made(failure, variable, held.type))
        case ast.Attribute(attr=attribute):
            return _assigned(failure, attribute)
        case ast.Call(func=maker):
            name = function_of_torch(failure.reading, maker, failure.step)[0]
            return (name, function) if name[:1].isupper() else ("", None)
    return "", None


def _made(failure: Failure, variable: str, kind: str) -> ast.Call | None:
    """The call of a class that assigns its object to a variable; None if the snippet assigns the variable more than once."""
    value = failure.reading.syntax.only_value(ast.Name, variable)
    return value if isinstance(value, ast.Call) and last_name(value) == kind else None


def _assigned(failure: Failure, attribute: str) -> tuple[str, ast.Call | None]:
    """The torch class and the creating call of an attribute's object; "" unless the snippet assigns the attribute exactly
    once."""
    value = failure.reading.syntax.only_value(ast.Attribute, attribute)
    if not isinstance(value, ast.Call):
        return "", None
    name = function_of_torch(failure.reading, value.func, failure.step)[0]
    return name, value if name else None


def _imported(failure: Failure) -> set[str]:
    return {alias.name for statement in failure.reading.syntax.of(ast.ImportFrom) for alias in statement.names}
