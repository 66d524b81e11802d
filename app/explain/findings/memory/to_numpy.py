"""Finds `numpy()` on a tensor that requires grad."""

import ast
from collections.abc import Iterator
from math import prod

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.rewriting.fitting import with_behind
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import MODULE
from app.trace.records import Step, TensorId

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_VALUES = {"detach", "item", "numpy", "tolist"}


@finder()
def find_numpy_of_tracked(reading: Reading) -> Iterator[Finding]:
    """An error for each call that torch refused, because NumPy could write the memory unseen by autograd."""
    for step, piece in reading.failures:
        call, name, tensor = _refused(reading, piece, step)
        if tensor is None:
            continue
        value = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
        text = None if value is None else ast.get_source_segment(reading.syntax.text, value)
        fixes: Fixes = []
        if call is not None and text is not None:
            detached = [(call, f"{text}.detach().numpy()")]
            fixes.append(offer("detach_first", with_replaced, reading.trace.source, detached))
        elif isinstance(piece, ast.Call):
            fixes = _given_values(reading, piece.args[0], step, tensor)
        arguments: Arguments = {"name": reading.quoted(name, step.frame)}
        yield reading.exception_finding("numpy_of_tracked", step, [tensor], arguments, fixes=fixes)


def _given_values(reading: Reading, given: ast.expr, step: Step, tensor: TensorId) -> Fixes:
    """`np.array(out)` → `np.array(out.detach())`. For a list, adds `.item()` to the expression that adds its elements, if there
    is only one."""
    if reading.tensor_of(given, step) is not None:
        return [offer("detach_first", with_behind, reading.trace.source, given, ".detach()")]
    geometry = reading.geometry_at(tensor, step.began)
    put = [] if geometry is None or prod(geometry.shape) != 1 else _put_into(reading, given)
    return [offer("keep_a_number", with_behind, reading.trace.source, put[0], ".item()")] if len(put) == 1 else []


def _put_into(reading: Reading, given: ast.expr) -> list[ast.expr]:
    """The expressions that the snippet appends to this list, or that the list's comprehension evaluates."""
    if isinstance(given, ast.ListComp):
        return [given.elt]
    if not isinstance(given, ast.Name):
        return []
    put = [
        call.args[0]
        for call in reading.syntax.ending_in(ast.Call, "append")
        if isinstance(call, ast.Call) and len(call.args) == 1 and reading.syntax.path_of(call.func) == f"{given.id}.append"
    ]
    made = [
        each.value for each in reading.syntax.of(ast.Assign) if list(map(reading.syntax.path_of, each.targets)) == [given.id]
    ]
    return [*put, *(each.elt for each in made if isinstance(each, ast.ListComp))]


def _refused(reading: Reading, piece: ast.AST, step: Step) -> tuple[ast.Call | None, str, TensorId | None]:
    """The refused `.numpy()` call (None for a function of NumPy), the name of the Tensor, and the Tensor."""
    match piece:
        case ast.Call(func=ast.Attribute(value=value, attr="numpy"), args=[], keywords=[]):
            # Since Python 3.12 the failed call may be within a comprehension, whose variable is not recorded.
            over = _gone_through(reading, value)
            if over is not None:
                return piece, *_tracked(reading, over, step)
            tensor = reading.tensor_of(value, step)
            is_it = tensor is not None and reading.requires_grad(tensor, step.began)
            return piece, reading.syntax.text_of(value), tensor if is_it else None
        case ast.Call(func=function, args=[given, *_]) if dotted(function).partition(".")[0] in ("np", "numpy"):
            return None, *_in_list(reading, given, step)
    calls = [call for call in reading.syntax.calls_in(piece).get("numpy", []) if not call.args and not call.keywords]
    read = calls[0].func.value if len(calls) == 1 and isinstance(calls[0].func, ast.Attribute) else None
    if read is None or not isinstance(piece, (*_COMPREHENSIONS, ast.Call)):
        return None, "", None
    return calls[0], *_tracked(reading, _gone_through(reading, read) or read, step)


def _gone_through(reading: Reading, read: ast.expr) -> ast.expr | None:
    """The iterable of the enclosing comprehension for this variable; None for any other expression."""
    around = reading.syntax.statement_around(read) if isinstance(read, ast.Name) else None
    for each in reading.syntax.walk(around) if around is not None else []:
        if isinstance(each, _COMPREHENSIONS) and any(inner is read for inner in reading.syntax.walk(each)):
            for rounds in each.generators:
                if isinstance(rounds.target, ast.Name) and isinstance(read, ast.Name) and rounds.target.id == read.id:
                    return rounds.iter
    return None


def _in_list(reading: Reading, given: ast.expr, step: Step) -> tuple[str, TensorId | None]:
    """The same as `_tracked`, but also searches in a comprehension such as `[2 * loss for loss in losses]`."""
    if isinstance(given, ast.ListComp) and not _VALUES & reading.syntax.attributes_in(given.elt):
        for each in reading.syntax.walk(given):
            name, tensor = _tracked(reading, each, step) if isinstance(each, ast.Name) else ("", None)
            if tensor is not None:
                return name, tensor
    return _tracked(reading, given, step)


def _tracked(reading: Reading, given: ast.expr, step: Step) -> tuple[str, TensorId | None]:
    """A Tensor that requires grad in an argument, with its name: the argument itself, or the first such Tensor in a variable."""
    tensor = reading.tensor_of(given, step)
    if tensor is not None:
        return reading.syntax.text_of(given), tensor if reading.requires_grad(tensor, step.began) else None
    holder = given.func if isinstance(given, ast.Call) else given  # a module's output requires grad if its Parameters do
    for scope in dict.fromkeys((step.frame, MODULE)) if isinstance(holder, ast.Name) else []:
        for name in reading.names_through(holder.id, scope) if isinstance(holder, ast.Name) else []:
            held = reading.tensor_at(name, step.began)
            if held is not None and reading.requires_grad(held, step.began):
                return name.path if holder is given else reading.syntax.text_of(given), held
    return "", None
