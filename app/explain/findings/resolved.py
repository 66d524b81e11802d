"""Resolves a call to a function, class or method of the snippet, or of torch by the table of signatures."""

import ast
from dataclasses import dataclass

from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, function_of_torch
from app.explain.reading.signatures import SIGNATURES, Signature, signature_of
from app.explain.reading.snippet import dotted


@dataclass(frozen=True, slots=True)
class Callee:
    """The target of a call: its name in the table or in the snippet, its parameters, and its definition in the snippet."""

    name: str
    signature: Signature
    defined: ast.FunctionDef | ast.ClassDef | None = None


def callee_of(failure: Failure, call: ast.Call) -> Callee | None:
    """The target of a call; None if unknown."""
    return _of_torch(failure, call.func) or _of_snippet(failure, call.func) or _of_object(failure, call.func)


def full_name(failure: Failure, function: ast.expr) -> str:
    """`torch.nn.functional.relu` for `F.relu`; "" for other objects."""
    name, is_torch = function_of_torch(failure.reading, function, failure.step)
    if not is_torch:
        return ""
    first, _, rest = dotted(function).partition(".")
    held = failure.reading.held(first, failure.step)
    if rest and held is not None:
        return f"{held.text}.{rest}"
    modules = (
        statement.module or ""
        for statement in failure.reading.syntax.of(ast.ImportFrom)
        for alias in statement.names
        if (alias.asname or alias.name) == first and (statement.module or "").split(".")[0] == "torch"
    )
    return f"{next(modules, 'torch')}.{name}"


def _of_torch(failure: Failure, function: ast.expr) -> Callee | None:
    full = full_name(failure, function)
    name = full.rpartition(".")[2]
    key = name if name[:1].isupper() else ".".join(full.split(".")[-2:])
    return Callee(key, SIGNATURES[key]) if key in SIGNATURES else None


def _of_snippet(failure: Failure, function: ast.expr) -> Callee | None:
    """A function of the snippet, or the constructor of a class of the snippet."""
    reading = failure.reading
    name = function.id if isinstance(function, ast.Name) else ""
    held = reading.held(name, failure.step) if name else None
    if held is None or held.kind not in ("function", "class"):
        return None
    found = [each for each in reading.syntax.of(ast.FunctionDef, ast.ClassDef) if each.name == name]
    if len(found) != 1 or found[0].decorator_list:
        return None
    definition = found[0]
    if isinstance(definition, ast.FunctionDef):
        return Callee(name, signature_of(definition), definition)
    constructor = method_of(definition, "__init__")
    if constructor is not None:
        return None if constructor.decorator_list else Callee(name, signature_of(constructor, 1), definition)
    bases = [function_of_torch(reading, base, failure.step)[0] or dotted(base) for base in definition.bases]
    is_plain = all(base in ("Module", "Dataset", "object") for base in bases) and not definition.keywords
    return Callee(name, Signature((), frozenset()), definition) if is_plain and not method_of(definition, "__new__") else None


def _of_object(failure: Failure, function: ast.expr) -> Callee | None:
    """The target of a call of a torch module or of a torch object's method; None for other calls."""
    kind, _ = called_by(failure, function)
    if f"{kind}.forward" in SIGNATURES and not function_of_torch(failure.reading, function, failure.step)[1]:
        return Callee(f"{kind}.forward", SIGNATURES[f"{kind}.forward"])
    if not isinstance(function, ast.Attribute) or function_of_torch(failure.reading, function.value, failure.step)[1]:
        return None
    kind = called_by(failure, function.value)[0]
    names = [f"{kind}.{function.attr}", *([f"Module.{function.attr}"] if f"{kind}.forward" in SIGNATURES else [])]
    return next((Callee(name, SIGNATURES[name]) for name in names if name in SIGNATURES), None)


def method_of(definition: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """The method of this name in the class body; None if the class only inherits it."""
    return next((each for each in definition.body if isinstance(each, ast.FunctionDef) and each.name == name), None)
