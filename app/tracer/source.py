"""Maps the snippet's lines and instructions to statements and sub-expressions."""

import ast
import inspect
import io
from contextlib import suppress
from types import CodeType

from app.trace.records import Span

_Position = tuple[int | None, int | None, int | None, int | None]
"""Line, end line, column, end column: what `co_positions` gives."""
_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


class Source:
    """The snippet as text, with the statement each line belongs to.

    A statement here is what the tracer coalesces to one step: a simple statement over all its lines, the header of a compound
    one, an `except` or `case` clause's header. Statements that share a line count as one.
    """

    def __init__(self, text: str, filename: str) -> None:
        self.text = text.removeprefix("\ufeff")
        """Without a byte order mark, which `compile` takes only from bytes."""
        self.filename = filename
        # Not `str.splitlines`: for Python, a form feed or U+2028 ends no line.
        self.lines = [line.removesuffix("\n") for line in io.StringIO(self.text, newline=None)] or [""]
        self._statements: list[Span] = []
        self._at_line: dict[int, int] = {}
        self._expressions: dict[int, tuple[CodeType, list[_Position], dict[int, Span | None]]] = {}
        """By `id`, because code hashes slowly: code that is kept, the position of each instruction, and the spans asked for."""

    def compile(self) -> CodeType:
        """The code to run. Raises what `compile` raises: SyntaxError, ValueError, RecursionError, MemoryError."""
        tree = ast.parse(self.text, self.filename)
        code = compile(self.text, self.filename, "exec", dont_inherit=True)
        self._index(tree)
        return code

    def read(self) -> None:
        """Know the statements of code that somebody else compiled. Code that does not parse has none."""
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            self._index(ast.parse(self.text, self.filename))

    def statement_at(self, line: int) -> int | None:
        """The statement that line belongs to, or None (a blank line, a bare `else:`)."""
        return self._at_line.get(line)

    def span(self, statement: int) -> Span:
        return self._statements[statement]

    def expression(self, code: CodeType, lasti: int) -> Span | None:
        """The sub-expression that instruction `lasti` (bytes) belongs to, from `co_positions`."""
        known = self._expressions.get(id(code))
        if known is None:
            known = self._expressions[id(code)] = code, list(code.co_positions()), {}
        _, positions, spans = known
        index = lasti // 2
        if index not in spans:
            spans[index] = self._position(positions[index]) if 0 <= index < len(positions) else None
        return spans[index]

    def beginning(self, code: CodeType) -> Span | None:
        """Where a call of this code begins; None of a generator or coroutine, which begins, and goes on, where it was left.

        PYTHON 3.11: what shares variables with functions in it, as a class body or method with `super()` does, first makes cells of
        them, by instructions that have no place.
        """
        if code.co_flags & _SUSPENDS:
            return None
        first = self.expression(code, 0)
        if first is not None:
            return first
        places = (self.expression(code, offset) for offset in range(2, len(code.co_code), 2))
        return next((place for place in places if place is not None), None)

    def _position(self, position: _Position) -> Span | None:
        line, end_line, column, end_column = position
        if line is None or end_line is None or column is None or end_column is None:
            return None
        return self._span(line, column, end_line, end_column)

    def _index(self, tree: ast.AST) -> None:
        spans = sorted(_headers(tree, [line.encode("utf-8", "surrogatepass") for line in self.lines]))
        merged: list[tuple[int, int, int, int]] = []
        for line, column, end_line, end_column in spans:
            if merged and line <= merged[-1][2]:
                first = merged[-1]
                merged[-1] = (
                    first[0],
                    first[1],
                    *max((first[2], first[3]), (end_line, end_column)),
                )
            else:
                merged.append((line, column, end_line, end_column))
        for statement, (line, column, end_line, end_column) in enumerate(merged):
            self._statements.append(self._span(line, column, end_line, end_column))
            for covered in range(line, end_line + 1):
                self._at_line[covered] = statement

    def _span(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        return Span(
            line=line,
            column=self._code_points(line, column),
            end_line=end_line,
            end_column=self._code_points(end_line, end_column),
        )

    def _code_points(self, line: int, utf8_column: int) -> int:
        """Python counts columns in UTF-8 bytes; the trace counts code points."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if text.isascii():
            return utf8_column
        return len(text.encode("utf-8", "surrogatepass")[:utf8_column].decode("utf-8", "replace"))


def _headers(tree: ast.AST, lines: list[bytes]) -> list[tuple[int, int, int, int]]:
    """(line, utf8 column, end line, end column) of every statement, compound ones without their bodies. Iterative."""
    found: list[tuple[int, int, int, int]] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        waiting.extend(child for field in _BODIES for child in _children(node, field))
        if not isinstance(node, ast.Module):
            found.append(_header(node, lines))
    return found


def _children(node: ast.AST, field: str) -> list[ast.AST]:
    value = getattr(node, field, None)
    return value if isinstance(value, list) else []


def _header(node: ast.AST, lines: list[bytes]) -> tuple[int, int, int, int]:
    if isinstance(node, ast.match_case):
        pattern = node.pattern
        last = node.guard or pattern
        return pattern.lineno, pattern.col_offset, last.end_lineno or last.lineno, last.end_col_offset or 0
    assert isinstance(node, (ast.stmt, ast.ExceptHandler))
    decorators = getattr(node, "decorator_list", [])
    first = decorators[0] if decorators else node
    line, column = first.lineno, max(0, first.col_offset - bool(decorators))
    if not (_children(node, "body") or _children(node, "cases")):
        return line, column, node.end_lineno or node.lineno, node.end_col_offset or 0
    return line, column, *_before_colon(lines, *_last_part(node))


def _last_part(node: ast.stmt | ast.ExceptHandler) -> tuple[int, int]:
    """Where the last expression of a compound statement's header ends; where the statement begins if it has none."""
    ends = [(node.lineno, node.col_offset)]
    for field, value in ast.iter_fields(node):
        if field in _BODIES or field == "decorator_list":
            continue
        for child in value if isinstance(value, list) else [value]:
            ends.extend((part.end_lineno or part.lineno, part.end_col_offset or 0) for part in _parts(child))
    return max(ends)


def _before_colon(lines: list[bytes], line: int, column: int) -> tuple[int, int]:
    """The end of what stands before the colon that opens the body; between the last expression and it there is no other."""
    depth = 0
    last = line, column
    while line <= len(lines):
        for place, character in enumerate(lines[line - 1][column:].decode("latin-1"), column):
            if character == "#":
                break
            if character == ":" and depth <= 0:
                return last
            depth += (character in "([{") - (character in ")]}")
            if not character.isspace() and character != "\\":
                last = line, place + 1
        line, column = line + 1, 0
    return last


def _parts(child: object) -> list[ast.expr | ast.arg | ast.keyword]:
    if isinstance(child, ast.withitem):
        return [child.optional_vars or child.context_expr]
    if isinstance(child, ast.arguments):
        return _arguments(child)
    return [child] if isinstance(child, (ast.expr, ast.arg, ast.keyword)) else []


def _arguments(arguments: ast.arguments) -> list[ast.expr | ast.arg | ast.keyword]:
    extra = [a for a in (arguments.vararg, arguments.kwarg) if a]
    defaults = [d for d in (*arguments.defaults, *arguments.kw_defaults) if d]
    return [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        *extra,
        *defaults,
    ]
