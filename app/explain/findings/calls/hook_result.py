"""Finds a hook without effect, because it computes a replacement for a gradient or an output but does not return the
replacement."""

import ast
from collections.abc import Iterator, Sequence

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import if_python
from app.trace.records import StepId

_PLACES = {
    "register_hook": 0,
    "register_forward_pre_hook": 1,
    "register_full_backward_hook": 1,
    "register_full_backward_pre_hook": 1,
    "register_forward_hook": 2,
}
"""By the registering method: the index of the hook's argument that the hook's result replaces."""


@finder()
def find_hook_result(reading: Reading) -> Iterator[Finding]:
    """A warning for each function of the snippet that ran as a hook and discards a computed replacement."""
    functions = {function.name: function for function in reading.syntax.of(ast.FunctionDef)}
    told: set[ast.FunctionDef] = set()
    for register, place in _PLACES.items():
        for step, _, node in reading.runs_with(ast.Call, register):
            match node:
                case ast.Call(args=[ast.Name(id=name) | ast.Attribute(attr=name) as hook, *_]) if name in functions:
                    function = functions[name]
                    # A method has `self` as its first parameter.
                    at = place + isinstance(hook, ast.Attribute)
                    found = None if function in told else _dropped(reading, function, at)
                    runs = [] if found is None else reading.runs_of_statement.get(found[0], [])[:1]
                    if found is None or not runs:
                        continue
                    told.add(function)
                    arguments: Arguments = {
                        "function": name,
                        "name": found[1],
                        "what": "output" if place == 2 else "input" if register == "register_forward_pre_hook" else "gradient",
                        "hook_line": reading.line_of(step.id) or 0,
                    }
                    fixes = [offer("return_from_hook", _returning, reading, *found, function)]
                    steps: list[StepId | None] = [step.id, runs[0].id]
                    yield reading.finding("hook_without_return", steps, [], arguments, fixes=fixes, severity="warning")


def _dropped(reading: Reading, function: ast.FunctionDef, place: int) -> tuple[ast.stmt, str] | None:
    """The last statement of a function and the parameter's name, if this statement computes a new value for the parameter that
    is neither read nor returned."""
    arguments: Sequence[ast.arg] = function.args.args
    nodes = list(reading.syntax.walk(function))
    if len(arguments) <= place or any(isinstance(node, ast.Return) and node.value is not None for node in nodes):
        return None
    name, last = arguments[place].arg, function.body[-1]
    match last:
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
            return (last, name) if name in reading.syntax.names_in(value) else None
        case ast.Expr(value=ast.BinOp() as value) if name in reading.syntax.names_in(value):
            return last, name
    return None


def _returning(reading: Reading, statement: ast.stmt, name: str, function: ast.FunctionDef) -> str | None:
    """The snippet in which the hook returns the value of its last statement."""
    lines = list(reading.syntax.lines)
    if function.body[0].lineno == function.lineno or (statement.end_lineno or 0) > len(lines):
        return None
    indent = " " * statement.col_offset
    if isinstance(statement, ast.Expr):
        lines[statement.lineno - 1] = f"{indent}return {lines[statement.lineno - 1].strip()}"
    else:
        lines.insert(statement.end_lineno or statement.lineno, f"{indent}return {name}")
    return if_python("\n".join(lines))
