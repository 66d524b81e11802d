"""`numpy()` of a tensor that requires grad."""

import ast

from app.explain.expressions import Expressions
from app.explain.finding import Finding
from app.explain.hinting import Fixes, told
from app.explain.snippet import normal, with_replaced


def find_numpy_of_tracked(reading: Expressions) -> list[Finding]:
    """An error for each that torch refused: NumPy would write the memory and autograd would not see it."""
    findings: list[Finding] = []
    for step, piece in reading.failures:
        match piece:
            case ast.Call(func=ast.Attribute(value=value, attr="numpy"), args=[], keywords=[]):
                tensor = reading.tensor_of(value, step)
                text = ast.get_source_segment(normal(reading.trace.source), value)
                if tensor is None or not reading.requires_grad(tensor, step.began):
                    continue
                detached = None if text is None else with_replaced(reading.trace.source, [(piece, f"{text}.detach().numpy()")])
                fixes: Fixes = []
                fixes.append(("detach_first", detached))
                arguments: dict[str, str | int] = {"name": ast.unparse(value), "line": reading.line_of(step.id) or 0}
                found = told(reading, "numpy_of_tracked", [step.id], [tensor], arguments, fixes=fixes, severity="error")
                findings.append(found)
    return findings
