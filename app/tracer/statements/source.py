"""Maps lines and instructions of the snippet to statements and expressions."""

import ast
import dis
import inspect
import io
import os
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from types import CodeType

from app.trace.records import FileId, Span

_Position = tuple[int | None, int | None, int | None, int | None]
"""Line, end line, column, end column, as `co_positions` returns them."""
SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of the code of generators and coroutines, whose frames can be resumed."""
_ITERATES = {dis.opmap["GET_ITER"], dis.opmap["FOR_ITER"]}
"""The instructions that a `for` loop runs between its iterable and its body."""
_WATCHING = ("profil", "settrace", "monitoring", "bdb", "pdb")
"""If the text of a snippet contains one of these words, the snippet may profile, trace or debug itself."""
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


class Parts:
    """The statement and row of each instruction of one code object; None for instructions on lines with one statement."""

    def __init__(self, of_instructions: list[tuple[int, int] | None]) -> None:
        self.statements = [None if part is None else part[1] for part in of_instructions]
        self._several: dict[int, set[int]] = {}
        for row, statement in filter(None, of_instructions):
            self._several.setdefault(row, set()).add(statement)

    def at(self, lasti: int) -> int | None:
        """Return the statement of the instruction at `lasti` (in bytes)."""
        index = lasti // 2
        return self.statements[index] if 0 <= index < len(self.statements) else None

    def has_several(self, row: int) -> bool:
        """Whether this code runs more than one statement of a row."""
        return len(self._several.get(row, ())) > 1


class Source:
    """The snippet as text, with the statement of each line.

    In this module, a statement is the code that the recorder records as one step: a whole simple statement, the header of a
    compound statement, or the header of an `except` or `case` clause. Statements that share a line are a *row*, which has a
    number like a statement.
    """

    def __init__(self, text: str, filename: str) -> None:
        self.text = text.removeprefix("\ufeff")
        """Without a byte order mark, which `compile` accepts only in bytes."""
        self.filename = filename
        self.file: FileId | None = None
        """The id of its File; None for the trace's own source. Set before `read`."""
        self.tree: ast.Module | None = None
        """The syntax tree of the text; None if the text was not read or does not parse."""
        # `str.splitlines` is unsuitable, because a form feed or U+2028 does not end a line in Python.
        self.lines = [line.removesuffix("\n") for line in io.StringIO(self.text, newline=None)] or [""]
        self._statements: list[Span] = []
        self._at_line: dict[int, int] = {}
        self._rows: dict[int, list[tuple[int, int, int]]] = {}
        """For each row: the line and the UTF-8 column at which each of its statements begins, and the number of that statement."""
        self._loops: dict[_Position, _Position] = {}
        """The position of each `for` loop, by the position of its iterable."""
        self._parts: dict[int, Parts] = {}
        """The `Parts` of each code object whose instructions were looked up, by the `id` of the code object."""
        self._expressions: dict[int, tuple[CodeType, list[_Position], dict[int, Span | None]]] = {}
        """For each code object, by its `id` because hashing code is slow: the code object, the position of each instruction,
        and the spans that were computed."""

    def compile(self, shown: object) -> CodeType:
        """Compile the text. Each expression statement `x + 1` of the module is compiled as `shown << x + 1`.

        A snippet that may trace its own calls is compiled unchanged, because it could see the calls of `shown`. Raises the
        exceptions of `compile`: SyntaxError, ValueError, RecursionError, MemoryError.
        """
        code = compile(self.text, self.filename, "exec", dont_inherit=True)
        tree = self._tree()
        self._index(tree)
        watches = any(name in self.text for name in _WATCHING)
        return code if watches else _showing(tree, self.filename, shown) or code

    def read(self) -> None:
        """Read the statements of text that was already compiled elsewhere. Text that does not parse has no statements."""
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            self.tree = self._tree()
            self._index(self.tree)

    def _tree(self) -> ast.Module:
        """Parse without warnings, because compiling has already warned. PYTHON 3.12: the parser warns of invalid escapes, too."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(self.text, self.filename)

    def statement_at(self, line: int) -> int | None:
        """Return the statement of a line, or the row if several statements share the line; None for a blank line or a bare
        `else:`."""
        return self._at_line.get(line)

    def is_row(self, statement: int) -> bool:
        """Whether this number is that of a row, not of a single statement."""
        return statement in self._rows

    def parts(self, code: CodeType) -> "Parts":
        """Return the statements and rows of the instructions of this code."""
        known = self._parts.get(id(code))
        if known is None:
            header = code.co_firstlineno if code.co_flags & inspect.CO_OPTIMIZED else 0
            positions = self._positions(code)
            known = self._parts[id(code)] = Parts([self._part(position, header) for position in positions])
        return known

    def _part(self, position: _Position, header: int) -> tuple[int, int] | None:
        """Return the row and statement at the beginning of an instruction's position; None on a line with one statement.

        Also return None for the header of the function itself, which does not run within the function.
        """
        line, _, column, _ = position
        row = None if line is None else self._at_line.get(line)
        statements = self._rows.get(row, []) if row is not None else []
        if line is None or column is None or row is None or not statements:
            return None
        statement = statements[max(0, bisect_right(statements, (line, column, len(self._statements))) - 1)][2]
        return None if statement == statements[0][2] and self._statements[statement].line == header else (row, statement)

    def span(self, statement: int) -> Span:
        return self._statements[statement]

    def expression(self, code: CodeType, lasti: int) -> Span | None:
        """Return the expression of the instruction at `lasti` (in bytes), from `co_positions`."""
        known = self._expressions.get(id(code))
        index = lasti // 2
        if known is not None and index in known[2]:
            return known[2][index]
        positions = self._positions(code)
        span = self._position(self._place(code, index)) if 0 <= index < len(positions) else None
        self._expressions[id(code)][2][index] = span
        return span

    def _place(self, code: CodeType, index: int) -> _Position:
        """Return the position of an instruction.

        PYTHON 3.13: the instruction that gets the next item of a loop has the position of the iterable. Such an instruction
        gets the position of the loop.
        """
        position = self._positions(code)[index]
        return self._loops.get(position, position) if code.co_code[2 * index] in _ITERATES else position

    def _positions(self, code: CodeType) -> list[_Position]:
        known = self._expressions.get(id(code))
        if known is None:
            known = self._expressions[id(code)] = code, list(code.co_positions()), {}
        return known[1]

    def beginning(self, code: CodeType) -> Span | None:
        """Return the position at which a call of this code begins; None for generators and coroutines, which can also resume.

        PYTHON 3.11: code that shares variables with inner functions, such as a class body or a method with `super()`, begins with
        instructions without a position, which create cells.
        """
        if code.co_flags & SUSPENDS:
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
        self._loops = {_place(loop.iter): _place(loop) for loop in _statements(tree) if isinstance(loop, ast.For)}
        rows: list[list[tuple[int, int, int, int]]] = []
        last_line = 0
        for place in sorted(_headers(tree, [line.encode("utf-8", "surrogatepass") for line in self.lines])):
            if place[0] > last_line:
                rows.append([])
            rows[-1].append(place)
            last_line = max(last_line, place[2])
        for number, row in enumerate(rows):
            line, column = row[0][:2]
            end_line, end_column = max(place[2:] for place in row)
            self._statements.append(self._span(line, column, end_line, end_column))
            self._at_line.update(dict.fromkeys(range(line, end_line + 1), number))
        for number, row in enumerate(rows):
            if len(row) > 1:
                self._rows[number] = [(*place[:2], len(self._statements) + index) for index, place in enumerate(row)]
                self._statements.extend(self._span(*place) for place in row)

    def _span(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        return Span(
            line=line,
            column=self._code_points(line, column),
            end_line=end_line,
            end_column=self._code_points(end_line, end_column),
            file=self.file,
        )

    def _code_points(self, line: int, utf8_column: int) -> int:
        """Convert a column in UTF-8 bytes, as in Python, to a column in code points."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        if text.isascii():
            return utf8_column
        return len(text.encode("utf-8", "surrogatepass")[:utf8_column].decode("utf-8", "replace"))


