"""Whether a fix loses what a write was for: it goes to a copy that nobody reads."""

import ast
from collections.abc import Iterator

from app.explain.tried.change import nodes_of
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.query import elements, end_of, value_at
from app.trace.records import Name, Step, StorageId, TensorId, Tick, Unknown

_NO_WRITES = ("requires_grad_", "detach_", "__init__")
"""Methods whose names end alike."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_lost(original: Trace, fixed: Trace, removed: Step | None, added: Step | None) -> bool:
    """Whether the first changed statement wrote, and in the fix nothing that is read later has what it wrote.

    `removed` is that statement in the snippet's run, `added` what the fix's runs in its place. Also lost is what a fix adds when it
    does nothing but give a variable a value that is never read.
    """
    was_write = removed is not None and any(_writes(node) for node in _statements_at(original.source, removed))
    if added is not None and (removed is None or was_write) and _is_unread(fixed.source, added):
        return True
    if removed is None or added is None or not was_write:
        return False
    before, after = Index(original), Index(fixed)
    return any(
        not _same(before, after, name, tensor, end_of(removed), end_of(added))
        and _is_read_later(original.source, removed, name.path)
        for name, tensor in _written(before, removed)
    )


def _written(index: Index, statement: Step) -> Iterator[tuple[Name, TensorId]]:
    """The names that led, after a statement, to what it had changed of memory that was there before."""
    trace, until = index.trace, end_of(statement)
    storages: set[StorageId | None] = {
        write.storage
        for step in trace.steps[statement.id :]
        if step.began <= until
        for write in index.writes_in.get(step.id, [])
        if write.changed and trace.storages[write.storage].born < statement.began
    }
    for name in trace.names if storages else ():
        tensor = index.tensor_at(name, until)
        geometry = None if tensor is None else value_at(trace.tensors[tensor].geometry, until)
        if tensor is not None and geometry is not None and geometry.storage in storages:
            yield name, tensor


def _same(before: Index, after: Index, name: Name, tensor: TensorId, tick: Tick, tick_there: Tick) -> bool:
    """Whether a name shows in the fix's run what it shows in the snippet's; what was not kept counts as the same."""
    there = after.name_in(name.frame, name.path)
    found = None if there is None else after.tensor_at(there, tick_there)
    shown = elements(before.trace, tensor, tick)
    shown_there = Unknown(reason="") if found is None else elements(after.trace, found, tick_there)
    return isinstance(shown, Unknown) or isinstance(shown_there, Unknown) or shown == shown_there


# --- what the text says -----------------------------------------------------------------------------------------------


def _statements_at(source: str, step: Step) -> list[ast.stmt]:
    lines = _lines(step)
    return [node for node in nodes_of(source) if isinstance(node, ast.stmt) and node.lineno in lines]


def _lines(step: Step) -> range:
    return range(0) if step.span is None else range(step.span.line, step.span.end_line + 1)


def _writes(node: ast.stmt) -> bool:
    """Whether it is one of those that write: `x += 1`, `x[i] = 1`, `x.mul_(2)`, `x.data = y`."""
    if isinstance(node, ast.AugAssign):
        return True
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets)
    call = node.value if isinstance(node, ast.Expr) else None
    name = call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
    return name.endswith("_") and name not in _NO_WRITES


def _is_unread(source: str, step: Step) -> bool:
    """Whether a statement does nothing but give variables values that are never read, nor there at the end."""
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
    """Whether a variable is the program's own, and no loop around the statement gives it another value."""
    start = _lines(step).start
    around = [
        node
        for node in nodes_of(source)
        if isinstance(node, (*_FUNCTIONS, *_LOOPS)) and node.lineno <= start <= (node.end_lineno or node.lineno)
    ]
    return not any(isinstance(node, _FUNCTIONS) or _gives(node, name) for node in around)


def _is_read_later(source: str, step: Step, path: str) -> bool:
    """Whether the variable that a path begins with is read after a statement: below it, or in another round of a loop around it.

    Another function may read it at any time. A loop that gives it a value anew reads nothing of an earlier round.
    """
    name, own, nodes = path.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0], _lines(step), list(nodes_of(source))
    reads = [node.lineno for node in nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)]
    blocks = [node for node in nodes if isinstance(node, _FUNCTIONS) or (isinstance(node, _LOOPS) and not _gives(node, name))]
    ranges = [(range(node.lineno, (node.end_lineno or node.lineno) + 1), isinstance(node, _FUNCTIONS)) for node in blocks]
    around = [lines.start for lines, is_function in ranges if own.start in lines and (not is_function or path != name)]
    others = [lines for lines, is_function in ranges if is_function and own.start not in lines]
    first = min(around, default=own.stop)
    return any(line not in own and (line >= first or any(line in lines for lines in others)) for line in reads)


def _gives(loop: ast.For | ast.AsyncFor | ast.While, name: str) -> bool:
    """Whether each round of a loop begins with another value of a variable."""
    target = None if isinstance(loop, ast.While) else loop.target
    return target is not None and any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))
