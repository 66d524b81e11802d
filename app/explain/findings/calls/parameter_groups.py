"""Finds Parameters that an optimizer gets twice, generators used as lists, and buffers that are read from their end."""

import ast

from app.explain.finding import Arguments, Finding, offer
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.findings.resolved import full_name
from app.explain.reading.signatures import NAMES
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import TensorId

_GENERATORS = ("parameters", "named_parameters", "buffers", "modules", "children")

MOST_NAMES = 1_000
"""Maximum number of examined names of one variable."""


@failure_finder("ValueError", "TypeError")
def find_parameter_groups(failure: Failure) -> list[Finding]:
    """An error for Parameters that were passed twice, or for a generator used as a list, if the exception ended the run."""
    match (failure.step.name, failure.piece):
        case "TypeError", ast.BinOp(left=left, op=ast.Add(), right=right):
            return _added(failure, left, right)
        case "TypeError", ast.Call(func=ast.Name(id="len"), args=[given]) | ast.Subscript(value=given):
            return _listed(failure, given)
        case "ValueError", ast.Call() as call:
            return _twice(failure, call)
    return []


def _method(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Attribute(attr=method), args=[], keywords=[]) if method in _GENERATORS:
            return method
    return ""


def _added(failure: Failure, left: ast.expr, right: ast.expr) -> list[Finding]:
    """Finds `a.parameters() + b.parameters()`."""
    reading = failure.reading
    if not _method(left) or not (_method(right) or isinstance(right, ast.List)):
        return []
    texts = [ast.get_source_segment(reading.syntax.text, each) or "" for each in (left, right)]
    replaced = [(each, f"list({text})") for each, text in zip((left, right), texts, strict=True) if _method(each)]
    fixes = [offer("list_both", with_replaced, failure.source, replaced)]
    arguments: Arguments = {"rule": "added", "name": clipped(texts[0]), "other": clipped(texts[1]), "function": ""}
    return [reading.exception_finding("parameter_groups", failure.step, [], arguments, fixes=fixes)]


def _listed(failure: Failure, node: ast.expr) -> list[Finding]:
    """Finds `len(model.parameters())` and `model.parameters()[0]`."""
    reading = failure.reading
    if not _method(node):
        return []
    text = ast.get_source_segment(reading.syntax.text, node) or ""
    fixes = [offer("list_them", failure.replaced, node, f"list({text})")]
    arguments: Arguments = {"rule": "iterator", "name": clipped(text), "other": "", "function": ""}
    return [reading.exception_finding("parameter_groups", failure.step, [], arguments, fixes=fixes)]


def _twice(failure: Failure, call: ast.Call) -> list[Finding]:
    """Finds groups of an optimizer that share a Parameter."""
    name = full_name(failure, call.func).rpartition(".")[2]
    if name not in NAMES["torch.optim"] or not call.args:
        return []
    groups = _groups(failure, call.args[0])
    seen: dict[TensorId, str] = {}
    for group in groups:
        text = clipped(failure.reading.syntax.text_of(group))
        found = _parameters(failure, group)
        for tensor in found:
            if tensor in seen:
                arguments: Arguments = {
                    "rule": "twice",
                    "name": failure.reading.name_of(tensor) or "a Parameter",
                    "other": text,
                    "function": seen[tensor],
                }
                reading = failure.reading
                return [reading.exception_finding("parameter_groups", failure.step, [tensor], arguments)]
        seen |= dict.fromkeys(found, text)
    return []


def _groups(failure: Failure, node: ast.expr) -> list[ast.expr]:
    """The expressions under the key `"params"` in a list of parameter groups."""
    if isinstance(node, ast.Name):
        value = failure.reading.syntax.only_value(ast.Name, node.id)
        node = node if value is None else value
    groups = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return [
        value
        for each in groups
        if isinstance(each, ast.Dict)
        for key, value in zip(each.keys, each.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "params"
    ]


def _parameters(failure: Failure, node: ast.expr) -> list[TensorId]:
    """The Tensors that `model.parameters()` returns."""
    reading, step = failure.reading, failure.step
    if not isinstance(node, ast.Call) or _method(node) != "parameters" or not isinstance(node.func, ast.Attribute):
        return []
    path = reading.syntax.path_of(node.func.value)
    names = reading.names_through(path.split(".")[0].split("[")[0], step.frame)[:MOST_NAMES] if path else []
    behind = [reading.tensor_at(name, step.began) for name in names if name.path.startswith((f"{path}.", f"{path}["))]
    return [each for each in behind if each is not None and reading.trace.tensors[each].type == "Parameter"]


@failure_finder("EOFError")
def find_file_at_end(failure: Failure) -> list[Finding]:
    """An error for a buffer that was written and is read without seeking to its beginning."""
    reading = failure.reading
    match failure.piece:
        case ast.Call(func=function, args=[ast.Name(id=name), *_]):
            pass
        case _:
            return []
    if full_name(failure, function) != "torch.load":
        return []
    held = reading.held(name, failure.step)
    writers = [
        (each, run)
        for each in reading.syntax.ending_in(ast.Call, "save")
        if isinstance(each, ast.Call) and len(each.args) > 1 and isinstance(each.args[1], ast.Name) and each.args[1].id == name
        for run in reading.runs_of_statement.get(reading.syntax.statement_around(each) or failure.piece, [])[:1]  # type: ignore[arg-type]
    ]
    statement = reading.statement_ran_by(failure.step.id)
    if held is None or held.type != "BytesIO" or not writers or statement is None:
        return []
    first = reading.syntax.lines[statement.lineno - 1]
    indentation = first[: len(first) - len(first.lstrip())]
    text = ast.get_source_segment(reading.syntax.text, statement)
    fixes = [offer("seek_beginning", with_replaced, failure.source, [(statement, f"{name}.seek(0)\n{indentation}{text}")])]
    arguments: Arguments = {"name": name, "write_line": writers[-1][0].lineno}
    return [reading.exception_finding("file_at_end", failure.step, [], arguments, fixes=fixes)]
