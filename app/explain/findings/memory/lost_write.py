"""Finds a write without effect to a temporary copy: `x[mask].zero_()` leaves `x` unchanged."""

import ast
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder, offer
from app.explain.findings.writing import written_by
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import MOST_CHARACTERS
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import end_of
from app.trace.records import Step, TensorId, Write

_MAYBE = ("reshape", "flatten", "ravel", "contiguous", "to", "cpu", "float", "double", "half", "bfloat16", "type", "type_as")
"""Methods that return either a copy, or the tensor itself or a view of it."""

_PICKS = ("index_select", "masked_select", "take", "gather")
_VIEWS = ("T", "mT", "H", "t", "transpose", "permute", "view", "squeeze", "unsqueeze", "select", "narrow", "data", "detach")

_AUGMENTED = {"add_": "+=", "sub_": "-=", "mul_": "*=", "div_": "/="}


@finder()
def find_lost_writes(reading: Reading) -> Iterator[Finding]:
    """A warning for each line with a write that can never be read."""
    done: set[int] = set()
    chains: dict[ast.stmt, dict[ast.expr, None]] = {}
    for write in reading.trace.writes:
        step = reading.statement_of(write.step)
        if step is None or write.tensor is None or not _is_gone(reading, write, step):
            continue
        statement = reading.statement_at(step)
        copied = _maker(reading, write)
        if statement is None or not isinstance(copied, ast.expr) or id(copied) in done:
            continue
        if statement not in chains:
            chains[statement] = dict.fromkeys(_chain(statement))
        if copied not in chains[statement]:
            continue
        written = next(reversed(chains[statement]))
        source = reading.tensor_of(written, step)
        geometry = reading.geometry_at(source, step.began)
        if source is not None and geometry is not None and geometry.storage != write.storage and _may_alias(copied):
            done.add(id(copied))
            yield _finding(reading, step, statement, copied, written, source)


def _is_gone(reading: Reading, write: Write, statement: Step) -> bool:
    """Whether the Storage was created and freed within the statement that wrote it."""
    storage = reading.trace.storages[write.storage]
    return storage.born > statement.began and storage.freed is not None and storage.freed <= end_of(statement)


def _maker(reading: Reading, write: Write) -> ast.AST | None:
    """The syntax node of the snippet that created the written Storage."""
    first = next(iter(reading.tensors_on.get(write.storage, [])), None)
    maker = None if first is None else reading.trace.tensors[first].made_by
    return None if maker is None else reading.node_at(reading.trace.steps[maker].span)


def _chain(statement: ast.stmt) -> list[ast.expr]:
    """The expression that a statement writes, and the expressions that it selects from: `x[mask][0]`, `x[mask]`, `x`."""
    match statement:
        case ast.Expr(value=ast.Call() as call):
            pending = written_by(call)
        case ast.Assign(targets=[ast.Subscript(value=value)]) | ast.AugAssign(target=ast.Subscript(value=value)):
            pending = value
        case _:
            return []
    found: list[ast.expr] = []
    while pending is not None:
        found.append(pending)
        match pending:
            case ast.Subscript(value=value):
                pending = value
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if _looks_up(method) or written_by(pending) is not None:
                pending = value
            case ast.Attribute(value=value, attr=attribute) if attribute in _VIEWS:
                pending = value
            case _:
                pending = None
    return found


def _looks_up(method: str) -> bool:
    return method in _MAYBE or method in _PICKS or method in _VIEWS


def _may_alias(copied: ast.AST | None) -> bool:
    """Whether the expression could also return a view of its tensor instead of a copy."""
    match copied:
        case ast.Subscript():
            return True
        case ast.Call(func=ast.Attribute(attr=method)):
            return method in _MAYBE or method in _PICKS
    return False


def _finding(
    reading: Reading, step: Step, statement: ast.stmt, copied: ast.expr, source: ast.expr, tensor: TensorId
) -> Finding:
    text = reading.syntax.text
    piece = reading.syntax.text_of(copied)
    is_method = isinstance(copied, ast.Call) and isinstance(copied.func, ast.Attribute) and copied.func.attr in _MAYBE
    fixes = [offer("assign_index", _indexed, text, statement, copied)]
    arguments: Arguments = {
        "piece": piece if len(piece) <= MOST_CHARACTERS else reading.syntax.text_of(source),
        "name": reading.syntax.text_of(source),
        "how": "method" if is_method else "index",
    }
    return reading.finding("lost_write", [step.id], [tensor], arguments, fixes=fixes, severity="warning")


def _indexed(source: str, statement: ast.stmt, copied: ast.AST | None) -> str | None:
    """`x[mask].zero_()` → `x[mask] = 0`, `x[mask].add_(y)` → `x[mask] += y`."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=method), args=arguments, keywords=[])) if (
            value is copied and isinstance(copied, ast.Subscript)
        ):
            piece = ast.get_source_segment(source, copied)
            given = [ast.get_source_segment(source, argument) for argument in arguments]
            if piece is not None and method == "zero_" and not given:
                return with_replaced(source, [(statement, f"{piece} = 0")])
            if piece is not None and method == "fill_" and len(given) == 1:
                return with_replaced(source, [(statement, f"{piece} = {given[0]}")])
            if piece is not None and method in _AUGMENTED and len(given) == 1:
                return with_replaced(source, [(statement, f"{piece} {_AUGMENTED[method]} {given[0]}")])
    return None
