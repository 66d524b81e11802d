"""The lines of a snippet that a fix changes, and the line numbers of the other lines in the fix."""

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cached_property

from app.explain.reading.snippet import lines_of, parsed
from app.trace.records import Span, Step

MOST_COMPARED = 2_000
"""Maximum number of lines between the first and the last difference that are aligned.

With more lines, all of them count as changed.
"""


class Change:
    """The lines, counted from 1, that differ between the source of a fix and the snippet."""

    def __init__(self, source: str, fixed: str) -> None:
        self.source, self._fixed = source, fixed
        before, after = self._before, self._after = lines_of(source), lines_of(fixed)
        self._forward = dict(_equal(before, after))
        self._back = {line: there for there, line in self._forward.items()}
        self._removed = set(range(1, len(before) + 1)) - self._forward.keys()
        self._added = set(range(1, len(after) + 1)) - self._back.keys()
        self._removed |= _decorated(source, self._removed)
        self._added |= _decorated(fixed, self._added)

    def forward(self, line: int | None) -> int | None:
        """The line number that a line of the snippet has in the fix; None if the fix changed or moved the line."""
        return None if line is None else self._forward.get(line)

    def back(self, line: int | None) -> int | None:
        """The line number that a line of the fix has in the snippet; None if the fix added the line."""
        return None if line is None else self._back.get(line)

    def moved(self, line: int | None) -> int | None:
        """The line number that a line of the snippet has in the fix, even if the fix moved the line.

        None if the line was removed, or if several changed lines have its text.
        """
        if line is None or line in self._forward:
            return self.forward(line)
        text = self._before[line - 1].strip()
        taken = [each for each in self._removed if self._before[each - 1].strip() == text]
        given = [each for each in self._added if self._after[each - 1].strip() == text]
        return given[0] if len(taken) == len(given) == 1 else None

    def begin_back(self, span: Span | None) -> tuple[int | None, int] | None:
        """The position at which a syntax node of the fix begins, with its line converted to the line of the snippet.

        The position at which the node ends is not compared, because the last line of a loop may be changed.
        """
        return None if span is None else (self.back(span.line), span.column)

    def is_removed(self, step: Step) -> bool:
        """Whether the fix removes or changes a statement of the snippet."""
        return not self._removed.isdisjoint(statement_lines(step))

    def is_added(self, step: Step) -> bool:
        """Whether a statement of the fix is new and not an import."""
        lines = statement_lines(step)
        return not self._added.isdisjoint(lines) and not self.is_import(step)

    def is_import(self, step: Step) -> bool:
        """Whether a statement of the fix is an import that the snippet does not have."""
        lines = statement_lines(step)
        return len(lines) > 0 and all(line in self._imports for line in lines)

    @property
    def imported(self) -> set[str]:
        """The variables that the added imports bind."""
        return {name for names in self._imports.values() for name in names}

    @cached_property
    def _imports(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for node in nodes_of(self._fixed) if self._added else ():
            if isinstance(node, ast.Import | ast.ImportFrom):
                lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                if self._added.issuperset(lines):
                    names = [(name.asname or name.name).split(".")[0] for name in node.names]
                    found |= dict.fromkeys(lines, names)
        return found


def statement_lines(step: Step) -> range:
    """The source lines of a step of kind "statement"; an empty range for other steps."""
    is_statement = step.kind == "statement" and step.span is not None
    return range(step.span.line, step.span.end_line + 1) if is_statement and step.span is not None else range(0)


def _equal(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Pairs of equal lines, in the order of both sources."""
    shorter = min(len(before), len(after))
    head = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    left = shorter - head
    tail = next((place for place in range(left) if before[-1 - place] != after[-1 - place]), left)
    yield from ((line, line) for line in range(1, head + 1))
    middle, middle_after = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(middle), len(middle_after)) <= MOST_COMPARED:
        for block in SequenceMatcher(None, middle, middle_after, autojunk=False).get_matching_blocks():
            yield from ((head + block.a + place + 1, head + block.b + place + 1) for place in range(block.size))
    yield from ((len(before) - place, len(after) - place) for place in range(tail))


def _decorated(source: str, changed: set[int]) -> set[int]:
    """The `def` and `class` lines of functions and classes with changed decorators.

    The changed line alone is not enough, because the trace has no statement step for a decorator.
    """
    nodes = nodes_of(source) if changed else ()
    return {
        node.lineno
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and any(line in changed for each in node.decorator_list for line in range(each.lineno, node.lineno))
    }


def nodes_of(source: str) -> Iterator[ast.AST]:
    """The syntax nodes of a snippet; empty if Python cannot parse the snippet."""
    tree = parsed(source)
    return iter(()) if tree is None else ast.walk(tree)
