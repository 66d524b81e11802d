"""Finds a list that `cat` or `stack` cannot join: an empty list, or scalars for `cat`."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.calls.many_values import list_items
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch

_CAT = ("cat", "concat", "concatenate")


@failure_finder("RuntimeError", "ValueError")
def find_not_joined(failure: Failure) -> list[Finding]:
    """An error if the run ended because a list could not be joined."""
    reading = failure.reading
    piece = failure.piece
    if not isinstance(piece, ast.Call) or not piece.args:
        return []
    name, is_torch = function_of_torch(reading, piece.func, failure.step)
    if not is_torch or name not in (*_CAT, "stack", "vstack", "hstack"):
        return []
    node = piece.args[0]
    items = list_items(failure, node)
    fixes: Fixes = []
    if _is_empty(failure, node):
        rule = "empty"
    elif name in _CAT and items and items[0].shape == ():
        rule = "scalars"
        if len(piece.args) == 1 and not piece.keywords and all(each.shape == () for each in items):
            fixes.append(offer("stack", _stacked, failure, piece))
    else:
        return []
    defined = reading.defined_by(node.id, failure.step) if isinstance(node, ast.Name) else None
    arguments: Arguments = {
        "rule": rule,
        "function": name,
        "name": clipped(reading.syntax.text_of(node)),
        "made_line": 0 if defined is None else reading.line_of(defined[1].id) or 0,
    }
    tensors = [each.tensor for each in items]
    return [reading.exception_finding("not_joined", failure.step, tensors, arguments, fixes=fixes)]


def _is_empty(failure: Failure, node: ast.expr) -> bool:
    held = failure.reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
    is_held = held is not None and held.kind == "collection" and held.type in ("list", "tuple") and held.length == 0
    return is_held or (isinstance(node, ast.List | ast.Tuple) and not node.elts)


def _stacked(failure: Failure, piece: ast.Call) -> str | None:
    """`torch.cat(losses)` → `torch.stack(losses)`."""
    match piece.func:
        case ast.Attribute(value=ast.Name(id=module)):
            return failure.replaced(piece.func, f"{module}.stack")
    return None
