"""Finds operations that `vmap` refuses: a condition on a value, conversion to a Python number, random numbers."""

import ast

from app.explain.finding import Finding, finder
from app.explain.findings.mismatch import is_transformed
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name

_MAPPING = ("vmap", "jacrev", "jacfwd", "hessian")
_NUMBERS = ("item", "tolist", "numpy")
_CASTS = ("float", "int", "bool")
_RANDOM = (
    "randn rand randint randn_like rand_like randperm normal bernoulli dropout dropout_ normal_ uniform_ bernoulli_".split()
)


@finder()
def find_vmapped(reading: Reading) -> list[Finding]:
    """An error if the run ended because `vmap` refused an operation in the mapped function."""
    step = reading.fatal
    if step is None or step.name != "RuntimeError" or not any(reading.syntax.ending_in(ast.Call, name) for name in _MAPPING):
        return []
    piece = reading.node_at(step.span)
    if piece is None or not is_transformed(reading, step):
        return []
    rule, text = "", ""
    match piece:
        case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test) | ast.IfExp(test=test):
            rule, text = "truth", reading.syntax.text_of(test)
        case ast.Compare() as compared if _is_test(reading, compared):
            rule, text = "truth", reading.syntax.text_of(compared)
        case ast.Call(func=ast.Attribute(attr=method)) if method in _NUMBERS:
            rule, text = "number", f".{method}()"
        case ast.Call(func=ast.Name(id=name), args=[_]) if name in _CASTS:
            rule, text = "number", f"{name}()"
        case ast.Call() as call if last_name(call) in _RANDOM and not _has_mode(reading):
            rule, text = "random", last_name(call)
    return [reading.exception_finding("vmap_refused", step, [], {"rule": rule, "text": text})] if rule else []


def _is_test(reading: Reading, piece: ast.expr) -> bool:
    statement = reading.syntax.statement_around(piece)
    if isinstance(statement, ast.If | ast.While | ast.Assert):
        return piece in list(reading.syntax.walk(statement.test))
    return any(each.test is piece for each in reading.syntax.walk(statement) if isinstance(each, ast.IfExp))


def _has_mode(reading: Reading) -> bool:
    calls = [call for name in _MAPPING for call in reading.syntax.ending_in(ast.Call, name) if isinstance(call, ast.Call)]
    return any(each.arg == "randomness" for call in calls for each in call.keywords)
