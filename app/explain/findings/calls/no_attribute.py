"""Finds a name that a module of torch or an object does not have: misspelt, in another module, or set by code that did not
run."""

import ast
from dataclasses import dataclass
from difflib import get_close_matches

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.reading.signatures import NAMES, SIGNATURES
from app.explain.reading.snippet import dotted

_LIKENESS = 0.75
"""Similarity, from 0 to 1, from which one name counts as a misspelling of another."""

_PLACES = (
    "torch.nn",
    "torch.nn.functional",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.utils.data",
    "torch.distributions",
    "torch",
)
"""Modules of torch that are searched for a name that is missing in another module."""

_CONSTRUCTORS = ("_init_", "__int__", "__init", "_init__", "__init_", "init", "__inti__", "__ini__")

MOST_ATTRIBUTES = 1_000
"""Maximum number of examined attributes of one path."""

_OTHERWISE = {"cross_entropy_loss": "cross_entropy", "concatenate_": "cat", "backwards": "backward", "weights": "weight"}


@dataclass(frozen=True, slots=True)
class _Owner:
    """What lacks the attribute, a module or an object: its type, its known names, and its class if the snippet defines it."""

    rule: str
    type: str
    known: list[str]
    definition: ast.ClassDef | None = None


@failure_finder("AttributeError", after=["find_custom_backward"])
def find_no_attribute(failure: Failure) -> list[Finding]:
    """An error if the run ended because a module or an object does not have an attribute."""
    reading = failure.reading
    piece = failure.piece
    if not isinstance(piece, ast.Attribute) or not isinstance(piece.ctx, ast.Load):
        return []
    if reading.found_by("find_custom_backward"):  # an attribute of `ctx`
        return []
    owner = _owner(failure, piece.value)
    if owner is None or (piece.attr in owner.known and owner.definition is None):
        return []
    how, similar, at = _why(failure, owner, piece.attr)
    if not at and piece.attr in owner.known:  # the name is a property, whose code raised the AttributeError
        return []
    text = ast.get_source_segment(reading.syntax.text, piece.value)
    fixes: Fixes = []
    if how == "similar" and text is not None:
        fixes.append(offer("spell_name", failure.replaced, piece, f"{text}.{similar}"))
    elif how == "iterator" and text is not None and (call := _call_of(failure, piece)) is not None:
        fixes.append(offer("take_next", failure.replaced, call, f"next({text})"))
    arguments: Arguments = {
        "rule": owner.rule,
        "owner": clipped(reading.syntax.text_of(piece.value)),
        "type": owner.type,
        "name": piece.attr,
        "how": how,
        "similar": similar or "none",
        "set_line": at,
    }
    return [reading.exception_finding("no_attribute", failure.step, [], arguments, fixes=fixes)]


def _owner(failure: Failure, node: ast.expr) -> _Owner | None:
    reading, step = failure.reading, failure.step
    first, _, rest = dotted(node).partition(".")
    held = reading.held(first, step) if first else None
    if held is not None and held.kind == "module":
        full = f"{held.text}.{rest}" if rest else held.text or ""
        known = NAMES.get(full) if full != "torch" else None  # reported by another finding
        return None if known is None else _Owner("module", full, known)
    if isinstance(node, ast.Name) and held is not None and held.kind == "object":
        definitions = [each for each in reading.syntax.of(ast.ClassDef) if each.name == held.type]
        if definitions:
            return _defined_here(failure, definitions, held.type)
        return _Owner("object", held.type, _of_torch(failure, node, held.type)) if _is_known(held.type) else None
    if isinstance(node, ast.Name) and held is None and step.frame is not None:  # `self` is not yet recorded
        kind = reading.trace.frames[step.frame].function.rpartition(".")[0].rpartition(".")[2]
        function = reading.syntax.functions_at(reading.trace.frames[step.frame].line)
        is_first = any(each.args.args[:1] and each.args.args[0].arg == node.id for each in function)
        definitions = [each for each in reading.syntax.of(ast.ClassDef) if each.name == kind]
        return _defined_here(failure, definitions, kind) if definitions and is_first else None
    kind = called_by(failure, node)[0] if isinstance(node, ast.Attribute) else ""
    return _Owner("object", kind, _of_torch(failure, node, kind)) if kind and _is_known(kind) else None


