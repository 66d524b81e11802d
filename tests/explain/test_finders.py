"""Finders register under their names, and run after the finders whose results they use."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.explain.finding import Finder, FinderError, Finding, finder, registered
from app.explain.findings import FINDERS, in_order

FINDINGS = Path(__file__).parents[2] / "app/explain/findings"
MODULES = {path: path.read_text(encoding="utf-8") for path in sorted(FINDINGS.rglob("*.py"))}


def nothing(_: object) -> list[Finding]:
    return []


def after(*names: str) -> Finder:
    return Finder(nothing, names, of_the_sandbox=False, needs_the_end=False, is_last=False)


def test_every_finder_is_registered_and_runs_after_those_that_it_names() -> None:
    defined = {name for text in MODULES.values() for name in re.findall(r"^def (find_\w+)\(", text, re.MULTILINE)}
    assert defined == registered.keys() == FINDERS.keys()
    names = list(FINDERS)
    assert [(name, other) for name in names for other in FINDERS[name].after if names.index(other) > names.index(name)] == []


def test_finders_without_a_reason_keep_their_order() -> None:
    given = {"d": after(), "c": after("a"), "b": after(), "a": after(), "e": after("c", "d")}
    assert "".join(in_order(given)) == "dbace"


@pytest.mark.parametrize(
    ("finders", "said"),
    [
        ({"a": after("b")}, "a runs after b, but there is no such finder."),
        ({"a": after("b"), "b": after("c"), "c": after("a")}, "These finders depend on each other in a cycle: a, b, c."),
    ],
)
def test_an_order_that_cannot_be_is_refused(finders: dict[str, Finder], said: str) -> None:
    with pytest.raises(FinderError, match=f"^{re.escape(said)}"):
        in_order(finders)


def test_two_finders_of_one_name_are_refused() -> None:
    register: Callable[[Callable[[object], list[Finding]]], object] = finder()
    nothing.__name__ = next(iter(registered))
    with pytest.raises(FinderError, match=r"^Two finders are called "):
        register(nothing)


def asked(text: str) -> set[str]:
    """Return the finders whose results a module uses, directly or through functions that it imports from app.explain.findings."""
    found = set(re.findall(r'found_by\("(\w+)"\)', text))
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("app.explain.findings"):
            path = FINDINGS.parents[2] / f"{(node.module or '').replace('.', '/')}.py"
            functions = [each for each in ast.parse(MODULES[path]).body if isinstance(each, ast.FunctionDef)]
            called = [each for each in functions if each.name in {alias.name for alias in node.names}]
            found |= {name for each in called for name in re.findall(r"found_by\('(\w+)'\)", ast.unparse(each))}
    return found


def test_a_finder_names_those_that_it_asks() -> None:
    for path, text in MODULES.items():
        named = {name for find in re.findall(r"^def (find_\w+)\(", text, re.MULTILINE) for name in FINDERS[find].after}
        assert not named or asked(text) <= named, path.name
        assert "import find_" not in text, path.name
