"""A conversion that had nothing to convert and gave back the same tensor, which was then written."""

import ast
from bisect import bisect_right

from app.explain.expressions import Expressions
from app.explain.finding import MOST_FINDINGS, Finding
from app.explain.snippet import normal, with_replaced
from app.explain.telling import Fixes, runs_with, told
from app.trace.query import END, value_at
from app.trace.records import Step, TensorId, Write

_CONVERSIONS = ("to", "cpu", "float", "double", "half", "long", "int", "type", "contiguous")


def find_same_object(reading: Expressions) -> list[Finding]:
    """A hint for each `y = x.to(...)` whose `y` is `x`, when a write through one showed in the other."""
    findings: list[Finding] = []
    done: set[int] = set()
    for method in _CONVERSIONS:
        for step, statement, node in runs_with(reading, ast.Call, method):
            match statement:
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(value=ast.Name(id=other))) as value
                ) if value is node and name != other and id(node) not in done:
                    found = _written(reading, name, other, step)
                    if found is not None and len(findings) < MOST_FINDINGS:
                        done.add(id(node))
                        findings.append(_finding(reading, name, other, step, node, *found))
    return findings


def _written(reading: Expressions, name: str, other: str, step: Step) -> tuple[TensorId, Write] | None:
    """The first write to the Tensor that both names reach."""
    ended = END if step.ended is None else step.ended
    tensor = reading.named(name, step.frame, ended)
    if tensor is None or tensor != reading.named(other, step.frame, ended):
        return None
    geometry = value_at(reading.trace.tensors[tensor].geometry, ended)
    writes = [] if geometry is None else reading.writes_to.get(geometry.storage, [])
    index = bisect_right(writes, ended, key=lambda write: write.tick)
    write = next((write for write in writes[index:] if write.changed), None)
    if write is None or any(reading.named(each, step.frame, write.tick) != tensor for each in (name, other)):
        return None
    return tensor, write


def _finding(
    reading: Expressions, name: str, other: str, step: Step, node: ast.expr, tensor: TensorId, write: Write
) -> Finding:
    text = ast.get_source_segment(normal(reading.trace.source), node)
    fixes: Fixes = []
    fixes.append(("copy_first", None if text is None else with_replaced(reading.trace.source, [(node, f"{text}.clone()")])))
    return told(
        reading,
        "same_object",
        [step.id, write.step],
        [tensor],
        {
            "name": name,
            "other": other,
            "line": reading.line_of(step.id) or 0,
            "write_line": reading.line_of(write.step) or 0,
        },
        fixes=fixes,
    )
