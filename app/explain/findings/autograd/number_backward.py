"""Finds `backward` called on a Python number, and the line that converted a tensor to this number."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.reading.provenance import Cut, provenance_of_value
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced

_NUMBERS = ("float", "int", "bool", "float32", "float64")


@finder()
def find_number_backward(reading: Reading) -> Iterator[Finding]:
    """An error for each `backward` of a number, if the number came from a tensor that requires grad."""
    for step, piece in reading.raised_as("AttributeError"):
        match piece:
            case (
                ast.Attribute(value=ast.Name(id=name), attr="backward")
                | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward"))
            ):
                held = reading.held(name, step)
                cut = None if held is None or held.type not in _NUMBERS else provenance_of_value(reading, name, step).cut
                if cut is None or held is None:
                    continue
                fixes = [offer("without_item", _without_item, reading, cut)]
                arguments: Arguments = {
                    "root": reading.quoted(name, step.frame),
                    "type": held.type,
                    "name": reading.quoted(cut.name, cut.step.frame),
                    "known": "yes" if cut.name else "no",
                    "cut_line": reading.line_of(cut.step.id) or 0,
                }
                about, makers = [cut.tensor], [cut.step.id]
                yield reading.exception_finding("number_backward", step, about, arguments, fixes=fixes, makers=makers)


def _without_item(reading: Reading, cut: Cut) -> str | None:
    """`loss.mean().item()` → `loss.mean()`."""
    match cut.mark:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            text = ast.get_source_segment(reading.syntax.text, value)
            return None if text is None else with_replaced(reading.trace.source, [(cut.mark, text)])
    return None
