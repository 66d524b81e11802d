"""`numpy()` of a tensor that requires grad."""

import ast
from functools import partial

from app.explain.finding import Arguments, Finding
from app.explain.findings.making import finding_from_exception
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import Fixes


def find_numpy_of_tracked(reading: Reading) -> list[Finding]:
    """An error for each that torch refused: NumPy would write the memory and autograd would not see it."""
    findings: list[Finding] = []
    for step, piece in reading.failures:
        match piece:
            case ast.Call(func=ast.Attribute(value=value, attr="numpy"), args=[], keywords=[]):
                tensor = reading.tensor_of(value, step)
                text = ast.get_source_segment(reading.syntax.text, value)
                if tensor is None or not reading.requires_grad(tensor, step.began):
                    continue
                detached = [(piece, f"{text}.detach().numpy()")]
                fixes: Fixes = (
                    [] if text is None else [("detach_first", partial(with_replaced, reading.trace.source, detached))]
                )
                arguments: Arguments = {"name": reading.quoted(reading.syntax.text_of(value), step.frame)}
                findings.append(finding_from_exception(reading, "numpy_of_tracked", step, [tensor], arguments, fixes=fixes))
    return findings
