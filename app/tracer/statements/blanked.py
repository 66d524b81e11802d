"""Blanks the lines of a source text that did not run. Lines keep their numbers, and the text still parses.

- The lines of the block and of the functions that ran are kept, including lambdas. Imports are kept.
- An `if`, `for`, `try`, `with` or `match` around a kept line becomes `if True:`.
- A class or function around a kept line keeps its header, without the values of defaults. A class or function that a kept line
names also keeps its header, because findings about a misspelt method or a wrong number of arguments read its header. - Strings
in the header of a function that ran are emptied, because they were evaluated before the block.

As a consequence, there are no findings about lines that did not run in the block, such as `nn.ReLU(inplace=True)` above the
block.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from app.trace.chunks import Trace
from app.trace.records import FileId, Span
from app.tracer.statements.source import Source

_SUITES = ("body", "handlers", "cases", "orelse", "finalbody")
_APART = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
"""Kinds of expressions that may still run after the statement that contains them has ended."""
_MOST_PASSES = 8
"""Each pass keeps the headers that the kept lines of the previous pass name, such as the base of a base class."""
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
_STRINGS = ("JoinedStr", "TemplateStr")
_Place = tuple[int, int, int, int]
"""Line, column, end line, end column. Columns count code points."""


class Ran:
    """Which code ran, for each file; the file None is the trace's own source. `entered` is the line on which the block was
    entered, or None."""

    def __init__(self, trace: Trace, entered: int | None) -> None:
        self.block: set[int] = set() if entered is None else {entered}
        """Lines of the block, in the trace's own source."""
        self.called: dict[FileId | None, set[tuple[int, str]]] = defaultdict(set)
        """The first line and the name of each called function, and of each executed class and module body."""
        self.statements: dict[FileId | None, set[int]] = defaultdict(set)
        """The first lines of all statements that ran in the functions and bodies of `called`."""
        self.spans: dict[FileId | None, set[Span]] = defaultdict(set)
        """The spans of all steps."""
        for frame in trace.frames[entered is not None :]:
            self.called[frame.file].add((frame.line, frame.function.rpartition(".")[2]))
        for step in trace.steps:
            if (span := step.span) is None:
                continue
            self.spans[span.file].add(span)
            if step.kind == "statement" and step.frame == 0 and entered is not None:
                self.block.update((span.line, span.end_line))
            elif step.kind == "statement":
                self.statements[span.file].add(span.line)
        self.is_module = entered is None and any(name == "<module>" for _, name in self.called[None])
        """Whether the block is the whole source, such as a cell of a notebook."""


def blanked(source: Source, ran: Ran) -> tuple[str, set[str]]:
    """Return the blanked text of a source, and the names of variables in the kept lines.

    All lines are blank if the text does not parse or is nested too deeply.
    """
    nothing = "\n" * source.text.count("\n"), set[str]()
    if source.tree is None:
        return nothing
    if source.file is None and ran.is_module:
        return source.text, _variables_in(source.tree)
    try:
        kept = _Kept(source.tree, source, ran)
        lines = kept.lines()
    except RecursionError:
        return nothing
    text = "\n".join(lines) + "\n" * source.text.endswith(("\n", "\r"))
    return text, {name for node in kept.ran.values() for name in _variables_in(node)}


