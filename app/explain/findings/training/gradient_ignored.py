"""Finds a custom Function with a `backward` that does not use the incoming gradient, which violates the chain rule."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.trace.records import Cells, NodeId

MOST_NODES = 20
"""Maximum number of examined Nodes of one Function."""

_ZEROS = ("zeros", "zeros_like", "new_zeros")


@finder()
def find_gradient_ignored(reading: Reading) -> Iterator[Finding]:
    """A warning for each `backward` that computes gradients without the incoming gradient, if this gradient was not all ones."""
    for kind in reading.syntax.of(ast.ClassDef):
        if not any(last_name(base) == "Function" for base in kind.bases):
            continue
        for method in kind.body:
            if isinstance(method, ast.FunctionDef) and method.name == "backward":
                parameter = _ignored(reading, method)
                found = _finding(reading, kind, method, parameter) if parameter else None
                if found is not None:
                    yield found


def _ignored(reading: Reading, method: ast.FunctionDef) -> str:
    """The gradient parameter that a `backward` never reads, if it returns computed values; else ""."""
    given = [argument.arg for argument in method.args.args[1:]]
    loaded = {node.id for node in reading.syntax.walk(method) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    if len(given) != 1 or given[0] in loaded or method.args.vararg is not None or "locals" in loaded:
        return ""
    values = [node.value for node in reading.syntax.walk(method) if isinstance(node, ast.Return) and node.value is not None]
    returned = [each for value in values for each in (value.elts if isinstance(value, ast.Tuple) else [value])]
    calls = reading.syntax.calls_in(method)
    is_computed = any(not isinstance(each, ast.Constant) for each in returned)
    return given[0] if is_computed and not any(name in calls for name in _ZEROS) else ""


def _finding(reading: Reading, kind: ast.ClassDef, method: ast.FunctionDef, parameter: str) -> Finding | None:
    name = f"{kind.name}Backward"
    nodes = [node for node in reading.trace.nodes if node.name == name][:MOST_NODES]
    run = next((run for node in nodes for run in reading.runs_of(node.id) if _is_scaled(reading, node.id)), None)
    statement = None if run is None else reading.statement_of(run.id)
    if run is None or statement is None:
        return None
    arguments: Arguments = {
        "function": kind.name,
        "parameter": parameter,
        "method_line": method.lineno,
    }
    return reading.finding("gradient_ignored", [statement.id], [], arguments, severity="warning")


def _is_scaled(reading: Reading, node: NodeId) -> bool:
    """Whether a Node received a gradient that is not all ones."""
    values = [each.value for each in reading.gradients_to.get(node, [])]
    return any(not isinstance(value, Cells) or any(each != 1 for each in value.values) for value in values)
