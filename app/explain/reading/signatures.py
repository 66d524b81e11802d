"""The signatures of torch's Python functions and classes and of the snippet's functions, and the check of calls against them."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a function, without `self`."""

    places: tuple[str, ...]
    """Positional parameters, in order."""
    needed: frozenset[str]
    only: tuple[str, ...] = ()
    """Keyword-only parameters."""
    is_open: bool = False
    """Whether the function accepts any number of further positional arguments (`*args`)."""
    is_open_by_name: bool = False

    @property
    def names(self) -> list[str]:
        """The parameters, without private parameters."""
        return [name for name in (*self.places, *self.only) if not name.startswith("_")]

    def misfit(self, call: ast.Call) -> tuple[str, str]:
        """Why a call does not match the signature, and the wrong argument. Both are "" if the call matches or might match."""
        keywords = [each.arg for each in call.keywords]
        if None in keywords or any(isinstance(each, ast.Starred) for each in call.args):
            return "", ""
        if len(call.args) > len(self.places) and not self.is_open:
            return "many", ""
        for each in keywords:
            if each in self.places[: len(call.args)]:
                return "twice", each or ""
            if each not in self.places and each not in self.only and not self.is_open_by_name:
                return "unknown", each or ""
        missing = [
            name for name in (*self.places[len(call.args) :], *self.only) if name in self.needed and name not in keywords
        ]
        return ("missing", ", ".join(missing)) if missing else ("", "")


def _read(line: str) -> tuple[str, Signature]:
    """Parses a line such as `Linear(in_features, out_features, bias=)`."""
    name, _, rest = line.rstrip(")").partition("(")
    written = rest.split(", ") if rest else []
    marked = [each for each in written if each.startswith("*")]
    at = written.index(marked[0]) if marked else len(written)
    places = [each.rstrip("=") for each in written[:at]]
    only = [each.rstrip("=") for each in written[at + 1 :]]
    needed = frozenset(each for each in written if not each.endswith("=") and not each.startswith("*"))
    return name, Signature(tuple(places), needed, tuple(only), marked != [] and marked[0] != "*")


SIGNATURES = dict(map(_read, (Path(__file__).parent / "signatures.txt").read_text(encoding="utf-8").splitlines()))
"""Signatures by `Class`, `Class.method` or `module.function` of torch. `tests/explain/signatures.py` writes them."""


def signature_of(function: ast.FunctionDef | ast.AsyncFunctionDef, skipped: int = 0) -> Signature:
    """The signature of a function of the snippet; `skipped` parameters, such as `self`, are left out."""
    given = function.args
    places = [each.arg for each in [*given.posonlyargs, *given.args]]
    needed = {*places[: len(places) - len(given.defaults)][skipped:]}
    needed |= {each.arg for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None}
    only = tuple(each.arg for each in given.kwonlyargs)
    return Signature(tuple(places[skipped:]), frozenset(needed), only, given.vararg is not None, given.kwarg is not None)


def given_for(signature: Signature, call: ast.Call, name: str) -> ast.expr | None:
    """The expression that a call passes for a parameter; None if it passes none or if this is unknown, as with `*args`."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    before: Sequence[ast.expr] = call.args
    at = signature.places.index(name) if name in signature.places else len(before)
    is_plain = not any(isinstance(each, ast.Starred) for each in before[: at + 1])
    return before[at] if at < len(before) and is_plain else None


def _names() -> dict[str, list[str]]:
    rows = (Path(__file__).parent / "names.txt").read_text(encoding="utf-8").splitlines()
    return {owner: known.split() for owner, _, known in (row.partition(": ") for row in rows)}


NAMES = _names()
"""The public names of torch's modules and classes. `tests/explain/signatures.py` writes them."""
