"""The recorder searches again only where a variable may have changed. The result equals a complete new search after each
statement.
"""

import ast
from pathlib import Path
from typing import Any

import pytest

from app.tracer.naming.names import Reach, variables_of
from tests.trace.state import State
from tests.tracer.conftest import Record
from tests.tracer.differential import Same

FILES = sorted((Path(__file__).parent / "snippets").glob("t8?_*.py"))


def walks(source: str) -> dict[int, dict[str, int]]:
    """Search all variables after each top-level statement. Return the `id` of each tensor by its path, by the statement's
    last line.

    If several statements share a line, the last one counts. Paths with a Tensor as a key are tested in test_keys.py.
    """
    found: dict[int, dict[str, int]] = {}
    scope: dict[str, Any] = {"__name__": "__main__"}
    for statement in ast.parse(source).body:
        exec(compile(ast.Module([statement], []), "snippet.py", "exec", dont_inherit=True), scope)
        reached = [Reach(name, value).found for name, value in variables_of(scope)[0].items()]
        found[statement.end_lineno or 0] = {
            path: id(tensor) for tensors in reached for path, tensor, _ in tensors if isinstance(path, str)
        }
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_names_are_what_a_new_walk_finds(file: Path, record: Record) -> None:
    source = file.read_text("utf-8")
    trace = record(source).trace
    steps = [step for step in trace.steps if step.kind == "statement" and step.frame == 0 and step.span is not None]
    for line, walked in walks(source).items():
        within = [step for step in steps if step.span is not None and step.span.end_line <= line]
        state = State(trace, max(step.ended for step in within if step.ended is not None))
        keyed = {name.path for name in trace.names if name.key is not None}
        names = {path: tensor for path, tensor in state.variables().items() if path not in keyed}
        assert names.keys() == walked.keys(), f"line {line}"
        same = Same()
        assert [path for path in walked if not same.agree(walked[path], names[path])] == [], f"line {line}"
        assert [path for path, tensor in names.items() if tensor not in state.tensors] == [], f"line {line}"
