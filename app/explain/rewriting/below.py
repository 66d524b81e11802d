"""The fix for a write that comes too early: moves the write below the backward that still needs the old values."""

import ast

from app.explain.reading.graph_walks import graph_below
from app.explain.reading.reading import Reading
from app.explain.rewriting.blocks import Function, Level, levels, read_in, set_in, with_lines_moved
from app.trace.overlap import reaches
from app.trace.query import events_after
from app.trace.records import Step, StorageId, TensorId, Write

MOST_TENSORS = 100
"""Maximum number of Tensors that share one memory whose names are searched below a write."""


def step_below(reading: Reading, write: Write, needer: Step | None) -> str | None:
    """Moves `opt.step()` below the backward that still needs the old weights.

    Returns None if that backward also reaches leaves that the step does not update. In a GAN, the generator's loss also
    computes gradients of the discriminator, whose step must not use them.
    """
    moved = _moved(reading, write, needer)
    if moved is None or needer is None or not is_step(moved[0].statement) or not isinstance(moved[1].statement, ast.Expr):
        return None
    graph = graph_below(reading, reading.statement_of(needer.id))
    leaves = [leaf for node in graph if (leaf := reading.trace.nodes[node].variable) is not None]
    if not all(_is_written_in(reading, leaf, reading.statement_of(write.step)) for leaf in leaves):
        return None
    return with_lines_moved(reading.trace.source, [moved[0].statement], moved[1].statement, behind=True)


def write_below(reading: Reading, write: Write, needer: Step | None) -> str | None:
    """Moves a write such as `w.data.clamp_(0, 1)` below the backward, if no code between the two reads the written memory."""
    moved = _moved(reading, write, needer)
    if moved is None:
        return None
    writer, reader = moved
    if is_update(reading, write):
        return None
    syntax, passed = reading.syntax, writer.block[writer.place + 1 : reader.place + 1]
    sets, reads = set_in(syntax, [writer.statement]), read_in(syntax, [writer.statement])
    met = read_in(syntax, passed)
    if sets & (met | set_in(syntax, passed)) or reads & set_in(syntax, passed) or met & _roots(reading, write.storage, write):
        return None
    return with_lines_moved(reading.trace.source, [writer.statement], reader.statement, behind=True)


def _moved(reading: Reading, write: Write, needer: Step | None) -> tuple[Level, Level] | None:
    """The statement with the write, and the statement below it in the same block with the backward; None if no block has both."""
    needing = None if needer is None else reading.statement_of(needer.id)
    both = reading.statement_at(reading.statement_of(write.step)), reading.statement_at(needing)
    if both[0] is None or both[1] is None:
        return None
    shared = [
        pair
        for pair in zip(levels(reading.syntax, both[0]), levels(reading.syntax, both[1]), strict=False)
        if pair[0].block is pair[1].block
    ]
    # A write is not moved out of a function or a class, because their bodies run at another time than the code around them.
    deeper = [*levels(reading.syntax, both[0])[len(shared) :], *levels(reading.syntax, both[1])[len(shared) :]]
    if not shared or any(isinstance(level.owner, Function | ast.ClassDef) for level in deeper):
        return None
    return shared[-1] if shared[-1][0].place < shared[-1][1].place else None


def is_step(statement: ast.stmt | None) -> bool:
    """Whether a statement is `opt.step()`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="step"))):
            return True
    return False


def is_update(reading: Reading, write: Write) -> bool:
    """Whether a statement uses a gradient to write: `opt.step()`, `w -= 0.1 * w.grad`."""
    statement = reading.statement_at(reading.statement_of(write.step))
    return is_step(statement) or "grad" in reading.syntax.attributes_in(statement)


def _is_written_in(reading: Reading, leaf: TensorId, statement: Step | None) -> bool:
    geometry = None if statement is None else reading.geometry_at(leaf, statement.began)
    if statement is None or geometry is None or geometry.storage is None:
        return False
    writes = events_after(reading.changing_writes.get(geometry.storage, []), statement.began)
    first = next((write for write in writes if reaches(reading.trace, write, geometry)), None)
    return first is not None and (statement.ended is None or first.tick <= statement.ended)


def _roots(reading: Reading, storage: StorageId, write: Write) -> set[str]:
    """The variables through which a Storage can be reached at the time of a write."""
    tensors = reading.tensors_on.get(storage, [])[:MOST_TENSORS]
    paths = (path for tensor in tensors for path in reading.paths_of(tensor, write.tick))
    return {path.replace("[", ".").partition(".")[0] for path in paths}
