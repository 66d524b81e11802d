"""Programs with several statements on a line, such as `a = f(x); b = g(a)`, have the same findings as with one per line."""

import ast
from collections import Counter

import pytest

from app.explain import explain
from app.trace.chunks import Trace
from tests.explain import test_real
from tests.explain.recorded import record

PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Pass)
SOURCES = {name: source for path in test_real.SNIPPETS for name, source in [(path.name, test_real.split(path)[1])]}


def on_one_line(source: str) -> str:
    """Move the only statement of each block onto the line of the block's header."""
    lines: list[str | None] = [*source.splitlines()]
    for node in ast.walk(ast.parse(source)):
        for block in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            match block:
                case [ast.stmt() as only] if isinstance(only, PLAIN) and only.lineno == only.end_lineno and only.col_offset:
                    header, text = lines[only.lineno - 2], lines[only.lineno - 1]
                    if header is not None and text is not None and header.rstrip().endswith(":"):
                        lines[only.lineno - 2 : only.lineno] = [f"{header} {text.strip()}", None]
    return "".join(f"{line}\n" for line in lines if line is not None)


def joined(source: str) -> str:
    """Join consecutive statements of a block in pairs: `a; b`."""
    lines: list[str | None] = [*source.splitlines()]
    for node in ast.walk(ast.parse(source)):
        for block in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            pairs = zip(block[::2], block[1::2], strict=False) if isinstance(block, list) else []
            for one, other in pairs:
                if all(isinstance(each, PLAIN) and each.lineno == each.end_lineno for each in (one, other)):
                    first, second = lines[one.lineno - 1], lines[other.lineno - 1]
                    if first is not None and second is not None and one.lineno < other.lineno and "#" not in first:
                        lines[one.lineno - 1], lines[other.lineno - 1] = f"{first}; {second.strip()}", None
    return "".join(f"{line}\n" for line in lines if line is not None)


CHANGED = {name: text for name, source in SOURCES.items() if (text := on_one_line(source)) != source}
JOINED = {name: text for name, source in SOURCES.items() if (text := joined(source)) != source}


def test_many_are_rewritten_and_none_is_another_program() -> None:
    assert len(CHANGED) > 20 and len(JOINED) > 100
    for changed in (CHANGED, JOINED):
        assert all(ast.dump(ast.parse(text)) == ast.dump(ast.parse(SOURCES[name])) for name, text in changed.items())


@pytest.mark.sweep
@pytest.mark.parametrize("name", CHANGED)
def test_the_findings_are_the_same(name: str) -> None:
    assert kinds_in(CHANGED[name]) == kinds(test_real.recordings()[name])


@pytest.mark.sweep
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.long] * bool(at % 8)) for at, each in enumerate(JOINED)]
)
def test_the_findings_of_two_statements_on_a_line_are_the_same(name: str) -> None:
    assert kinds_in(JOINED[name]) == kinds(test_real.recordings()[name])


def kinds_in(source: str) -> Counter[str]:
    (trace,) = record([source])
    return kinds(trace)


def kinds(trace: Trace) -> Counter[str]:
    return Counter(finding.kind for finding in explain(trace).findings)
