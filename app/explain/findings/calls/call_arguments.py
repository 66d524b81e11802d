"""Finds a call of torch or of the snippet with a missing, unknown or extra argument."""

import ast
from difflib import get_close_matches

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, failure_finder, function_of_torch
from app.explain.findings.resolved import Callee, callee_of, method_of
from app.explain.rewriting.replacing import with_replaced

_LIKENESS = 0.6
"""Similarity, from 0 to 1, from which one name counts as a misspelling of another."""

_OTHERWISE = {"learning_rate": "lr", "stepsize": "lr", "p": "dropout", "dropout": "p", "size": "output_size"}
"""Other names for torch's arguments, as in other libraries."""

_CONSTRUCTORS = ("_init_", "__int__", "__init", "_init__", "__init_", "init", "__inti__", "__ini__", "__iniit__")

_HINTED = {
    "ReduceLROnPlateau.step": "plateau",
    "LBFGS.step": "closure",
    "MultiheadAttention.forward": "attention",
    "amp.autocast": "device",
    "torch.autocast": "device",
    "utils.clip_grad_norm_": "norm",
    "OneCycleLR": "steps",
}
"""Functions for which the message says more about the missing argument."""

MOST_NAMES = 8
"""Maximum number of arguments of a function that a message lists."""


@failure_finder("TypeError", after=["find_refused_input"])
def find_call_arguments(failure: Failure) -> list[Finding]:
    """An error if the run ended because the arguments of a call do not match the function."""
    piece = failure.piece
    callee = callee_of(failure, piece) if isinstance(piece, ast.Call) else None
    if callee is None or not isinstance(piece, ast.Call):
        return []
    rule, name = callee.signature.misfit(piece)
    if not rule or failure.reading.found_by("find_refused_input"):
        return []
    names = callee.signature.names
    similar = _similar(name, names) if rule == "unknown" else ""
    written = _constructor(callee)
    arguments: Arguments = {
        "rule": rule,
        "function": callee.name.removesuffix(".forward"),
        "name": name,
        "similar": similar or "none",
        "names": ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "") or "none",
        "given": len(piece.args),
        "taken": len(callee.signature.places),
        "how": _how(failure, piece, callee, rule),
        "written": "" if written is None else written.name,
        "defined_line": 0 if callee.defined is None else callee.defined.lineno,
        "written_line": 0 if written is None else written.lineno,
    }
    fixes = _fixes(failure, piece, callee, (rule, name, similar))
    return [failure.reading.exception_finding("call_arguments", failure.step, [], arguments, fixes=fixes)]


def _similar(name: str, names: list[str]) -> str:
    known = _OTHERWISE.get(name)
    if known in names:
        return known or ""
    parts = [each for each in names if each.startswith(name) or name.startswith(each)] if len(name) > 1 else []
    close = get_close_matches(name, names, 1, _LIKENESS)
    return close[0] if close else parts[0] if len(parts) == 1 else ""


def _constructor(callee: Callee) -> ast.FunctionDef | None:
    """A method with a name that looks like a misspelling of `__init__`, in a class without `__init__`."""
    definition = callee.defined
    if not isinstance(definition, ast.ClassDef) or method_of(definition, "__init__") is not None:
        return None
    methods = [each for each in definition.body if isinstance(each, ast.FunctionDef)]
    return next((each for each in methods if each.name in _CONSTRUCTORS), None)


def _how(failure: Failure, piece: ast.Call, callee: Callee, rule: str) -> str:
    """The variant of the message: a class called in place of its object ("class"), a misspelt constructor, or a hint."""
    if _constructor(callee) is not None:
        return "constructor"
    definition = callee.defined
    is_class = isinstance(definition, ast.ClassDef) and method_of(definition, "forward") is not None
    if is_class and rule == "many" and not callee.signature.places and _is_tensor(failure, piece.args[0]):
        return "class"
    return _HINTED.get(callee.name, "plain") if rule == "missing" else "plain"


def _is_tensor(failure: Failure, node: ast.expr) -> bool:
    is_made = isinstance(node, ast.Call) and function_of_torch(failure.reading, node.func, failure.step)[1]
    return is_made or failure.operand(node) is not None


def _fixes(failure: Failure, piece: ast.Call, callee: Callee, why: tuple[str, str, str]) -> Fixes:
    rule, name, similar = why
    text, source = failure.reading.syntax.text, failure.source
    constructor = _constructor(callee)
    if constructor is not None:
        whole = ast.get_source_segment(text, constructor) or ""
        renamed = f"def __init__{whole[len(constructor.name) + 4 :]}"
        is_plain = whole.startswith(f"def {constructor.name}")
        return [offer("spell_constructor", with_replaced, source, [(constructor, renamed)])] if is_plain else []
    how = _how(failure, piece, callee, rule)
    written = ast.get_source_segment(text, piece.func)
    whole = ast.get_source_segment(text, piece) or ""
    if how == "class" and written is not None and not callee.signature.needed:
        return [offer("call_an_object", failure.replaced, piece, f"{written}(){whole[len(written) :]}")]
    if how == "device" and written is not None and name == "device_type":
        rest = whole[len(written) + 1 :]
        given = f'{written}("cpu"{"" if rest.startswith(")") else ", "}{rest}'
        return [offer("give_device", failure.replaced, piece, given)]
    if how == "attention" and len(piece.args) == 1 and not piece.keywords:
        one = ast.get_source_segment(text, piece.args[0])
        is_name = isinstance(piece.args[0], ast.Name)
        return [offer("attend_to_itself", failure.replaced, piece.args[0], f"{one}, {one}, {one}")] if is_name else []
    keyword = next((each for each in piece.keywords if each.arg == name), None)
    if similar and keyword is not None:
        value = ast.get_source_segment(text, keyword.value)
        return [offer("name_argument", with_replaced, source, [(keyword, f"{similar}={value}")])]
    return []
