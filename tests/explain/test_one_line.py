"""A block on the line of its header, as `with torch.no_grad(): y = x[:2]`, has the findings of the same program written out."""

import ast
from collections import Counter

import pytest

from app.explain import explain
from tests.explain import test_real
from tests.explain.recorded import record

PLAIN = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Pass)
SOURCES = {name: source for path in test_real.SNIPPETS for name, source in [(path.name, test_real.split(path)[1])]}


def on_one_line(source: str) -> str:
    """The snippet with each block of a single plain statement behind its header."""
    lines: list[str | None] = [*source.splitlines()]
    for node in ast.walk(ast.parse(source)):
        for block in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            match block:
                case [ast.stmt() as only] if isinstance(only, PLAIN) and only.lineno == only.end_lineno and only.col_offset:
                    header, text = lines[only.lineno - 2], lines[only.lineno - 1]
                    if header is not None and text is not None and header.rstrip().endswith(":"):
                        lines[only.lineno - 2 : only.lineno] = [f"{header} {text.strip()}", None]
    return "".join(f"{line}\n" for line in lines if line is not None)


ONE_STEP = {"observations-of-one-array.py.txt"}
"""Of a loop on one line all rounds are one step: what NumPy wrote between two of them is seen once, at its end."""

CHANGED = {name: text for name, source in SOURCES.items() if name not in ONE_STEP and (text := on_one_line(source)) != source}


def test_many_are_rewritten_and_none_is_another_program() -> None:
    assert len(CHANGED) > 20
    assert all(ast.dump(ast.parse(text)) == ast.dump(ast.parse(SOURCES[name])) for name, text in CHANGED.items())


@pytest.mark.parametrize("name", CHANGED)
def test_the_findings_are_the_same(name: str) -> None:
    (trace,) = record([CHANGED[name]])
    found = Counter(finding.kind for finding in explain(trace).findings)
    assert found == Counter(finding.kind for finding in explain(test_real.recordings()[name]).findings)
