"""`backward` of what is a Python number: the line that made it one."""

import ast
from functools import partial

from app.explain.finding import Arguments, Finding
from app.explain.findings.making import finding_from_exception
from app.explain.reading.provenance import Cut, provenance_of_value
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import Fixes

MOST_SHOWN = 60
"""Characters of a piece of the snippet in a sentence."""

_NUMBERS = ("float", "int", "bool", "float32", "float64")


def find_number_backward(reading: Reading) -> list[Finding]:
    """An error for each that Python refused, where the number came from a tensor that requires grad."""
    findings: list[Finding] = []
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
                fixes: Fixes = [("without_item", partial(_without_item, reading, cut))]
                arguments: Arguments = {
                    "root": reading.quoted(name, step.frame),
                    "type": held.type,
                    **_converted(reading, cut),
                    "cut_line": reading.line_of(cut.step.id) or 0,
                }
                about, makers = [cut.tensor], [cut.step.id]
                findings.append(
                    finding_from_exception(reading, "number_backward", step, about, arguments, fixes=fixes, makers=makers)
                )
    return findings


def _converted(reading: Reading, cut: Cut) -> Arguments:
    """What was converted, as the snippet writes it: `loss`, `(w * 3).sum()`."""
    match cut.mark:
        case (
            ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="item")) | ast.Call(args=[ast.Name(id=name)], keywords=[])
        ):
            return {"name": reading.quoted(name, cut.step.frame), "known": "yes"}
        case ast.Call(func=ast.Attribute(value=piece, attr="item")) | ast.Call(args=[piece], keywords=[]):
            text = ast.get_source_segment(reading.syntax.text, piece) or ""
            is_short = 0 < len(text) <= MOST_SHOWN and "\n" not in text
            return {"name": text if is_short else "", "known": "yes" if is_short else "no"}
    return {"name": "", "known": "no"}


def _without_item(reading: Reading, cut: Cut) -> str | None:
    """`loss.mean().item()` → `loss.mean()`."""
    match cut.mark:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            text = ast.get_source_segment(reading.syntax.text, value)
            return None if text is None else with_replaced(reading.trace.source, [(cut.mark, text)])
    return None
