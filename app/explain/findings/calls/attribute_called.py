"""Finds an attribute of a tensor used as a method, or a method used as an attribute: `x.shape()`, `x.size[0]`."""

import ast

from app.explain.finding import Arguments, Finding, offer
from app.explain.findings.mismatch import Failure, failure_finder

_ATTRIBUTES = ("shape", "dtype", "device", "grad", "data", "T", "is_leaf", "grad_fn", "ndim", "requires_grad")


@failure_finder("TypeError")
def find_attribute_called(failure: Failure) -> list[Finding]:
    """An error if the run ended because an attribute was called or a method was indexed."""
    reading = failure.reading
    match failure.piece:
        case ast.Call(func=ast.Attribute(value=owner, attr=name) as called, args=[], keywords=[]) as piece if (
            name in _ATTRIBUTES
        ):
            rule, text = "called", ast.get_source_segment(reading.syntax.text, called)
        case ast.Subscript(value=ast.Attribute(value=owner, attr="size" as name)) as piece:
            rule, text = "indexed", ast.get_source_segment(reading.syntax.text, piece)
        case _:
            return []
    operand = failure.operand(owner)
    written = ast.get_source_segment(reading.syntax.text, owner)
    if operand is None or text is None or written is None:
        return []
    replacement = text if rule == "called" else f"{written}.shape{text[len(f'{written}.size') :]}"
    fixes = [offer("use_attribute", failure.replaced, piece, replacement)]
    arguments: Arguments = {**failure.told(operand, "left"), "rule": rule, "name": name}
    return [failure.single_finding("attribute_called", [operand], arguments, fixes=fixes)]