class _Kept:
    """Collects the lines of a source text that are kept, and writes the blanked text."""

    def __init__(self, tree: ast.Module, source: Source, ran: Ran) -> None:
        self._tree = tree
        self._lines = source.lines
        self._kept = [""] * len(self._lines)
        self.ran: dict[int, ast.AST] = {}
        """The syntax nodes that are kept completely, by `id`."""
        is_own = source.file is None and ran.block
        self._block = {id(each) for each in (_covering(tree.body, min(ran.block), max(ran.block)) if is_own else [])}
        self._called = ran.called[source.file]
        self._statements = ran.statements[source.file]
        self._spans = ran.spans[source.file]
        self._apart: dict[int, list[ast.expr]] = {}
        """For each statement that is not kept as a whole, by its `id`: the expressions in it that ran."""
        self._named: set[str] = set()
        """The names in the kept lines. A class or function with such a name that was not called keeps its header."""

    def lines(self) -> list[str]:
        self._keep(self._tree.body, is_open=True)
        missing = [span for span in self._spans if 0 < span.line <= len(self._kept) and not self._kept[span.line - 1]]
        self._find_apart(missing)
        for _ in range(_MOST_PASSES):
            if not ((names := _names(self._kept)) - self._named or missing):
                break
            missing, self._named, self._kept = [], names, [""] * len(self._lines)
            self._keep(self._tree.body, is_open=True)
        return self._kept

    # --- statements ---------------------------------------------------------------------------------------------------

    def _keep(self, suite: Sequence[ast.AST], *, is_open: bool) -> bool:
        """Keep the parts of these statements that ran. Return whether any part or import was kept.

        With `is_open`, which means outside functions and classes, imports are kept even if nothing else ran.
        """
        found = True in [self._keep_one(each, is_open) for each in suite]
        imports = [each for each in suite if isinstance(each, ast.Import | ast.ImportFrom)] if found or is_open else []
        for each in imports:
            if self._kept[each.lineno - 1] != self._lines[each.lineno - 1]:
                # The whole line is not kept, because it may have a comment or a part of another statement.
                self._put(each.lineno, ast.unparse(each), like=_first_line(suite[0]))
        return found or bool(imports)

    def _keep_one(self, node: Any, is_open: bool) -> bool:
        suites = [(field, suite) for field in _SUITES if (suite := getattr(node, field, None))]
        is_called = isinstance(node, _FUNCTION) and (_first_line(node), node.name) in self._called
        if id(node) in self._block or is_called or (not suites and _first_line(node) in self._statements):
            first, last = _first_line(node) - 1, node.end_lineno
            self._kept[first:last] = self._lines[first:last]
            self.ran[id(node)] = node
            if is_called and id(node) not in self._block:
                self._empty_strings(node)
            return True
        if id(node) in self._apart:
            self._keep_apart(node, self._apart[id(node)])
            return True
        if isinstance(node, _FUNCTION | ast.ClassDef):
            is_kept = self._begins_line(node.body[0]) and self._keep(node.body, is_open=False)
            if is_kept or node.name in self._named:
                self._put_header(node, is_empty=not is_kept)
            return is_kept or node.name in self._named
        return True in [self._keep_suite(node, field, suite, is_open) for field, suite in suites]

    def _keep_suite(self, node: Any, field: str, suite: list[Any], is_open: bool) -> bool:
        """Keep the statements of a suite that ran, below the header `if True:`."""
        line = self._line_above(node, field, suite)
        is_apart = field in ("handlers", "cases") or self._begins_line(suite[0])
        if not is_apart or not self._keep(suite, is_open=is_open):
            return False
        if line is not None:
            self._put(line, "if True:")
        return True

    def _line_above(self, node: Any, field: str, suite: list[Any]) -> int | None:
        """Return the line of the header of a suite; None if its parts have their own headers."""
        if field == "handlers":
            return None
        if field not in ("body", "cases"):
            first, word = _first_line(suite[0]), "else" if field == "orelse" else "finally"
            is_elif = isinstance(suite[0], ast.If) and self._lines[first - 1].lstrip().startswith("elif")
            return None if is_elif else self._above(first, word)
        return self._above(node.pattern.lineno, "case") if isinstance(node, ast.match_case) else node.lineno

    def _begins_line(self, statement: Any) -> bool:
        return not self._lines[statement.lineno - 1].encode()[: statement.col_offset].strip()

    def _above(self, line: int, word: str) -> int:
        """Return the nearest line at or above `line` that begins with `word`."""
        while line > 1 and not self._lines[line - 1].lstrip().startswith(word):
            line -= 1
        return line

    def _put_header(self, node: Any, *, is_empty: bool) -> None:
        """Insert the header of a function or class, without annotations and values; for a class, also the headers of its
        methods."""
        for decorator in node.decorator_list:
            self._put(decorator.lineno, f"@{_plain(decorator) or '_'}")
        if isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, _FUNCTION) and not self._kept[each.lineno - 1]]
            for method in methods:
                self._put_header(method, is_empty=True)
            is_empty = is_empty and not methods
            header = f"class {node.name}({', '.join(filter(None, map(_plain, node.bases)))}):"
        else:
            word = "def" if isinstance(node, ast.FunctionDef) else "async def"
            header = f"{word} {node.name}({_parameters(node.args)}):"
        self._put(node.lineno, header + " ..." * is_empty)

    def _put(self, line: int, text: str, *, like: int | None = None) -> None:
        """Insert text at the beginning of a line, after text that was inserted there before."""
        before, whole = self._kept[line - 1], self._lines[(like or line) - 1]
        self._kept[line - 1] = f"{before}; {text}" if before else whole[: len(whole) - len(whole.lstrip())] + text

    # --- expressions --------------------------------------------------------------------------------------------------

    def _find_apart(self, missing: list[Span]) -> None:
        """Find, in simple statements, the outermost expressions that contain these spans."""
        waiting: list[ast.AST] = [self._tree] if missing else []
        while waiting:
            node = waiting.pop()
            if suites := [suite for field in _SUITES if (suite := getattr(node, field, None))]:
                waiting.extend(each for suite in suites for each in suite)
                continue
            found: list[Any] = []
            for each in ast.walk(node):
                if isinstance(each, _APART) and not any(_holds(self._place(outer), self._place(each)) for outer in found):
                    place = self._place(each)
                    if any(_holds(place, (span.line, span.column, span.end_line, span.end_column)) for span in missing):
                        found.append(each)
            if found:
                self._apart[id(node)] = sorted(found, key=self._place)

    def _keep_apart(self, statement: Any, pieces: list[ast.expr]) -> None:
        """Keep expressions of a statement, in parentheses that begin at the statement's first line."""
        if any(self._kept[statement.lineno - 1 : statement.end_lineno]) or not self._begins_line(statement):
            return  # the text might not parse together with another statement on the same line
        self.ran.update((id(piece), piece) for piece in pieces)
        self._put(statement.lineno, "(")
        for piece in pieces:
            first, column, last, end = self._place(piece)
            for line in range(first, last + 1):
                before = self._kept[line - 1]
                begin = max(column if line == first else 0, len(before))
                self._kept[line - 1] = before.ljust(begin) + self._lines[line - 1][begin : end if line == last else None]
            self._kept[last - 1] += ")" if piece is pieces[-1] else ","

    def _empty_strings(self, function: Any) -> None:
        """Empty the strings in a header, because its defaults and decorators were evaluated before the recording."""
        waiting: list[Any] = [*function.decorator_list, function.args, function.returns]
        while waiting:
            node = waiting.pop()
            is_string = type(node).__name__ in _STRINGS or (
                isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
            )
            if not is_string:
                waiting.extend([] if node is None else ast.iter_child_nodes(node))
                continue
            first, column, last, end = self._place(node)
            for line in range(first, last + 1):
                text = self._kept[line - 1]
                begin, stop = column if line == first else 0, end if line == last else len(text)
                self._kept[line - 1] = text[:begin] + ("''" if line == first else "").ljust(stop - begin) + text[stop:]

    def _place(self, node: Any) -> _Place:
        begin, end = self._lines[node.lineno - 1].encode(), self._lines[node.end_lineno - 1].encode()
        return (
            node.lineno,
            len(begin[: node.col_offset].decode()),
            node.end_lineno,
            len(end[: node.end_col_offset].decode()),
        )


