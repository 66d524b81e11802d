"""`[torch.zeros(2)] * 3`: a list of one tensor, three times, of which one entry was then written."""

import ast
from bisect import bisect_right

from app.explain.finding import MOST_FINDINGS, Finding
from app.explain.findings.making import Fixes, make_finding
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import value_at
from app.trace.records import Name, Write


def find_repeated(reading: Reading) -> list[Finding]:
    """A hint for each such list, when a write to one entry showed in the others."""
    findings: list[Finding] = []
    lists = {node.lineno: (variable, node.value) for node in reading.syntax.of(ast.Assign) if (variable := _repeats(node))}
    entries: dict[str, list[Name]] = {}
    for name in reading.trace.names if lists else []:
        entries.setdefault(name.path, []).append(name)
    for line, (variable, value) in lists.items():
        for first in entries.get(f"{variable}[0]", []):
            second = next((name for name in entries.get(f"{variable}[1]", []) if name.frame == first.frame), None)
            write = None if second is None else _written(reading, first, second)
            if write is not None and len(findings) < MOST_FINDINGS:
                findings.append(_finding(reading, variable, line, value, write))
    return findings


def _repeats(node: ast.Assign) -> str:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.List(elts=[_]), op=ast.Mult())):
            return name
    return ""


def _written(reading: Reading, first: Name, second: Name) -> Write | None:
    """The first write to the Tensor that both entries are, while they are."""
    tick, tensor = first.tensor[0]
    if tensor is None or value_at(second.tensor, tick) != tensor:
        return None
    geometry = value_at(reading.trace.tensors[tensor].geometry, tick)
    writes = [] if geometry is None else reading.writes_to.get(geometry.storage, [])
    later = (writes[index] for index in range(bisect_right(writes, tick, key=lambda write: write.tick), len(writes)))
    write = next((write for write in later if write.changed), None)
    is_held = write is not None and all(value_at(name.tensor, write.tick) == tensor for name in (first, second))
    return write if is_held else None


def _finding(reading: Reading, variable: str, line: int, value: ast.expr, write: Write) -> Finding:
    source = reading.trace.source
    fixes: Fixes = []
    match value:
        case ast.BinOp(left=ast.List(elts=[ast.Call() as made]), right=ast.Constant() | ast.Name() as count):
            texts = ast.get_source_segment(reading.syntax.text, made), ast.get_source_segment(reading.syntax.text, count)
            fixes.append(("each_its_own", with_replaced(source, [(value, f"[{texts[0]} for _ in range({texts[1]})]")])))
    arguments: dict[str, str | int] = {"name": variable, "line": line, "write_line": reading.line_of(write.step) or 0}
    tensors = [] if write.tensor is None else [write.tensor]
    return make_finding(reading, "repeated_list", [write.step], tensors, arguments, fixes=fixes)
