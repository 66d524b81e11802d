"""Finds misplaced objects: a loss class called with tensors, an optimizer given a module, a `Sequential` given a list."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch
from app.explain.reading.snippet import dotted

_OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam", "Adamax", "ASGD", "LBFGS", "Rprop")


@failure_finder("RuntimeError", "AttributeError", "TypeError")
def find_loss_class(failure: Failure) -> list[Finding]:
    """An error for `nn.MSELoss(a, b)`, which creates a loss module instead of computing a loss."""
    reading = failure.reading
    call = _loss_made(failure)
    if call is None or len(call.args) < 2 or call.keywords:
        return []
    name, is_torch = function_of_torch(reading, call.func, failure.step)
    operands = [failure.operand(each) for each in call.args[:2]]
    known = [each for each in operands if each is not None]
    if not is_torch or not name.endswith("Loss") or len(known) != 2:
        return []
    made = ast.get_source_segment(reading.syntax.text, call)
    written = ast.get_source_segment(reading.syntax.text, call.func)
    fixes: Fixes = []
    if made is not None and written is not None:
        fixes.append(offer("call_the_loss", failure.replaced, call, f"{written}(){made[len(written) :]}"))
    arguments: Arguments = {
        **failure.told(known[0], "left"),
        **failure.told(known[1], "right"),
        "loss": name,
        "written": dotted(call.func),
        "call_line": call.lineno,
    }
    return [failure.single_finding("loss_class_called", known, arguments, fixes=fixes)]


def _loss_made(failure: Failure) -> ast.Call | None:
    """The call of a loss class: the failed call itself, or the call whose result the failed attribute access used."""
    match failure.piece:
        case ast.Call(func=ast.Name(id=name)) if failure.reading.held(name, failure.step) is None:
            return None
        case ast.Attribute(value=ast.Name(id=name), attr="backward" | "item" | "detach" | "mean" | "sum"):
            defined = failure.reading.defined_by(name, failure.step)
            match defined:
                case (ast.Assign(value=ast.Call() as call), _):
                    return call
            return None
        case ast.Call() as call:
            return call
    return None


@failure_finder("TypeError")
def find_misplaced_module(failure: Failure) -> list[Finding]:
    """An error for an optimizer that was given a module, or a `Sequential` that was given a list."""
    piece = failure.piece
    if not isinstance(piece, ast.Call) or not piece.args:
        return []
    name, is_torch = function_of_torch(failure.reading, piece.func, failure.step)
    first = piece.args[0]
    text = ast.get_source_segment(failure.reading.syntax.text, first)
    if not is_torch or text is None:
        return []
    if name == "Sequential" and len(piece.args) == 1 and _is_list(failure, first):
        fixes = [offer("unpack_list", failure.replaced, first, f"*{text}")]
        return [_finding(failure, "list", name, text, fixes)]
    if name in _OPTIMIZERS and _is_module(failure, first):
        fixes = [offer("give_parameters", failure.replaced, first, f"{text}.parameters()")]
        return [_finding(failure, "module", name, text, fixes)]
    if name in _OPTIMIZERS and isinstance(first, ast.Attribute) and first.attr == "parameters":
        fixes = [offer("call_parameters", failure.replaced, first, f"{text}()")]
        return [_finding(failure, "method", name, text, fixes)]
    return []


def _finding(failure: Failure, rule: str, name: str, text: str, fixes: Fixes) -> Finding:
    arguments: Arguments = {"rule": rule, "function": name, "name": clipped(text)}
    reading = failure.reading
    return reading.exception_finding("misplaced_module", failure.step, [], arguments, fixes=fixes)


def _is_list(failure: Failure, node: ast.expr) -> bool:
    held = failure.reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
    is_held = held is not None and held.kind == "collection" and held.type in ("list", "tuple")
    return isinstance(node, ast.List | ast.Tuple | ast.ListComp) or is_held


def _is_module(failure: Failure, node: ast.expr) -> bool:
    """Whether an object has Parameters."""
    path = failure.reading.syntax.path_of(node)
    held = failure.reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
    is_object = held is not None and held.kind == "object" and held.type not in ("generator", "map", "filter", "chain")
    return is_object and any(
        name.path.startswith((f"{path}.", f"{path}[")) for name in failure.reading.names_through(path, failure.step.frame)
    )
