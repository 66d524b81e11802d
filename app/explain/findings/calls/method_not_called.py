"""Finds a method without parentheses where its result is needed: `model.state_dict["w"]`, `for p in model.parameters`."""

import ast

from app.explain.finding import Arguments, Finding, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch
from app.explain.reading.shapes import known_tensor
from app.explain.reading.signatures import NAMES, SIGNATURES

_OF_MODULES = (
    "parameters named_parameters state_dict children named_children modules named_modules buffers named_buffers eval train"
).split()
_OF_TENSORS = (
    "mean sum size numel dim item tolist numpy detach clone cpu float long double max min argmax flatten t std var abs exp log "
    "sqrt contiguous sigmoid tanh relu bool int half"
).split()
"""Methods that need no arguments."""

_ITERATING = ("list", "tuple", "sum", "len", "enumerate", "sorted", "dict", "set", "max", "min", "zip", "iter", "next", "map")


@failure_finder("TypeError", "AttributeError")
def find_method_not_called(failure: Failure) -> list[Finding]:
    """An error for a method that the failed expression used in place of the method's result."""
    reading = failure.reading
    for node in _used(failure):
        if not isinstance(node, ast.Attribute) or not _is_method(failure, node):
            continue
        text = ast.get_source_segment(reading.syntax.text, node)
        fixes = [offer("add_parentheses", failure.replaced, node, f"{text}()")]
        arguments: Arguments = {"method": clipped(reading.syntax.text_of(node)), "name": node.attr}
        return [reading.exception_finding("method_not_called", failure.step, [], arguments, fixes=fixes)]
    return []


def _used(failure: Failure) -> list[ast.expr]:
    """The operands of the failed expression that may be methods without parentheses."""
    match failure.step.name, failure.piece:
        case "AttributeError", ast.Attribute(value=value):
            return [value]
        case "TypeError", ast.Subscript(value=ast.Attribute(attr="size")):
            return []  # reported by another finding
        case "TypeError", ast.Subscript(value=value) | ast.UnaryOp(operand=value):
            return [value]
        case "TypeError", ast.For(iter=value) | ast.comprehension(iter=value):
            return [value]
        case "TypeError", ast.BinOp(left=left, right=right):
            return [left, right]
        case "TypeError", ast.Compare(left=left, comparators=right):
            return [left, *right]
        case "TypeError", ast.Call(func=ast.Name(id=name), args=given) if name in _ITERATING:
            return given
        case "TypeError", ast.Call(func=function, args=given):
            named, is_torch = function_of_torch(failure.reading, function, failure.step)
            name = named if is_torch else ""
            is_of_torch = bool(name) or f"{called_by(failure, function)[0]}.forward" in SIGNATURES
            return given if is_of_torch and name not in NAMES["torch.optim"] else []  # reported by another finding
        case "TypeError", ast.Attribute() as iterated:  # the iterable of a `for`
            return [iterated]
    return []


def _is_method(failure: Failure, node: ast.Attribute) -> bool:
    """Whether an attribute is a method of a tensor, or of a module that has Parameters."""
    owner = node.value
    if known_tensor(failure.reading, owner, failure.step) is not None:
        return node.attr in _OF_TENSORS
    path = failure.reading.syntax.path_of(owner)
    root = path.split(".")[0].split("[")[0]
    names = failure.reading.names_through(root, failure.step.frame)[:1_000] if path else []
    has_parameters = any(name.path.startswith((f"{path}.", f"{path}[")) for name in names)
    return node.attr in _OF_MODULES and has_parameters
