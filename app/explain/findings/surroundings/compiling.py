"""Finds uses of `torch.compile` for which its compiler cannot be started."""

import ast

from app.explain.finding import Finding, finder
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.replacing import with_replaced

_OF_THE_COMPILER = ("mode", "options", "backend")
"""Keyword arguments of `torch.compile` that are removed with the compiler."""


@finder(of_the_sandbox=True)
def find_compiler(reading: Reading) -> list[Finding]:
    """An error for the default backend of `torch.compile`, which starts a C++ compiler."""
    ended = reading.raised("torch._inductor.exc.InductorError")
    places = [] if ended is None else _places(reading.syntax)
    if ended is None or not places:
        return []
    fixed = with_replaced(reading.trace.source, [(place, _eager(reading.syntax, place)) for place in places])
    return [reading.text_finding("compiler", places[0].lineno, {"count": len(places)}, fix="eager_backend", source=fixed)]


def _places(syntax: Syntax) -> list[ast.expr]:
    """All calls of `torch.compile` and of a module's `compile` with the default backend, and decorators without a call."""
    modules = {alias.asname or alias.name.split(".")[0] for statement in syntax.of(ast.Import) for alias in statement.names}
    whole = {"torch.compile"} | {
        alias.asname or alias.name
        for statement in syntax.of(ast.ImportFrom)
        if statement.module == "torch"
        for alias in statement.names
        if alias.name == "compile"
    }
    found: list[ast.expr] = [
        decorator
        for statement in (*syntax.of(ast.FunctionDef, ast.AsyncFunctionDef), *syntax.of(ast.ClassDef))
        for decorator in statement.decorator_list
        if isinstance(decorator, ast.Name | ast.Attribute) and dotted(decorator) in whole
    ]
    for call in syntax.of(ast.Call):
        name = dotted(call.func)
        is_method = isinstance(call.func, ast.Attribute) and call.func.attr == "compile" and name.split(".")[0] not in modules
        if (name in whole or is_method) and _is_default(call):
            found.append(call)
    return sorted(found, key=lambda place: (place.lineno, place.col_offset))


def _is_default(call: ast.Call) -> bool:
    backends = [keyword.value for keyword in call.keywords if keyword.arg == "backend"]
    is_known = all(keyword.arg is not None for keyword in call.keywords)
    return is_known and all(isinstance(each, ast.Constant) and each.value == "inductor" for each in backends)


def _eager(syntax: Syntax, place: ast.expr) -> str:
    """The call or decorator with a backend that needs no compiler."""
    backend = 'backend="eager"'
    if not isinstance(place, ast.Call):
        return f"{syntax.text_of(place)}({backend})"
    written = [syntax.text_of(each) for each in place.args]
    written += [f"{each.arg}={syntax.text_of(each.value)}" for each in place.keywords if each.arg not in _OF_THE_COMPILER]
    return f"{syntax.text_of(place.func)}({', '.join([*written, backend])})"
