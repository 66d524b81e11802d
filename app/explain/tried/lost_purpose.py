"""Checks whether a fix makes a write useless, because the write goes to a copy that is not read."""

import ast
from collections.abc import Iterator
from itertools import islice

from app.explain.tried.change import nodes_of, statement_lines
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import elements, end_of, value_at
from app.trace.records import Name, Step, StorageId, TensorId, Tick, Unknown

_NO_WRITES = ("requires_grad_", "detach_", "__init__")
"""Methods that end in an underscore and are not writes in place."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


MOST_NAMES = 1_000
"""Maximum number of names of written tensors that are compared per statement."""

MOST_LOST = 20
"""Maximum number of names with different contents that are searched for a later read. Each search walks through the snippet."""


def is_lost(original: Trace, fixed: Trace, removed: list[Step], added: list[Step]) -> bool:
    """Whether the first changed statements wrote, and no tensor that the fix reads later has the written values.

    `removed` contains these statements in the snippet's run, `added` their replacements in the fix's run. The write is also
    lost if the replacements only assign variables that are never read.
    """
    was_write = any(_writes(node) for step in removed[:MOST_LOST] for node in _statements_at(original.source, step))
    if added and (not removed or was_write) and all(_is_unread(fixed.source, step) for step in added[:MOST_LOST]):
        return True
    if not added or not was_write:
        return False
    before, after = Index(original), Index(fixed)
    lost = (
        name.path
        for name, tensor in islice(_written(before, removed), MOST_NAMES)
        if not _same(before, after, name, tensor, end_of(removed[-1]), end_of(added[-1]))
    )
    return any(_is_read_later(original.source, removed[-1], path) for path in islice(lost, MOST_LOST))


def _written(index: Index, statements: list[Step]) -> Iterator[tuple[Name, TensorId]]:
    """The names that lead to Tensors on Storages that existed before these statements and that these statements changed."""
    trace, since, until = index.trace, statements[0], end_of(statements[-1])
    storages: set[StorageId | None] = {
        write.storage
        for step in trace.steps[since.id :]
        if step.began <= until
        for write in index.writes_in.get(step.id, [])
        if write.changed and trace.storages[write.storage].born < since.began
    }
    for name in trace.names if storages else ():
        tensor = index.tensor_at(name, until)
        geometry = None if tensor is None else value_at(trace.tensors[tensor].geometry, until)
        if tensor is not None and geometry is not None and geometry.storage in storages:
            yield name, tensor


def _same(before: Index, after: Index, name: Name, tensor: TensorId, tick: Tick, tick_there: Tick) -> bool:
    """Whether a name has the same contents in both runs; unrecorded values count as equal."""
    there = after.name_in(name.frame, name.path)
    found = None if there is None else after.tensor_at(there, tick_there)
    shown = elements(before.trace, tensor, tick)
    shown_there = Unknown(reason="") if found is None else elements(after.trace, found, tick_there)
    return isinstance(shown, Unknown) or isinstance(shown_there, Unknown) or shown == shown_there


# --- the text ---------------------------------------------------------------------------------------------------------


def _statements_at(source: str, step: Step) -> list[ast.stmt]:
    lines = statement_lines(step)
    return [node for node in nodes_of(source) if isinstance(node, ast.stmt) and node.lineno in lines]


def _writes(node: ast.stmt) -> bool:
    """Whether a statement writes: `x += 1`, `x[i] = 1`, `x.mul_(2)`, `x.data = y`."""
    if isinstance(node, ast.AugAssign):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets)
    call = node.value if isinstance(node, ast.Expr) else None
    name = call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
    return name.endswith("_") and name not in _NO_WRITES


def _is_unread(source: str, step: Step) -> bool:
    """Whether a statement only assigns variables that are never read and do not exist at the end of the run."""
    names: list[str] = []
    for node in _statements_at(source, step):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if not isinstance(target, ast.Name):
            return False
        names.append(target.id)
    if all(_is_there_at_the_end(source, step, name) for name in names):
        return False
    return not any(_is_read_later(source, step, name) for name in names)


def _is_there_at_the_end(source: str, step: Step, name: str) -> bool:
    """Whether a module variable keeps its value up to the end: the statement is in no function and no loop over the variable."""
    start = statement_lines(step).start
    around = [
        node
        for node in nodes_of(source)
        if isinstance(node, (*_FUNCTIONS, *_LOOPS)) and node.lineno <= start <= (node.end_lineno or node.lineno)
    ]
    return not any(isinstance(node, _FUNCTIONS) or _gives(node, name) for node in around)


def _is_read_later(source: str, step: Step, path: str) -> bool:
    """Whether the variable of a path is read after a statement: below it, or in a later iteration of an enclosing loop.

    A read within a function counts wherever it is, because the function may be called later. A loop whose target is the
    variable does not count as enclosing, because each iteration assigns a new value first.
    """
    name, lines, nodes = path.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0], statement_lines(step), list(nodes_of(source))
    reads = [node.lineno for node in nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)]
    blocks = [node for node in nodes if isinstance(node, _FUNCTIONS) or (isinstance(node, _LOOPS) and not _gives(node, name))]
    ranges = [(range(node.lineno, (node.end_lineno or node.lineno) + 1), isinstance(node, _FUNCTIONS)) for node in blocks]
    around = [block.start for block, is_function in ranges if lines.start in block and (not is_function or path != name)]
    others = [block for block, is_function in ranges if is_function and lines.start not in block]
    first = min(around, default=lines.stop)
    return any(line not in lines and (line >= first or any(line in block for block in others)) for line in reads)


def _gives(loop: ast.For | ast.AsyncFor | ast.While, name: str) -> bool:
    """Whether a variable is the target of a loop, which each iteration assigns."""
    target = None if isinstance(loop, ast.While) else loop.target
    return target is not None and any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))
