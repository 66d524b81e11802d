"""An explanation walks the syntax tree once and looks up nodes in an index, which gives the same results as a walk."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.explain import explain
from app.explain.reading.syntax import Syntax, last_name, place_of
from app.trace.records import Span
from tests.explain.test_cases import CASES, recordings
from tests.sampling import some

SOURCES = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*/*.py.txt"))]
EXPLAIN = Path(__file__).parents[2] / "app/explain"
FINDINGS = EXPLAIN / "findings"


@pytest.mark.patient
def test_no_finder_walks_the_whole_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = [recordings()[case] for case in some(__file__, CASES)]
    walk, children = ast.walk, ast.iter_child_nodes
    walked: list[ast.AST] = []
    begun: list[ast.AST] = []

    def watched_walk(node: ast.AST) -> Iterator[ast.AST]:
        walked.append(node)
        return walk(node)

    def watched_children(node: ast.AST) -> Iterator[ast.AST]:
        begun.append(node)
        return children(node)

    for trace in traces:
        walked.clear()
        begun.clear()
        with monkeypatch.context() as patched:  # pytest parses code when a test fails
            patched.setattr(ast, "walk", watched_walk)
            patched.setattr(ast, "iter_child_nodes", watched_children)
            explain(trace)
        assert not any(isinstance(node, ast.Module) for node in walked), "a walk of the whole tree: ask Syntax"
        modules = [id(node) for node in begun if isinstance(node, ast.Module)]
        assert modules and len(modules) == len(set(modules)), "a second walk"


def test_finders_ask_for_nodes_by_type_name_or_line() -> None:
    for path in FINDINGS.rglob("*.py"):
        assert not re.search(r"syntax\.(nodes|tree)\b|ast\.parse|parsed\(", path.read_text(encoding="utf-8")), path.name


def test_what_finders_walk_and_write_out_is_counted() -> None:
    """`Syntax.walk`, `children_of`, `text_of` and `path_of` count towards the budget of work, and unparse each node once."""
    for path in (path for folder in ("findings", "rewriting", "reading") for path in (EXPLAIN / folder).rglob("*.py")):
        uncounted = re.findall(r"ast\.(?:walk|unparse|iter_child_nodes)\b", path.read_text(encoding="utf-8"))
        assert path.name in ("syntax.py", "reading.py") or not uncounted, path.name


@pytest.mark.sweep
@pytest.mark.parametrize("source", [*SOURCES, "é = 1; y = (\n    é)\n", "x = (\n"], ids=range(len(SOURCES) + 2))
def test_the_index_says_what_a_walk_says(source: str) -> None:
    syntax = Syntax(source)
    walked = [] if syntax.tree is None else list(ast.walk(syntax.tree))
    assert syntax.nodes == walked
    assert syntax.of(ast.Name) == [node for node in walked if isinstance(node, ast.Name)]
    either = [node for node in walked if isinstance(node, ast.Call | ast.Attribute)]
    assert syntax.of(ast.Attribute, ast.Call) == either
    for node in either:
        assert node in syntax.ending_in(type(node), last_name(node)) and node in syntax.on_line(node.lineno)
    for statement in (node for node in walked if isinstance(node, ast.stmt)):
        assert syntax.statement_around(statement) is statement
        pieces = [getattr(statement, field, None) for field in ("value", "test", "iter")]
        below = [node for piece in pieces if isinstance(piece, ast.expr) for node in ast.walk(piece)]
        assert all(syntax.statement_around(node) is statement for node in below if isinstance(node, ast.expr))
        line, column, end_line, end_column = place_of(statement)
        columns = [
            len(syntax.lines[at - 1].encode()[:column_].decode()) for at, column_ in ((line, column), (end_line, end_column))
        ]
        span = Span(line=line, column=columns[0], end_line=end_line, end_column=columns[1])
        assert syntax.statement_at(span) is statement and syntax.statement_over(span) is statement
        found = syntax.node_at(span)
        assert found is statement or (isinstance(statement, ast.Expr) and found is statement.value)