def _showing(tree: ast.Module, filename: str, shown: object) -> CodeType | None:
    """Compile a module with its expression statements as right operands of `shown <<`; None if the module has no such statements.

    `shown` is the operand of an operator, because calling a constant would be a SyntaxWarning and the snippet could see a name.
    """
    statements = _statements(tree, closed=(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    bare = [node for node in statements if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)]
    if not bare:
        return None
    constant = os.urandom(16)  # a placeholder for `shown`, because a syntax tree can only hold built-in constants
    for statement in bare:
        left = ast.copy_location(ast.Constant(constant), statement.value)
        statement.value = ast.copy_location(ast.BinOp(left, ast.LShift(), statement.value), statement.value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(tree, filename, "exec", dont_inherit=True)
    return code.replace(co_consts=tuple(shown if value == constant else value for value in code.co_consts))


def _headers(tree: ast.AST, lines: list[bytes]) -> list[tuple[int, int, int, int]]:
    """Return (line, UTF-8 column, end line, end column) of every statement; compound statements without their bodies."""
    return [_header(node, lines) for node in _statements(tree)]


def _statements(tree: ast.AST, closed: tuple[type[ast.AST], ...] = ()) -> Iterator[ast.AST]:
    """Yield every statement and every clause with a header, but none that is inside a statement of `closed`. Iterative."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, closed):
            waiting.extend(child for field in _BODIES for child in _children(node, field))
        if not isinstance(node, ast.Module):
            yield node


def _place(node: ast.stmt | ast.expr) -> _Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


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
    """Return the end of the last expression in a compound statement's header, or the beginning of the statement if it has none."""
    fields = [value for field, value in ast.iter_fields(node) if field not in _BODIES and field != "decorator_list"]
    header = [
        child for value in fields for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)
    ]
    parts = [part for child in header for part in ast.walk(child) if isinstance(part, (ast.expr, ast.arg, ast.keyword))]
    return max([(node.lineno, node.col_offset), *((part.end_lineno or 0, part.end_col_offset or 0) for part in parts)])


def _before_colon(lines: list[bytes], line: int, column: int) -> tuple[int, int]:
    """Return the end of the text before the colon that begins the body: the first colon after the last expression."""
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
