"""Finds misuses of `DataLoader` and dataset classes: no length, no items, different sizes, a loader used as an iterator."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.findings.resolved import full_name, method_of
from app.explain.reading.integers import integers
from app.explain.reading.shapes import Operand, named_at, of_tensor
from app.explain.reading.syntax import last_name
from app.trace.records import Held

_SIZED = ("DataLoader", "RandomSampler", "SequentialSampler", "random_split", "ConcatDataset")
"""Functions and classes that need the length of a dataset."""


@failure_finder("TypeError", "ValueError", "AssertionError", "NotImplementedError", "IndexError")
def find_loader(failure: Failure) -> list[Finding]:
    """An error if the run ended because a `DataLoader` or a dataset was misused."""
    match failure.piece:
        case ast.Call(func=ast.Name(id="next"), args=[given]) if failure.step.name == "TypeError":
            return _used(failure, given, "iterator", f"iter({_text(failure, given)})")
        case ast.Subscript() as piece if failure.step.name == "IndexError":
            return _beyond(failure, piece)
        case ast.Subscript(value=given) if failure.step.name == "TypeError":
            return _used(failure, given, "indexed", "")
        case ast.Tuple() | ast.List() as target if failure.step.name == "ValueError":
            return _unpacked(failure, target)
        case ast.Call() as call:
            return _made(failure, call)
        case ast.For() | ast.Name() if failure.step.name == "TypeError":
            return _none_given(failure)
    return []


def _text(failure: Failure, node: ast.expr) -> str:
    return ast.get_source_segment(failure.reading.syntax.text, node) or ""


def _finding(failure: Failure, rule: str, told: dict[str, str | int], fixes: Fixes) -> list[Finding]:
    arguments: Arguments = {
        "rule": rule,
        "name": "",
        "type": "",
        "left": "",
        "right": "",
        "size": 0,
        "wanted": 0,
        "at_line": 0,
        **told,
    }
    reading = failure.reading
    return [reading.exception_finding("loader_refused", failure.step, [], arguments, fixes=fixes)]


def _used(failure: Failure, node: ast.expr, rule: str, text: str) -> list[Finding]:
    """Finds `next(loader)` and `loader[0]`."""
    kind, made = called_by(failure, node)
    if kind != "DataLoader" or (made is not None and made is node):
        return []
    fixes = [offer("make_iterator", failure.replaced, node, text)] if text else []
    return _finding(failure, rule, {"name": clipped(failure.reading.syntax.text_of(node))}, fixes)


def _unpacked(failure: Failure, target: ast.Tuple | ast.List) -> list[Finding]:
    """Finds `for x, y in loader` if the batches are single tensors."""
    reading = failure.reading
    statement = reading.syntax.statement_around(target)
    if not isinstance(statement, ast.For) or statement.target is not target:
        return []
    kind, made = called_by(failure, statement.iter)
    dataset = None if kind != "DataLoader" or made is None or not made.args else failure.operand(made.args[0])
    if dataset is None or not dataset.shape:
        return []
    told: dict[str, str | int] = {
        "name": clipped(reading.syntax.text_of(statement.iter)),
        "left": clipped(dataset.text),
        "right": clipped(reading.syntax.text_of(target).strip("()[]")),
    }
    return _finding(failure, "unpacked", told, [])


def _made(failure: Failure, call: ast.Call) -> list[Finding]:
    """Finds a dataset, loader or split that could not be created."""
    name = full_name(failure, call.func).rpartition(".")[2]
    if name == "TensorDataset" and failure.step.name == "AssertionError":
        return _sizes(failure, call)
    if name == "random_split" and failure.step.name == "ValueError" and len(call.args) > 1:
        return _lengths(failure, call)
    if name in _SIZED and call.args:
        return _unsized(failure, call.args[0])
    if name == "" and isinstance(call.func, ast.Name) and call.func.id in ("next", "iter", "list", "enumerate"):
        return _none_given(failure)
    return []


def _sizes(failure: Failure, call: ast.Call) -> list[Finding]:
    operands = failure.operands(call.args)
    first = operands[0] if operands else None
    other = next((each for each in operands if first and each.shape[:1] != first.shape[:1]), None)
    if first is None or other is None or not first.shape or not other.shape:
        return []
    told: dict[str, str | int] = {
        "left": clipped(first.text),
        "right": clipped(other.text),
        "size": other.shape[0],
        "wanted": first.shape[0],
    }
    return _finding(failure, "sizes", told, [])


def _length(failure: Failure, node: ast.expr) -> int | None:
    """The number of items of a dataset; None unless it is a tensor, a collection or a `TensorDataset`."""
    operand: Operand | None = failure.operand(node)
    if operand is not None:
        return operand.shape[0] if operand.shape else None
    held: Held | None = failure.reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
    if held is not None and held.kind == "collection":
        return held.length if held.length is not None else 0 if held.text in ("[]", "{}", "()") else None
    path = failure.reading.syntax.path_of(node)
    first = named_at(failure.reading, f"{path}.tensors[0]", failure.step) if path else None
    inner = None if first is None or called_by(failure, node)[0] != "TensorDataset" else first
    found = None if inner is None else of_tensor(failure.reading, inner, failure.step)
    return found.shape[0] if found is not None and found.shape else None


def _lengths(failure: Failure, call: ast.Call) -> list[Finding]:
    wanted = _length(failure, call.args[0])
    written = call.args[1].elts if isinstance(call.args[1], ast.List | ast.Tuple) else []
    numbers = integers(failure.reading, written, failure.step) if written else None
    if wanted is None or numbers is None or sum(numbers) == wanted:
        return []
    told: dict[str, str | int] = {
        "name": clipped(failure.reading.syntax.text_of(call.args[0])),
        "right": clipped(failure.reading.syntax.text_of(call.args[1])),
        "size": sum(numbers),
        "wanted": wanted,
    }
    last = written[-1]
    rest = wanted - sum(numbers[:-1])
    return _finding(failure, "lengths", told, [offer("fit_lengths", failure.replaced, last, str(rest))] if rest > 0 else [])


def _unsized(failure: Failure, node: ast.expr) -> list[Finding]:
    """Finds a dataset that has no length, or no items."""
    name = clipped(failure.reading.syntax.text_of(node))
    if failure.step.name == "ValueError":
        is_empty = _length(failure, node) == 0
        return _finding(failure, "empty", {"name": name}, []) if is_empty else []
    definition = _class_of(failure, node)
    is_plain = definition is not None and all(last_name(base) in ("Dataset", "object") for base in definition.bases)
    if definition is None or not is_plain or method_of(definition, "__len__") is not None or failure.step.name != "TypeError":
        return []
    near = next((each for each in ("len", "_len_", "__length__", "length", "size") if method_of(definition, each)), "none")
    told: dict[str, str | int] = {"name": name, "type": definition.name, "at_line": definition.lineno, "left": near}
    return _finding(failure, "length", told, [])


def _beyond(failure: Failure, piece: ast.Subscript) -> list[Finding]:
    """Finds a `__len__` that returns more than the number of items, so that `__getitem__` raised IndexError."""
    reading = failure.reading
    frame = None if failure.step.frame is None else reading.trace.frames[failure.step.frame]
    kind = "" if frame is None or not frame.function.endswith(".__getitem__") else frame.function.split(".")[-2]
    definition = next((each for each in reading.syntax.of(ast.ClassDef) if each.name == kind), None)
    caller = None if frame is None else reading.statement_ran_by(reading.callers.get(frame.id))
    by_index = any(
        isinstance(each, ast.Subscript) for each in reading.syntax.walk(caller.iter if isinstance(caller, ast.For) else caller)
    )
    if caller is None or by_index or not reading.syntax.ending_in(ast.Call, "DataLoader"):
        return []
    counting = None if definition is None else method_of(definition, "__len__")
    getting = None if definition is None else method_of(definition, "__getitem__")
    operand = failure.operand(piece.value)
    is_index = (
        getting is not None and isinstance(piece.slice, ast.Name) and piece.slice.id in [each.arg for each in getting.args.args]
    )
    if counting is None or operand is None or not operand.shape or not is_index:
        return []
    told: dict[str, str | int] = {
        "name": clipped(operand.text),
        "type": kind,
        "size": operand.shape[0],
        "at_line": counting.lineno,
    }
    fixes: Fixes = []
    match counting.body:
        case [ast.Return(value=ast.Constant() as written)] if operand.text.startswith("self."):
            fixes.append(offer("count_items", failure.replaced, written, f"len({operand.text})"))
    return _finding(failure, "beyond", told, fixes)


def _class_of(failure: Failure, node: ast.expr) -> ast.ClassDef | None:
    """The definition of an object's class in the snippet; None if unknown."""
    name = ""
    if isinstance(node, ast.Name):
        held = failure.reading.held(node.id, failure.step)
        name = held.type if held is not None and held.kind == "object" else ""
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name = node.func.id
    found = [each for each in failure.reading.syntax.of(ast.ClassDef) if each.name == name]
    return found[0] if len(found) == 1 else None


def _none_given(failure: Failure) -> list[Finding]:
    """Finds a `__getitem__` that returned None for an item of the batch."""
    reading = failure.reading
    loaders = [each for each in reading.syntax.ending_in(ast.Call, "DataLoader") if isinstance(each, ast.Call)]
    statement = reading.statement_of(failure.step.id)
    if not loaders or any(keyword.arg == "collate_fn" for each in loaders for keyword in each.keywords):
        return []
    frames = [] if statement is None else list(reading.called_by(statement, failure.step))
    for frame in (each for each in frames if each.function.endswith("__getitem__")):
        body = reading.statements_in.get(frame.id, [])
        last = None if not body else reading.statement_at(body[-1])
        value = last.value if isinstance(last, ast.Return) else None
        is_none = not isinstance(last, ast.Return) or value is None or (isinstance(value, ast.Constant) and value.value is None)
        if is_none and last is not None and not isinstance(last, ast.With | ast.Try | ast.Raise):
            told: dict[str, str | int] = {"name": frame.function, "at_line": frame.line}
            return _finding(failure, "none", told, [])
    return []
