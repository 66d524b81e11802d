"""A `state_dict()` that was kept and followed the model, because it holds no copies."""

import ast

from app.explain.finding import MOST_FINDINGS, Finding
from app.explain.findings.making import Fixes, make_finding
from app.explain.reading.reading import Reading
from app.explain.rewriting.imports import with_imports
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import END, value_at
from app.trace.records import Step, TensorId, Write


def find_live_state(reading: Reading) -> list[Finding]:
    """A hint for each variable that was to keep a state, when the model was written afterwards."""
    findings: list[Finding] = []
    done: set[int] = set()
    for step, statement, node in reading.runs_with(ast.Call, "state_dict"):
        match statement:
            case ast.Assign(targets=[ast.Name(id=variable)], value=value) if value is node and id(node) not in done:
                found = _written_after(reading, variable, step)
                if found is not None and len(findings) < MOST_FINDINGS:
                    done.add(id(node))
                    findings.append(_finding(reading, variable, step, node, *found))
    return findings


def _written_after(reading: Reading, variable: str, step: Step) -> tuple[str, TensorId, Write] | None:
    """The first write through the model while the variable still held that state."""
    ended = END if step.ended is None else step.ended
    found: list[tuple[str, TensorId, Write]] = []
    for name in reading.names_through(variable, step.frame):
        tensor = value_at(name.tensor, ended)
        geometry = None if tensor is None else value_at(reading.trace.tensors[tensor].geometry, ended)
        if tensor is None or geometry is None:
            continue
        later = (write for write in reading.writes_to.get(geometry.storage, []) if write.tick > ended and write.changed)
        write = next(later, None)
        if write is not None and value_at(name.tensor, write.tick) == tensor:
            found.append((name.path, tensor, write))
    return min(found, key=lambda each: each[2].tick) if found else None


def _finding(reading: Reading, variable: str, step: Step, node: ast.expr, path: str, tensor: TensorId, write: Write) -> Finding:
    source = reading.trace.source
    text = ast.get_source_segment(reading.syntax.text, node)
    copied = None if text is None else with_replaced(source, [(node, f"copy.deepcopy({text})")])
    if copied is not None and "copy" not in reading.syntax.bound_names:
        copied = with_imports(copied, ["import copy"])
    fixes: Fixes = [("copy_state", copied)]
    return make_finding(
        reading,
        "live_state",
        [step.id, write.step],
        [tensor],
        {
            "name": variable,
            "path": path,
            "line": reading.line_of(step.id) or 0,
            "write_line": reading.line_of(write.step) or 0,
        },
        fixes=fixes,
    )
