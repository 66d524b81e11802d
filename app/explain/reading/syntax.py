"""The syntax tree of a snippet, walked once: its nodes by type, by last name, by line and by position."""

import ast
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar, overload

from app.explain.reading.meter import Meter
from app.explain.reading.snippet import lines_of, normal, parsed
from app.trace.look_up import look_up
from app.trace.records import Span

T = TypeVar("T")
Place = tuple[int, int, int, int]
Node = TypeVar("Node", bound=ast.AST)
OtherNode = TypeVar("OtherNode", bound=ast.AST)

MOST_UNPARSED = 1_000
"""Maximum number of nodes of an expression that is converted to text. Larger expressions become `_CUT`."""

MOST_TEXT = 1024
"""Maximum number of characters of a converted expression."""

MOST_BESIDE = 20
"""Maximum number of examined statements on one line."""

_CUT = "…"
"""Stands for an expression that is too long."""


def first_line(statement: ast.stmt) -> int:
    """The first line of a statement, including its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


class Syntax:
    """The syntax tree of one snippet. It has no nodes if Python cannot parse the snippet or if the snippet is too long."""

    def __init__(self, source: str, meter: Meter | None = None) -> None:
        self.source = source
        self._meter = meter
        self._statements_around: dict[ast.expr | ast.stmt, ast.stmt] = {}
        self._texts: dict[ast.AST, str] = {}
        self._is_path: dict[ast.expr, bool] = {}
        self._children: dict[ast.AST, list[ast.AST]] = {}
        self._names: dict[ast.AST | None, dict[str, None]] = {}
        self._attributes: dict[ast.AST | None, frozenset[str]] = {}
        self._calls: dict[ast.AST | None, dict[str, list[ast.Call]]] = {}
        self._rebound: dict[ast.stmt, frozenset[str]] = {}
        self._rebound_within: dict[ast.stmt, frozenset[str]] = {}

    def built(self, build: Callable[[Any], T]) -> T:
        """Builds a look-up table. With a meter, accesses to the table are counted."""
        return build(self) if self._meter is None else self._meter.built(self, build)

    def walk(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """Iterates over a node and its descendants, breadth first, and counts each."""
        walked: Iterator[ast.AST] = iter(()) if node is None else ast.walk(node)
        return walked if self._meter is None else self._meter.counting(walked)

    def children_of(self, node: ast.AST) -> list[ast.AST]:
        """The nodes directly below a node."""
        if node not in self._children:
            children = list(ast.iter_child_nodes(node))
            self._children[node] = children if self._meter is None else self._meter.counted(children)
        return self._children[node]

    def names_in(self, node: ast.AST | None) -> dict[str, None]:
        """The variables in a node, each once, breadth first."""
        if node not in self._names:
            names = (each.id for each in self.walk(node) if isinstance(each, ast.Name))
            self._names[node] = dict.fromkeys(names)
        return self._names[node]

    def attributes_in(self, node: ast.AST | None) -> frozenset[str]:
        """The names of all attributes in a node."""
        if node not in self._attributes:
            self._attributes[node] = frozenset(each.attr for each in self.walk(node) if isinstance(each, ast.Attribute))
        return self._attributes[node]

    def calls_in(self, node: ast.AST | None) -> dict[str, list[ast.Call]]:
        """The calls in a node by the name of the function or method."""
        if node not in self._calls:
            found: dict[str, list[ast.Call]] = defaultdict(list)
            for each in self.walk(node):
                if isinstance(each, ast.Call):
                    found[last_name(each)].append(each)
            self._calls[node] = found
        return self._calls[node]

    def rebound_beside(self, node: ast.AST | None) -> frozenset[str]:
        """The variables that may have been rebound in a node since its line began, by its own or another statement of the
        line."""
        whole = self.statement_around(node) if isinstance(node, ast.expr | ast.stmt) else None
        if whole is None:
            return frozenset()
        if whole not in self._rebound:
            others = [each for each in self.on_line(whole.lineno) if isinstance(each, ast.stmt) and each is not whole]
            names = {name for other in others for each in self.walk(other) for name in bound_by(each)}
            self._rebound[whole] = self.rebound_within(whole).union(names)
        return self._rebound[whole]

    def rebound_within(self, node: ast.AST | None) -> frozenset[str]:
        """The variables that comprehensions, lambdas and `:=` bind in the statement around a node."""
        whole = self.statement_around(node) if isinstance(node, ast.expr | ast.stmt) else None
        if whole is None:
            return frozenset()
        if whole not in self._rebound_within:
            inner = (each for each in self.walk(whole) if isinstance(each, ast.comprehension | ast.Lambda | ast.NamedExpr))
            bound = (each.args if isinstance(each, ast.Lambda) else each.target for each in inner)
            names = (bound_by(each) for piece in bound for each in self.walk(piece))
            self._rebound_within[whole] = frozenset(name for several in names for name in several)
        return self._rebound_within[whole]

    @look_up
    def bound_in_functions(self) -> set[str]:
        """Every name that some function or lambda of the snippet binds."""
        found: set[str] = set()
        pending: list[tuple[ast.AST, bool]] = [] if self.tree is None else [(self.tree, False)]
        while pending:
            node, is_inside = pending.pop()
            found.update(bound_by(node) if is_inside else ())
            is_inside = is_inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            pending.extend((child, is_inside) for child in ast.iter_child_nodes(node))
        return found

    def text_of(self, node: ast.expr) -> str:
        """The source of an expression; "…" if it is too long.

        The source of a chain such as `a.b[0].c` is composed from the cached sources of `a`, `a.b` and `a.b[0]`.
        """
        chain: list[ast.Attribute | ast.Subscript] = []
        while node not in self._texts and isinstance(node, ast.Attribute | ast.Subscript):
            chain.append(node)
            node = node.value
        if node not in self._texts:
            self._texts[node] = self._unparsed(node)
        text = self._texts[node]
        if chain and not isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript):
            text = self._unparsed(ast.Attribute(node, "_", ast.Load()))[:-2]  # adds parentheses if they are needed
        for link in reversed(chain):
            if isinstance(link, ast.Attribute):
                text = f"{text}.{link.attr}"
            else:
                text += self._unparsed(ast.Subscript(ast.Name("_", ast.Load()), link.slice, ast.Load()))[1:]
            self._texts[link] = text = text if len(text) <= MOST_TEXT else _CUT
            if text is _CUT:
                break
        return text

    def path_of(self, node: ast.expr) -> str:
        """The path of a chain such as `a.b[0]`, in the form of a trace; "" for expressions that do not begin with a variable."""
        chain = []
        while node not in self._is_path and isinstance(node, ast.Attribute | ast.Subscript):
            chain.append(node)
            node = node.value
        is_path = self._is_path.setdefault(node, isinstance(node, ast.Name))
        self._is_path.update(dict.fromkeys(chain, is_path))
        return self.text_of(chain[0] if chain else node) if is_path else ""

    def _unparsed(self, node: ast.expr) -> str:
        if sum(1 for _ in islice(self.walk(node), MOST_UNPARSED)) == MOST_UNPARSED:
            return _CUT
        try:
            return ast.unparse(node)
        except RecursionError:  # the code is nested deeper than Python's recursion limit
            return _CUT

    @look_up
    def text(self) -> str:
        """The snippet with Python's own line ends."""
        return normal(self.source)

    @look_up
    def lines(self) -> tuple[str, ...]:
        """The lines as Python counts them; line n is `lines[n - 1]`."""
        return lines_of(self.source)

    @look_up
    def tree(self) -> ast.Module | None:
        """The syntax tree, which is not modified; None if Python cannot parse the text or if the text is too long."""
        return parsed(self.source)

    @look_up
    def nodes(self) -> list[ast.AST]:
        """Every node, breadth first, in the order of `ast.walk`. The whole tree is walked only here."""
        found: list[ast.AST] = []
        pending: deque[tuple[ast.AST, ast.stmt | None]] = deque([] if self.tree is None else [(self.tree, None)])
        while pending:
            node, around = pending.popleft()
            found.append(node)
            around = node if isinstance(node, ast.stmt) else around
            if around is not None and isinstance(node, ast.expr | ast.stmt):  # Load and Store nodes have many parents
                self._statements_around[node] = around
            pending.extend((child, around) for child in ast.iter_child_nodes(node))
        return found

    @look_up
    def _by_type(self) -> dict[type[ast.AST], list[tuple[int, ast.AST]]]:
        found: dict[type[ast.AST], list[tuple[int, ast.AST]]] = defaultdict(list)
        for number, node in enumerate(self.nodes):
            found[type(node)].append((number, node))
        return dict(found)

    @overload
    def of(self, one: type[Node], /) -> list[Node]: ...
    @overload
    def of(self, one: type[Node], other: type[OtherNode], /) -> list[Node | OtherNode]: ...
    def of(self, *types: type[ast.AST]) -> list[Any]:
        """The nodes of exactly these types, breadth first."""
        rows = [self._by_type.get(each, []) for each in types]
        found = rows[0] if len(rows) == 1 else sorted((pair for row in rows for pair in row), key=lambda pair: pair[0])
        return [node for _, node in found]

    @look_up
    def _by_line(self) -> dict[int, list[ast.expr | ast.stmt]]:
        found: dict[int, list[ast.expr | ast.stmt]] = defaultdict(list)
        for node in self.nodes:
            if isinstance(node, ast.expr | ast.stmt):
                found[node.lineno].append(node)
        return dict(found)

    def on_line(self, line: int | None) -> list[ast.expr | ast.stmt]:
        """The expressions and statements that begin on a line, breadth first."""
        return [] if line is None else self._by_line.get(line, [])

    @look_up
    def _ending_in(self) -> dict[tuple[type[ast.AST], str], list[ast.expr]]:
        found: dict[tuple[type[ast.AST], str], list[ast.expr]] = defaultdict(list)
        for node in self.of(ast.Call, ast.Attribute):
            found[type(node), last_name(node)].append(node)
        return dict(found)

    def ending_in(self, wanted: type[ast.Call] | type[ast.Attribute], name: str) -> list[ast.expr]:
        """The attributes of this name, or the calls of a function or method of this name, breadth first."""
        return self._ending_in.get((wanted, name), [])

    def only_value(self, of: type[ast.Name] | type[ast.Attribute], name: str) -> ast.expr | None:
        """The value assigned to a variable or attribute `name`; None unless the snippet assigns it exactly once."""
        found = [
            statement.value
            for statement in self.of(ast.Assign)
            for target in statement.targets
            if isinstance(target, of) and name == (target.id if isinstance(target, ast.Name) else target.attr)
        ]
        return found[0] if len(found) == 1 else None

    def statement_around(self, node: ast.expr | ast.stmt) -> ast.stmt | None:
        """The innermost statement that contains a node of this tree, or the node itself if it is a statement."""
        return self._statements_around.get(node) if self.nodes else None

    @look_up
    def _by_place(self) -> dict[Place, ast.expr | ast.stmt]:
        """Nodes by position. If a statement and its only expression have the same position, the expression wins."""
        return {place_of(node): node for nodes in self._by_line.values() for node in nodes}

    @look_up
    def _functions(self) -> dict[int, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
        found: dict[int, list[ast.FunctionDef | ast.AsyncFunctionDef]] = defaultdict(list)
        for node in self.of(ast.FunctionDef, ast.AsyncFunctionDef):
            found[first_line(node)].append(node)
        return dict(found)

    def functions_at(self, line: int | None) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The functions that begin on a line. A function begins with its first decorator, if there is one."""
        return [] if line is None else self._functions.get(line, [])

    def at_column(self, line: int, column: int) -> int:
        """Converts a column in code points to the syntax tree's unit, bytes of UTF-8."""
        if not 0 < line <= len(self.lines):
            return 0
        text = self.lines[line - 1]
        return column if text.isascii() else len(text[:column].encode(errors="replace"))

    def node_at(self, span: Span | None) -> ast.expr | ast.stmt | None:
        """The innermost node with exactly this span; None if the span is in another file, whose syntax tree is not available."""
        if span is None or span.file is not None:
            return None
        begin, end = self.at_column(span.line, span.column), self.at_column(span.end_line, span.end_column)
        return self._by_place.get((span.line, begin, span.end_line, end))

    @look_up
    def statements(self) -> list[ast.stmt]:
        """All statements, in the order in which they begin, outer statements first."""
        found = [node for node in self.nodes if isinstance(node, ast.stmt)]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset, -(node.end_lineno or 0)))

    @look_up
    def _by_beginning(self) -> dict[tuple[int, int], ast.stmt]:
        return {(line, node.col_offset): node for node in self.statements for line in (node.lineno, first_line(node))}

    def statement_at(self, span: Span) -> ast.stmt | None:
        """The innermost statement that begins where `span` begins; None if the span is in another file."""
        if span.file is not None:
            return None
        return self._by_beginning.get((span.line, self.at_column(span.line, span.column)))

    @look_up
    def _beside(self) -> dict[ast.stmt, list[ast.stmt]]:
        found: dict[ast.stmt, list[ast.stmt]] = {}
        first: dict[int, ast.stmt] = {}
        for statement in self.statements:
            begun = first.setdefault(statement.lineno, statement)
            row = found.setdefault(begun, [])
            if begun is not statement and not hasattr(statement, "body") and len(row) < MOST_BESIDE:
                row.append(statement)
        return found

    def beside(self, statement: ast.stmt) -> list[ast.stmt]:
        """The simple statements that follow a statement on its line: in its block, or after a semicolon."""
        return self._beside.get(statement, [])

    def statement_over(self, span: Span) -> ast.stmt | None:
        """The innermost statement that contains the beginning of a span."""
        at = (span.line, self.at_column(span.line, span.column))
        found = None
        for node in self.nodes if span.file is None else []:  # outer ones first
            if isinstance(node, ast.stmt) and place_of(node)[:2] <= at < place_of(node)[2:]:
                found = node
        return found

    @look_up
    def bound_names(self) -> set[str]:
        """Every name that the snippet binds in any scope; "*" for a star import."""
        return {name for node in self.nodes for name in bound_by(node)}


def place_of(node: ast.expr | ast.stmt) -> Place:
    """The position of a node in lines and UTF-8 bytes."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def last_name(node: ast.expr) -> str:
    """The last name of an expression: `backward` for `loss.backward`, `loss.backward()` and `backward()`; "" if there is none."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def bound_by(node: ast.AST) -> Iterable[str]:
    """The names that a node itself binds, not counting its children."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.alias(name=name, asname=asname):
            return [asname or name.split(".")[0]]
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            return [name]
        case ast.Global(names=several) | ast.Nonlocal(names=several):
            return several
    return []
