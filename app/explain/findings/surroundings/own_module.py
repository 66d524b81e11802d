"""Finds modules of the snippet that torch cannot use: without `super().__init__()`, without `forward`, or with wrong parameters
of `forward`."""

import ast
from difflib import get_close_matches

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.rewriting.replacing import with_replaced

_LISTS = ("ModuleList", "ModuleDict", "ParameterList", "ParameterDict")
"""Containers of torch without a `forward`."""

_LIKENESS = 0.7
"""Similarity, from 0 to 1, from which a name counts as a misspelling of `forward`."""


@failure_finder("AttributeError")
def find_missing_init(failure: Failure) -> list[Finding]:
    """An error for a module whose `__init__` assigns layers before `nn.Module.__init__` ran."""
    reading = failure.reading
    target = failure.piece
    frame = None if failure.step.frame is None else reading.trace.frames[failure.step.frame]
    match target:
        case ast.Attribute(value=ast.Name(id=itself), ctx=ast.Store()):
            pass
        case _:
            return []
    functions = [] if frame is None else reading.syntax.functions_at(frame.line)
    for definition in reading.syntax.of(ast.ClassDef):
        for function in functions:
            if function not in definition.body or not _is_module(failure, definition):
                continue
            is_its = function.name == "__init__" and function.args.args and function.args.args[0].arg == itself
            if not is_its or "__init__" in reading.syntax.attributes_in(function):
                continue
            arguments: Arguments = {
                "type": definition.name,
                "init_line": function.lineno,
                "name": reading.syntax.text_of(target),
            }
            fixes = [offer("call_init", _with_init, reading, function)]
            return [reading.exception_finding("missing_init", failure.step, [], arguments, fixes=fixes)]
    return []


def _is_module(failure: Failure, definition: ast.ClassDef) -> bool:
    bases = [function_of_torch(failure.reading, base, failure.step) for base in definition.bases]
    return ("Module", True) in bases


def _with_init(reading: Reading, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """Inserts `super().__init__()` before the first statement of `__init__`."""
    is_text = isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant)
    first = function.body[1] if is_text and len(function.body) > 1 else function.body[0]
    text = ast.get_source_segment(reading.syntax.text, first)
    indentation = " " * first.col_offset
    if text is None or first.lineno == function.lineno:
        return None
    return with_replaced(reading.trace.source, [(first, f"super().__init__()\n{indentation}{text}")])


@failure_finder("NotImplementedError")
def find_missing_forward(failure: Failure) -> list[Finding]:
    """An error for a module without `forward` that was called."""
    reading = failure.reading
    piece = failure.piece
    if not isinstance(piece, ast.Call):
        return []
    kind, made = called_by(failure, piece.func)
    if kind in _LISTS:
        return [_of_list(failure, piece, kind, made)]
    definition = class_of(failure, piece.func)
    methods = [each for each in definition.body if isinstance(each, ast.FunctionDef)] if definition is not None else []
    if definition is None or not _is_module(failure, definition) or any(each.name == "forward" for each in methods):
        return []
    nested = [
        each
        for method in methods
        for each in reading.syntax.walk(method)
        if isinstance(each, ast.FunctionDef) and each is not method
    ]
    inner = next((each for each in nested if each.name == "forward"), None)
    similar = get_close_matches("forward", [each.name for each in methods], 1, _LIKENESS)
    written = next((each for each in methods if each.name in similar), None)
    fixes = [offer("spell_forward", _respelled, reading, written)] if written is not None and inner is None else []
    arguments: Arguments = {
        "type": definition.name,
        "how": "nested" if inner is not None else "spelled" if written is not None else "missing",
        "written": "" if written is None else written.name,
        "written_line": inner.lineno if inner is not None else definition.lineno if written is None else written.lineno,
        "container": "none",
    }
    return [reading.exception_finding("missing_forward", failure.step, [], arguments, fixes=fixes)]


