"""Parses calls that run backward: the roots, whether a gradient is passed, and whether the graph is kept."""

import ast
from dataclasses import dataclass

from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.trace.records import Step

_OF_TENSORS = {"backward": ("grad_tensors", 1), "grad": ("grad_outputs", 2)}
"""`torch.autograd.backward` and `.grad`: the argument with the gradients, and its position."""


@dataclass(frozen=True, slots=True)
class BackwardCall:
    """`root.backward(...)`, or a call of `torch.autograd.backward` or `grad` with these roots."""

    call: ast.Call
    roots: list[ast.expr]
    has_gradient: bool
    keeps_graph: bool


def backward_call(node: ast.AST | None) -> BackwardCall | None:
    """The arguments of a call that runs backward; None for any other expression."""
    if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    if None in keywords or not isinstance(node.func, ast.Attribute | ast.Name):
        return None
    keeps = any(_is_true(keywords.get(word)) for word in ("retain_graph", "create_graph"))
    prefix, _, last = dotted(node.func).rpartition(".")
    outputs = node.args[0] if node.args else keywords.get("outputs", keywords.get("tensors"))
    is_imported = not prefix and last == "grad" and (len(node.args) > 1 or "inputs" in keywords)
    if last in _OF_TENSORS and outputs is not None and (prefix.split(".")[-1] == "autograd" or is_imported):
        word, place = _OF_TENSORS[last]
        roots = outputs.elts if isinstance(outputs, ast.List | ast.Tuple) else [outputs]
        return BackwardCall(node, roots, word in keywords or len(node.args) > place, keeps)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
        return BackwardCall(node, [node.func.value], bool(node.args) or "gradient" in keywords, keeps or len(node.args) > 1)
    return None


def backward_in(reading: Reading, statement: Step | None) -> BackwardCall | None:
    """The call that runs backward in a statement; None if the statement contains no such call or several."""
    written = reading.statement_at(statement)
    if written is None or not isinstance(written, ast.Expr | ast.Assign):
        return None
    calls = [call for call in map(backward_call, reading.syntax.walk(written)) if call is not None]
    return calls[0] if len(calls) == 1 else None


def _is_true(node: ast.expr | None) -> bool:
    return node is not None and not (isinstance(node, ast.Constant) and not node.value)
