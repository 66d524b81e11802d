"""An attribute of a tensor used as a method, or a method as an attribute: `x.shape()`, `x.size[0]`."""

import ast
from functools import partial

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import failure_of
from app.explain.reading.reading import Reading
from app.explain.rewriting.rewrites import Fixes

_ATTRIBUTES = ("shape", "dtype", "device", "grad", "data", "T", "is_leaf", "grad_fn", "ndim", "requires_grad")


def find_attribute_called(reading: Reading) -> list[Finding]:
    """An error for the piece that ended the run."""
    failure = failure_of(reading, "TypeError")
    if failure is None:
        return []
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
    fixes: Fixes = [("use_attribute", partial(failure.replaced, piece, replacement))]
    arguments: Arguments = {**failure.told(operand, "left"), "rule": rule, "name": name}
    return [failure.single_finding("attribute_called", [operand], arguments, fixes=fixes)]