def _of_list(failure: Failure, piece: ast.Call, kind: str, made: ast.Call | None) -> Finding:
    fixes: Fixes = []
    match made:
        case ast.Call(args=[given], keywords=[]) if kind == "ModuleList":
            text = ast.get_source_segment(failure.reading.syntax.text, given)
            prefix = dotted(made.func).rpartition(".")[0]
            if text is not None and prefix:
                fixes.append(offer("make_sequential", failure.replaced, made, f"{prefix}.Sequential(*{text})"))
    arguments: Arguments = {
        "type": clipped(failure.reading.syntax.text_of(piece.func)),
        "how": "list",
        "written": "",
        "written_line": 0,
        "container": kind,
    }
    reading = failure.reading
    return reading.exception_finding("missing_forward", failure.step, [], arguments, fixes=fixes)


def _respelled(reading: Reading, function: ast.FunctionDef) -> str | None:
    """`def foward(self, x)` → `def forward(self, x)`."""
    text = ast.get_source_segment(reading.syntax.text, function)
    if text is None or not text.startswith(f"def {function.name}"):
        return None
    return with_replaced(reading.trace.source, [(function, f"def forward{text[len(function.name) + 4 :]}")])


def class_of(failure: Failure, function: ast.expr) -> ast.ClassDef | None:
    """The class of the snippet whose instance a call calls: `net(x)`, `Net()(x)`, `self.net(x)`; None if unknown."""
    name = ""
    match function:
        case ast.Name(id=variable):
            held = failure.reading.held(variable, failure.step)
            name = held.type if held is not None and held.kind == "object" else ""
        case ast.Call(func=ast.Name(id=maker)):
            name = maker
        case ast.Attribute(attr=attribute):
            value = failure.reading.syntax.only_value(ast.Attribute, attribute)
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
                name = value.func.id
    found = [each for each in failure.reading.syntax.of(ast.ClassDef) if each.name == name]
    return found[0] if len(found) == 1 else None


@failure_finder("TypeError")
def find_forward_arguments(failure: Failure) -> list[Finding]:
    """An error for a call of a module with a `forward` that does not accept the arguments."""
    piece = failure.piece
    definition = class_of(failure, piece.func) if isinstance(piece, ast.Call) else None
    if definition is None or not isinstance(piece, ast.Call) or not _is_module(failure, definition):
        return []
    forwards = [each for each in definition.body if isinstance(each, ast.FunctionDef) and each.name == "forward"]
    is_plain = not any(isinstance(each, ast.Starred) for each in piece.args) and all(each.arg for each in piece.keywords)
    if len(forwards) != 1 or not is_plain or forwards[0].decorator_list:
        return []
    function = forwards[0]
    rule, name = _misfit(function, len(piece.args), [each.arg or "" for each in piece.keywords])
    if not rule:
        return []
    taken = [each.arg for each in [*function.args.posonlyargs, *function.args.args][1:]]
    arguments: Arguments = {
        "rule": rule,
        "name": name,
        "type": definition.name,
        "forward_line": function.lineno,
        "given": len(piece.args) + len(piece.keywords),
        "taken": len(taken),
        "names": ", ".join(taken) or "none",
    }
    return [failure.reading.exception_finding("forward_arguments", failure.step, [], arguments)]


def _misfit(function: ast.FunctionDef, given: int, keywords: list[str]) -> tuple[str, str]:
    """Why a `forward` refuses `given` arguments and these keywords, and the wrong argument; both "" if it accepts them."""
    named = [each.arg for each in [*function.args.posonlyargs, *function.args.args]]
    if not named:
        return "no_self", ""
    taken = named[1:]
    if given > len(taken) and function.args.vararg is None:
        return "many", ""
    only = [each.arg for each in function.args.kwonlyargs]
    unknown = [each for each in keywords if each not in taken and each not in only]
    if unknown and function.args.kwarg is None:
        return "unknown", unknown[0]
    needed = taken[: len(taken) - len(function.args.defaults)] if function.args.defaults else taken
    missing = [each for each in needed[given:] if each not in keywords]
    return ("missing", missing[0]) if missing else ("", "")
