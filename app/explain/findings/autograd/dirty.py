"""Finds a custom Function that writes its input in place without `ctx.mark_dirty`."""

import ast
from collections.abc import Iterator

from app.explain.finding import Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.rewrites import statements_before
from app.trace.index import Line
from app.trace.query import value_at
from app.trace.records import Frame, FrameId, TensorId, Write

MOST_ARGUMENTS = 64
"""Maximum number of parameters of one `forward` that are searched for the written tensor."""


@finder()
def find_not_marked_dirty(reading: Reading) -> Iterator[Finding]:
    """A warning for each `forward` without `ctx.mark_dirty` that writes an input that requires grad."""
    trace = reading.trace
    forwards = _forwards(reading.syntax)
    frames = (
        {frame.id: frame for frame in trace.frames if frame.function in forwards and frame.file is None} if forwards else {}
    )
    reported: set[tuple[Line | None, str]] = set()
    for write in trace.writes if frames else []:
        frame = frames.get(_frame_of(reading, write) or FrameId(-1))
        if frame is None or write.tensor is None or write.version is None:
            continue
        forward = forwards[frame.function]
        names = [argument.arg for argument in forward.args.args[1 : 1 + MOST_ARGUMENTS]]
        name, tensor = next(_written(reading, names, frame, write), ("", write.tensor))
        place = (reading.line_of(write.step), name)
        if not name or place in reported or not reading.requires_grad(tensor, frame.began):
            continue
        reported.add(place)
        yield _finding(reading, write, forward, name, frame.function)


def _written(reading: Reading, names: list[str], frame: Frame, write: Write) -> Iterator[tuple[str, TensorId]]:
    """The arguments of a call that were written, also through a view that no longer exists, as in `x[0] = 1`."""
    for name in names:
        tensor = reading.named(name, frame.id, write.tick)
        facts = None if tensor is None else reading.trace.tensors[tensor]
        if tensor is None or facts is None or facts.born > frame.began or write.tensor is None:
            continue
        if tensor == reading.base_of(write.tensor) or value_at(facts.version_counter, write.tick) == write.version_counter:
            yield name, tensor


def _forwards(syntax: Syntax) -> dict[str, ast.FunctionDef]:
    """Returns, by qualified name, each `forward(ctx, ...)` of an autograd Function that never calls `mark_dirty`."""
    found: dict[str, ast.FunctionDef] = {}
    for node in syntax.of(ast.ClassDef):
        if not any(dotted(base).endswith("autograd.Function") for base in node.bases):
            continue
        marks = "mark_dirty" in syntax.attributes_in(node)
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef) and inner.name == "forward" and not marks and inner.args.args:
                found[f"{node.name}.forward"] = inner
    return found


def _frame_of(reading: Reading, write: Write) -> FrameId | None:
    statement = reading.statement_of(write.step)
    return None if statement is None else statement.frame


def _finding(reading: Reading, write: Write, forward: ast.FunctionDef, name: str, function: str) -> Finding:
    statement = reading.statement_ran_by(write.step)
    returned = [node.value for node in reading.syntax.walk(forward) if isinstance(node, ast.Return)]
    gives = len(returned) == 1 and isinstance(returned[0], ast.Name) and returned[0].id == name
    fixes: Fixes = []
    if gives and statement is not None:
        marked = f"{forward.args.args[0].arg}.mark_dirty({name})"
        fixes.append(offer("mark_dirty", statements_before, reading.trace.source, statement, [marked]))
    shown, place = reading.shown_from(write.step), reading.place_of(write.step)
    return Finding(
        kind="not_marked_dirty",
        severity="warning",
        tick=write.tick,
        step=shown[0] if shown else None,
        steps=shown,
        line=None if place is None else place.line,
        file=None if place is None else place.file,
        tensors=[] if write.tensor is None else [write.tensor],
        storages=[write.storage],
        arguments={
            "name": name,
            "function": function,
            "line": reading.line_of(write.step) or 0,
            "ctx": forward.args.args[0].arg,
        },
        fixes=reading.written(fixes),
    )
