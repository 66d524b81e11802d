"""Finds items that are not modules: `nn.Sequential(nn.Flatten, F.relu)`; and invalid names of modules."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch
from app.explain.findings.resolved import full_name
from app.explain.reading.shapes import known_tensor
from app.explain.reading.signatures import NAMES
from app.explain.reading.snippet import dotted

_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict")
_ADDING = ("append", "add_module", "insert", "register_module")
_REGISTERING = ("register_buffer", "register_parameter", "add_module", "register_module")

_MODULES = {
    **{
        name.lower(): name
        for name in ("ReLU", "GELU", "SiLU", "ELU", "Tanh", "Sigmoid", "Softplus", "Flatten", "Mish", "Hardtanh")
    },
    "leaky_relu": "LeakyReLU",
    "logsigmoid": "LogSigmoid",
}
"""For functions of torch, the equivalent class that is created without arguments."""


@failure_finder("TypeError")
def find_no_module(failure: Failure) -> list[Finding]:
    """An error for the first item of a container such as `nn.Sequential` that is not a module."""
    piece = failure.piece
    if not isinstance(piece, ast.Call):
        return []
    container = _container(failure, piece)
    for node in _items(piece) if container else []:
        rule, name = _rule(failure, node)
        if rule == "module":
            continue
        if not rule:
            return []
        arguments: Arguments = {
            "rule": rule,
            "container": container,
            "name": clipped(failure.reading.syntax.text_of(node)),
            "module": _MODULES.get(name, "none") if rule == "function" else "none",
        }
        return [
            failure.reading.exception_finding("no_module", failure.step, [], arguments, fixes=_fixes(failure, node, rule, name))
        ]
    return []


def _container(failure: Failure, piece: ast.Call) -> str:
    name, is_torch = function_of_torch(failure.reading, piece.func, failure.step)
    if is_torch:
        return name if name in _CONTAINERS else ""
    if isinstance(piece.func, ast.Attribute) and piece.func.attr in _ADDING:
        kind = called_by(failure, piece.func.value)[0]
        return kind if kind in _CONTAINERS else ""
    return ""


def _items(piece: ast.Call) -> list[ast.expr]:
    """The expressions that must be modules."""
    found: list[ast.expr] = []
    for each in piece.args[-1:] if isinstance(piece.func, ast.Attribute) and piece.func.attr in _ADDING else piece.args:
        match each:
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Starred(value=ast.List(elts=elements)):
                found += elements
            case ast.Dict(values=values):
                found += values
            case _:
                found.append(each)
    return found


def _rule(failure: Failure, node: ast.expr) -> tuple[str, str]:
    """The kind of an item (a module, a class, a function or a tensor; "" if unknown), and the item's name in torch."""
    if isinstance(node, ast.Call):
        name = function_of_torch(failure.reading, node.func, failure.step)[0]
        classes = [each for each in failure.reading.syntax.of(ast.ClassDef) if dotted(node.func) == each.name]
        return ("module", name) if (name in NAMES["torch.nn"] and name[:1].isupper()) or classes else ("", "")
    if isinstance(node, ast.Lambda):
        return "lambda", ""
    full = full_name(failure, node)
    name = full.rpartition(".")[2]
    if full:
        return ("class" if name[:1].isupper() else "function"), name
    held = failure.reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
    if held is not None and held.kind in ("class", "function"):
        return held.kind, ""
    return ("tensor", "") if known_tensor(failure.reading, node, failure.step) is not None else ("", "")


def _fixes(failure: Failure, node: ast.expr, rule: str, name: str) -> Fixes:
    text = ast.get_source_segment(failure.reading.syntax.text, node)
    if rule == "class" and text is not None:
        return [offer("make_module", failure.replaced, node, f"{text}()")]
    if rule == "function" and name in _MODULES and "nn" in failure.reading.syntax.bound_names:
        return [offer("use_module", failure.replaced, node, f"nn.{_MODULES[name]}()")]
    return []


@failure_finder("KeyError", "TypeError")
def find_module_name(failure: Failure) -> list[Finding]:
    """An error for a name that a module cannot register because it is taken or empty, contains a dot, or is not a string."""
    for node in _names(failure):
        value = node.value if isinstance(node, ast.Constant) else None
        rule = _misnamed(failure, value)
        if not rule:
            continue
        written = repr(value)
        fixes: Fixes = []
        if rule == "dot":
            fixes.append(offer("without_dot", failure.replaced, node, repr(str(value).replace(".", "_"))))
        elif rule == "number":
            fixes.append(offer("as_text", failure.replaced, node, f'"{value!r}"'))
        arguments: Arguments = {"rule": rule, "name": clipped(written), "set_line": _set_line(failure, value)}
        return [failure.reading.exception_finding("module_name", failure.step, [], arguments, fixes=fixes)]
    return []


def _names(failure: Failure) -> list[ast.expr]:
    """The expressions of the names under which a call or an assignment registers modules or Parameters."""
    match failure.piece:
        case ast.Call(func=ast.Attribute(attr=method), args=[name, *_]) if method in _REGISTERING:
            return [name]
        case ast.Call(func=function, args=[ast.Dict(keys=keys)]) if function_of_torch(failure.reading, function, failure.step)[
            0
        ] in ("ModuleDict", "ParameterDict"):
            return [key for key in keys if key is not None]
        case ast.Subscript(value=container, slice=name, ctx=ast.Store()) if called_by(failure, container)[0] == "ModuleDict":
            return [name]
    return []


def _misnamed(failure: Failure, value: object) -> str:
    if isinstance(value, int | float):
        return "number" if failure.step.name == "TypeError" else ""
    if not isinstance(value, str) or failure.step.name != "KeyError":
        return ""
    if not value:
        return "empty"
    if "." in value:
        return "dot"
    return "taken" if _set_line(failure, value) or value in NAMES["Module"] else ""


def _set_line(failure: Failure, value: object) -> int:
    """The line where the class sets an attribute of this name; 0 if there is none."""
    reading = failure.reading
    frame = None if failure.step.frame is None else reading.trace.frames[failure.step.frame]
    place = reading.place_of(failure.step.id)
    line = 0 if place is None or place.file is not None else place.line
    for function in reading.syntax.functions_at(frame.line) if frame is not None and isinstance(value, str) else []:
        for each in reading.syntax.walk(function):
            is_it = isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and each.attr == value
            if is_it and isinstance(each, ast.Attribute) and each.lineno <= line:
                return each.lineno
    return 0
