"""Run a snippet without a recorder, and evaluate expressions before and after given lines.

This module imports nothing of Stepgrad, so its results are independent of the code under test.
"""

import ast
import collections
import sys
from types import FrameType
from typing import Any

from tests.tracer.bare import bare
from tests.tracer.questions import HELP


class Watch:
    """A trace function for `sys.settrace` that evaluates expressions before and after each execution of a line.

    An answer is a list with one value, or None if the expression raised an exception.
    """

    def __init__(self, source: str, asked: dict[int, list[str]]) -> None:
        self._asked = asked
        self._open: dict[FrameType, tuple[int, list[Any]]] = {}
        self.answers: dict[int, list[list[list[Any]]]] = {line: [] for line in asked}
        self._ends = {
            node.lineno: node.end_lineno or node.lineno
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.stmt) and not hasattr(node, "body")
        }

    def __call__(self, frame: FrameType, event: str, argument: object) -> "Watch | None":
        if frame.f_code.co_filename != "snippet.py":
            return None
        if event in ("line", "return"):
            self._pass(frame, frame.f_lineno if event == "line" else None)
        return self

    def _pass(self, frame: FrameType, line: int | None) -> None:
        if frame in self._open:
            begun, before = self._open[frame]
            if line is not None and begun <= line <= self._ends.get(begun, begun):
                return
            del self._open[frame]
            self.answers[begun].append([before, self._answers(frame, begun)])
        if line in self._asked:
            self._open[frame] = line, self._answers(frame, line)

    def _answers(self, frame: FrameType, line: int) -> list[Any]:
        scopes: list[dict[str, Any]] = []
        around: FrameType | None = frame
        while around is not None and around.f_code.co_filename == "snippet.py":
            scopes.append(dict(around.f_locals))
            around = around.f_back
        names = collections.ChainMap(*scopes, frame.f_globals, HELP)
        return [self._answer(question, names) for question in self._asked[line]]

    @staticmethod
    def _answer(question: str, names: Any) -> Any:
        function, sys_trace = sys.gettrace(), sys.settrace
        sys_trace(None)
        try:
            return [eval(question, dict(names))]
        except Exception:
            return None
        finally:
            sys_trace(function)


def watched(source: str, asked: dict[str, list[str]]) -> dict[str, Any]:
    """Run a snippet. Return its output and exception, and the answers for each line before and after each execution.

    `asked` maps line numbers to expressions. The expressions of line 0 are evaluated after the snippet.
    """
    lines = {int(line): questions for line, questions in asked.items() if line != "0"}
    watch = Watch(source, lines)
    sys.settrace(watch)
    try:
        seen = bare(source, [])
    finally:
        sys.settrace(None)
    module = dict(sys.modules["__main__"].__dict__)
    names = collections.ChainMap(module, HELP)
    seen["answers"] = watch.answers
    seen["last"] = [watch._answer(question, names) for question in asked.get("0", [])]
    return seen
