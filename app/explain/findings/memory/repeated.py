"""Finds `[torch.zeros(2)] * 3`, a list that contains one tensor three times, if one entry was then written."""

import ast
from collections.abc import Iterator

from app.explain.finding import Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import events_after, value_at
from app.trace.records import Name, Write

MOST_FRAMES = 100
"""Maximum number of calls in which one variable with a repeated list is examined."""


@finder()
def find_repeated(reading: Reading) -> Iterator[Finding]:
    """A hint for each list that repeats a tensor, if a write to one entry changed the other entries."""
    lists = {node.lineno: (variable, node.value) for node in reading.syntax.of(ast.Assign) if (variable := _repeats(node))}
    firsts: dict[str, list[Name]] = {f"{variable}[0]": [] for variable, _ in lists.values()}
    for name in reading.trace.names if lists else []:
        if name.path in firsts and len(firsts[name.path]) < MOST_FRAMES:
            firsts[name.path].append(name)
    for line, (variable, value) in lists.items():
        for first in firsts[f"{variable}[0]"]:
            second = reading.name_in(first.frame, f"{variable}[1]")
            write = None if second is None else _written(reading, first, second)
            if write is not None:
                yield _finding(reading, variable, line, value, write)


def _repeats(node: ast.Assign) -> str:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.List(elts=[_]), op=ast.Mult())):
            return name
    return ""


def _written(reading: Reading, first: Name, second: Name) -> Write | None:
    """The first write to the Tensor of both entries, if both entries still have this Tensor at the write."""
    tick, tensor = first.tensor[0]
    if tensor is None or value_at(second.tensor, tick) != tensor:
        return None
    geometry = reading.geometry_at(tensor, tick)
    storage = None if geometry is None else geometry.storage
    write = next(events_after(reading.changing_writes.get(storage, []) if storage is not None else [], tick), None)
    is_held = write is not None and all(value_at(name.tensor, write.tick) == tensor for name in (first, second))
    return write if is_held else None


def _finding(reading: Reading, variable: str, line: int, value: ast.expr, write: Write) -> Finding:
    source = reading.trace.source
    fixes: Fixes = []
    match value:
        case ast.BinOp(left=ast.List(elts=[ast.Call() as made]), right=ast.Constant() | ast.Name() as count):
            texts = ast.get_source_segment(reading.syntax.text, made), ast.get_source_segment(reading.syntax.text, count)
            fixes.append(offer("each_its_own", with_replaced, source, [(value, f"[{texts[0]} for _ in range({texts[1]})]")]))
    arguments: dict[str, str | int] = {"name": variable, "line": line, "write_line": reading.line_of(write.step) or 0}
    tensors = [] if write.tensor is None else [write.tensor]
    return reading.finding("repeated_list", [write.step], tensors, arguments, fixes=fixes)
