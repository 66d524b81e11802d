"""Finds a write to a tensor that has several elements in one memory location."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.writing import begun_writes
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import called_name
from app.explain.rewriting.replacing import with_clone
from app.explain.rewriting.rewrites import statements_before
from app.trace.records import Geometry, Step, StepId, TensorId, Tick

_REPEATING = {"expand", "expand_as", "broadcast_to", "as_strided"}
"""Functions and methods that give several elements one memory location without copying."""


@finder()
def find_overlapping_write(reading: Reading) -> Iterator[Finding]:
    """An error for each write that torch refused because one memory location cannot store the new values of several elements."""
    for step, _, target, write, written, geometry in begun_writes(reading):
        if geometry is None or not repeats(geometry):
            continue
        named = [(name, tensor) for name, tensor in _named(reading, target, step) if _repeats_at(reading, tensor, step.began)]
        statement = reading.statement_ran_by(step.id)
        maker = reading.trace.tensors[named[0][1] if named else written].made_by
        name, tensor = named[0] if named else ("", written)
        fixes = [offer("clone_expanded", _cloned, reading, maker, name, statement)]
        maker = maker if named else None
        arguments: Arguments = {
            "name": name,
            "known": "yes" if name else "no",
            "maker_line": reading.line_of(maker) or 0,
            "operator": repeating_call(reading, maker),
        }
        makers, storages = [maker], [write.storage]
        yield reading.exception_finding(
            "overlapping_write", step, [tensor], arguments, fixes=fixes, makers=makers, storages=storages
        )


def _cloned(reading: Reading, maker: StepId | None, name: str, statement: ast.stmt | None) -> str | None:
    """Adds `.clone()` in the statement that expanded the tensor.

    If that statement is unknown and the tensor has a variable, copies the tensor above the write.
    """
    expanded = cloned_where_expanded(reading, maker)
    if expanded is not None or not name.isidentifier() or statement is None:
        return expanded
    return statements_before(reading.trace.source, statement, [f"{name} = {name}.clone()"])


def cloned_where_expanded(reading: Reading, maker: StepId | None) -> str | None:
    """`x.expand(3, 2)` → `x.expand(3, 2).clone()` in the statement that created the tensor."""
    calls = reading.syntax.calls_in(reading.statement_ran_by(maker))
    expanding = [call for name in ("expand", "expand_as", "broadcast_to") for call in calls.get(name, [])]
    return with_clone(reading.trace.source, expanding[0]) if len(expanding) == 1 else None


def _named(reading: Reading, target: ast.expr, step: Step) -> Iterator[tuple[str, TensorId]]:
    """The Tensors named in the written expression, including the `x` in `x += 1`, which is an `ast.Store`."""
    stored = reading.tensor_of(target, step) if isinstance(target, ast.Name | ast.Attribute) else None
    if stored is not None:
        yield reading.syntax.path_of(target), stored
    yield from reading.first_named(target, step)


def repeats(geometry: Geometry) -> bool:
    """Whether a dimension of several elements has stride 0, as after `expand`."""
    return any(count > 1 and not step for count, step in zip(geometry.shape, geometry.stride or [], strict=False))


def repeating_call(reading: Reading, maker: StepId | None) -> str:
    """The call that gave several elements one memory location, such as `expand`; "none" if unknown."""
    piece = None if maker is None else reading.node_at(reading.trace.steps[maker].span)
    if not isinstance(piece, ast.expr | ast.Assign | ast.AnnAssign | ast.Return | ast.Expr):
        return "none"
    called = {called_name(node) for node in reading.syntax.walk(piece)} & _REPEATING
    return called.pop() if len(called) == 1 else "none"


def _repeats_at(reading: Reading, tensor: TensorId, tick: Tick) -> bool:
    geometry = reading.geometry_at(tensor, tick)
    return geometry is not None and repeats(geometry)
