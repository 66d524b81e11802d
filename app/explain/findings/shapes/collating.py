"""Finds items of a dataset that a `DataLoader` cannot stack into a batch."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand, of_tensor, operand
from app.trace.records import Frame

MOST_ITEMS = 1_000
"""Maximum number of items of a batch that are compared with the first item."""


@failure_finder("RuntimeError")
def find_collate_mismatch(failure: Failure) -> list[Finding]:
    """An error for the first item of a batch with a shape that differs from that of the first item."""
    reading = failure.reading
    statement = reading.statement_of(failure.step.id)
    if statement is None or not _asks_loader(failure):
        return []
    frames = [each for each in reading.called_by(statement, failure.step) if each.function.endswith("__getitem__")]
    rows = [_returned(reading, frame) for frame in frames[-MOST_ITEMS:]] or _listed(failure)
    for place in range(len(rows[0]) if rows else 0):
        first = rows[0][place]
        for number, row in enumerate(rows):
            other = row[place] if place < len(row) else None
            if first is None or other is None:
                break
            if first.shape != other.shape:
                arguments: Arguments = {"number": number, "at": place, "several": "yes" if len(rows[0]) > 1 else "no"}
                return [failure.finding("collate_mismatch", first, other, arguments)]
    return []


def _asks_loader(failure: Failure) -> bool:
    """Whether the failed expression takes the next batch of a `DataLoader` that has no `collate_fn`."""
    match failure.piece:
        case ast.For(iter=source) | ast.Call(func=ast.Name(id="next"), args=[source]):
            pass
        case ast.Call(func=ast.Name(id="iter" | "enumerate" | "list" | "len"), args=[source, *_]):
            pass
        case _:
            return False
    calls = failure.reading.syntax.ending_in(ast.Call, "DataLoader")
    named = any(name in failure.reading.syntax.names_in(source) for name in _loaders(failure))
    collates = any(each.arg == "collate_fn" for call in calls if isinstance(call, ast.Call) for each in call.keywords)
    return bool(calls) and not collates and (named or bool(failure.reading.syntax.calls_in(source).get("DataLoader")))


def _loaders(failure: Failure) -> list[str]:
    """The variables that hold a `DataLoader` or an iterator over one."""
    return [
        target.id
        for node in failure.reading.syntax.of(ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and {"DataLoader", "iter"} & failure.reading.syntax.calls_in(node.value).keys()
    ]


def _returned(reading: Reading, frame: Frame) -> list[Operand | None]:
    """The tensors that a `__getitem__` returned."""
    body = reading.statements_in.get(frame.id, [])
    last = reading.ended(body[-1]) if body else None
    match None if last is None else reading.statement_at(last):
        case ast.Return(value=ast.expr() as value) if last is not None:
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
            return [operand(reading, each, last) for each in parts]
    return []


def _listed(failure: Failure) -> list[list[Operand | None]]:
    """The tensors of a dataset that is a list; empty if all have the same shape."""
    reading, step = failure.reading, failure.step
    calls = [call for call in reading.syntax.ending_in(ast.Call, "DataLoader") if isinstance(call, ast.Call)]
    match calls:
        case [ast.Call(args=[ast.Name(id=name), *_])]:
            held = reading.held(name, step)
            rows: list[list[Operand | None]] = []
            for number in range(min(held.length or 0, MOST_ITEMS) if held is not None and held.kind == "collection" else 0):
                tensor = reading.named(f"{name}[{number}]", step.frame, step.began)
                if tensor is None:
                    return []
                rows.append([of_tensor(reading, tensor, step, f"{name}[{number}]")])
            return rows if len({row[0].shape for row in rows if row[0] is not None}) > 1 else []
    return []