def _names(lines: list[str]) -> set[str]:
    return set(re.findall(r"\w+", "\n".join(lines)))


def _variables_in(tree: ast.AST) -> set[str]:
    """Return the names of variables in a syntax node, including names that functions, classes, imports and patterns bind."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif not isinstance(node, ast.Attribute | ast.keyword | ast.Constant):
            values = [value for field in node._fields if (value := getattr(node, field, None))]
            found.update(value for value in values if isinstance(value, str))
            found.update(each for value in values if isinstance(value, list) for each in value if isinstance(each, str))
    return found


def _plain(node: ast.expr) -> str:
    """Return the source of a name, a dotted name, or a call of such a name without arguments; "" for other expressions."""
    called = node.func if isinstance(node, ast.Call) and not (node.args or node.keywords) else node
    while isinstance(called, ast.Attribute):
        called = called.value
    return ast.unparse(node) if isinstance(called, ast.Name) else ""


def _parameters(written: ast.arguments) -> str:
    """Return the parameters without annotations, with `...` for each default."""

    def names(several: list[ast.arg]) -> list[ast.arg]:
        return [ast.arg(each.arg) for each in several]

    default = ast.Constant(...)
    return ast.unparse(
        ast.arguments(
            posonlyargs=names(written.posonlyargs),
            args=names(written.args),
            vararg=written.vararg and ast.arg(written.vararg.arg),
            kwonlyargs=names(written.kwonlyargs),
            kw_defaults=[each and default for each in written.kw_defaults],
            kwarg=written.kwarg and ast.arg(written.kwarg.arg),
            defaults=[default for _ in written.defaults],
        )
    )


def _first_line(node: Any) -> int:
    lines: list[int] = [each.lineno for each in [*getattr(node, "decorator_list", []), getattr(node, "pattern", node)]]
    return min(lines)


def _covering(suite: Sequence[Any], first: int, last: int) -> Sequence[Any]:
    """Return the smallest list of statements of one suite, here or nested, that contains all lines from `first` to `last`."""
    around = [each for each in suite if _first_line(each) <= last and each.end_lineno >= first]
    for inner in _suites_of(around[0]) if len(around) == 1 else []:
        if around[0].lineno < _first_line(inner[0]) <= first and last <= inner[-1].end_lineno:
            return _covering(inner, first, last)
    return around


def _suites_of(node: Any) -> Iterator[list[Any]]:
    """The suites of a compound statement."""
    for field in _SUITES:
        value = getattr(node, field, None) or []
        if field in ("handlers", "cases"):
            yield from (each.body for each in value)
        elif value:
            yield value


def _holds(outer: _Place, inner: _Place) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
