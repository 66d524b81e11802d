"""Finds an index or key that a container of modules does not have, or an index into a module that is not a container."""

import ast
from difflib import get_close_matches

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.findings.resolved import method_of
from app.explain.findings.surroundings.own_module import class_of
from app.explain.reading.integers import integer
from app.explain.reading.syntax import last_name

_LIKENESS = 0.6
"""Similarity, from 0 to 1, from which one key counts as a misspelling of another."""


@failure_finder("IndexError", "KeyError", "TypeError")
def find_no_item(failure: Failure) -> list[Finding]:
    """An error if the run ended because a module does not have the requested item."""
    reading = failure.reading
    piece = failure.piece
    if not isinstance(piece, ast.Subscript):
        return []
    kind, made = called_by(failure, piece.value)
    rule, key, there = "", "", ""
    fixes: Fixes = []
    match failure.step.name, made:
        case "TypeError", _:
            definition = class_of(failure, piece.value)
            bases = [last_name(base) for base in definition.bases] if definition is not None else []
            is_plain = (
                definition is not None and {*bases} <= {"Module", "object"} and method_of(definition, "__getitem__") is None
            )
            rule, kind = ("plain", definition.name) if is_plain and definition is not None else ("", "")
        case "IndexError", ast.Call() if kind in ("Sequential", "ModuleList"):
            count, index = _count(made), integer(reading, piece.slice, failure.step)
            if count is not None and index is not None and not -count <= index < count:
                rule, key, there = "index", str(index), str(count)
        case "KeyError", ast.Call(args=[ast.Dict(keys=keys)]) if kind == "ModuleDict":
            rule, key, there, fixes = _keyed(failure, piece, keys)
    if not rule:
        return []
    arguments: Arguments = {
        "rule": rule,
        "name": clipped(reading.syntax.text_of(piece.value)),
        "type": kind,
        "asked": key,
        "there": there,
    }
    return [reading.exception_finding("no_item", failure.step, [], arguments, fixes=fixes)]


def _count(made: ast.Call) -> int | None:
    """The number of modules that a container was created from; None if unknown."""
    given = made.args[0].elts if len(made.args) == 1 and isinstance(made.args[0], ast.List) else made.args
    is_plain = not made.keywords and all(isinstance(each, ast.Call) for each in given)
    return len(given) if is_plain and given else None


def _keyed(failure: Failure, piece: ast.Subscript, keys: list[ast.expr | None]) -> tuple[str, str, str, Fixes]:
    known = [each.value for each in keys if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    asked = piece.slice.value if isinstance(piece.slice, ast.Constant) else None
    if not isinstance(asked, str) or asked in known or len(known) != len(keys):
        return "", "", "", []
    similar = get_close_matches(asked, known, 1, _LIKENESS)
    parts = [each for each in known if asked.startswith(each) or each.startswith(asked)]
    meant = similar[0] if similar else parts[0] if len(parts) == 1 else None
    fixes = [offer("use_key", failure.replaced, piece.slice, f'"{meant}"')] if meant is not None else []
    return "key", asked, clipped(", ".join(known)), fixes