def _is_known(kind: str) -> bool:
    return (
        f"{kind}.forward" in SIGNATURES or kind in SIGNATURES or kind.endswith(("ProcessDataLoaderIter", "_IncompatibleKeys"))
    )


def _defined_here(failure: Failure, definitions: list[ast.ClassDef], kind: str) -> _Owner | None:
    """The attributes of an object whose class the snippet defines; None if they are unknown, for example with a `__getattr__`."""
    definition = definitions[0]
    walked = list(failure.reading.syntax.walk(definition))
    functions = [each for each in walked if isinstance(each, ast.FunctionDef)]
    if len(definitions) > 1 or any(each.name in ("__getattr__", "__getattribute__") for each in functions):
        return None
    stored = [each.attr for each in walked if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)]
    return _Owner("object", kind, [*dict.fromkeys([*stored, *(each.name for each in functions)])], definition)


def _of_torch(failure: Failure, node: ast.expr, kind: str) -> list[str]:
    """The names of a torch object: its recorded contents, its constructor's parameters, and the names of its base class."""
    path = failure.reading.syntax.path_of(node)
    names = failure.reading.names_through(path.split(".")[0].split("[")[0], failure.step.frame)[:MOST_ATTRIBUTES]
    behind = [each.path[len(path) + 1 :].split(".")[0].split("[")[0] for each in names if each.path.startswith(f"{path}.")]
    base = next((each for each in ("Optimizer", "LRScheduler", "DataLoader", "Distribution") if _is_a(kind, each)), "Module")
    given = list(SIGNATURES[kind].places) if kind in SIGNATURES else []
    return [*dict.fromkeys([*behind, *given, *NAMES[base]])]


def _is_a(kind: str, base: str) -> bool:
    if base == "DataLoader":
        return "DataLoader" in kind
    return (
        kind
        in NAMES[
            {"Optimizer": "torch.optim", "LRScheduler": "torch.optim.lr_scheduler", "Distribution": "torch.distributions"}[base]
        ]
    )


def _why(failure: Failure, owner: _Owner, name: str) -> tuple[str, str, int]:
    """Why the attribute is missing; the intended name, its module, or the method that would have set it; the method's line."""
    if name == "next" and owner.type.endswith("Iter"):
        return "iterator", "", 0
    if owner.type == "_IncompatibleKeys":
        return "loaded", "", 0
    if owner.definition is not None:
        around, at = _setter(failure, owner.definition, name)
        if at:
            return ("constructor" if around in _CONSTRUCTORS else "later"), around, at
    same = [each for each in owner.known if each.lower() == name.lower()]
    close = same or get_close_matches(_OTHERWISE.get(name, name), owner.known, 1, _LIKENESS)
    if owner.rule == "module":
        place = next((each for each in _PLACES if name in NAMES[each]), "")
        if place:
            return "elsewhere", f"{place}.{name}", 0
    return ("similar", close[0], 0) if close else ("plain", "", 0)


def _setter(failure: Failure, definition: ast.ClassDef, name: str) -> tuple[str, int]:
    """The method of a class that sets this attribute of `self`, and the line; ("", 0) if there is none."""
    for function in definition.body:
        itself = function.args.args[0].arg if isinstance(function, ast.FunctionDef) and function.args.args else ""
        for each in failure.reading.syntax.walk(function) if itself else []:
            match each:
                case ast.Attribute(value=ast.Name(id=owner), attr=attribute, ctx=ast.Store()) if attribute == name:
                    if owner == itself and isinstance(function, ast.FunctionDef):
                        return function.name, each.lineno
    return "", 0


def _call_of(failure: Failure, piece: ast.Attribute) -> ast.Call | None:
    """The call of the missing method, if it has no arguments."""
    calls = failure.reading.syntax.ending_in(ast.Call, piece.attr)
    return next((each for each in calls if isinstance(each, ast.Call) and each.func is piece and not each.args), None)
