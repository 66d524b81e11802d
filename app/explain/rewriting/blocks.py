"""Finds the blocks around statements and the variables that statements read and set, and moves whole lines of code."""

import ast
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from app.explain.reading.snippet import if_python, lines_of
from app.explain.reading.syntax import Syntax

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.While


class Level(NamedTuple):
    """A block around a statement: its owner (None for the module), its statements, and the one that is or contains it."""

    owner: ast.AST | None
    block: list[ast.stmt]
    statement: ast.stmt

    @property
    def place(self) -> int:
        """The index of the statement in the block."""
        return self.block.index(self.statement)


def levels(syntax: Syntax, statement: ast.stmt) -> list[Level]:
    """The blocks around a statement, from the module's block to the statement's own block."""
    found: list[Level] = []
    owner: ast.AST | None = None
    blocks: list[list[ast.stmt]] = [] if syntax.tree is None else [syntax.tree.body]
    while blocks:
        level = next((Level(owner, block, each) for block in blocks for each in block if _holds(each, statement)), None)
        if level is None:
            return []
        found.append(level)
        if level.statement is statement:
            return found
        owner = level.statement
        blocks = _blocks(owner)
    return []


def _holds(outer: ast.stmt, inner: ast.stmt) -> bool:
    begin, end = (outer.lineno, outer.col_offset), (outer.end_lineno or 0, outer.end_col_offset or 0)
    return begin <= (inner.lineno, inner.col_offset) and (inner.end_lineno or 0, inner.end_col_offset or 0) <= end


def _blocks(statement: ast.AST) -> list[list[ast.stmt]]:
    blocks = [getattr(statement, field, []) for field in ("body", "orelse", "finalbody")]
    inner = [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
    return [*blocks, *(each.body for each in inner)]


def read_in(syntax: Syntax, nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that nodes read, including the target of `x += 1`."""
    return _names(syntax, nodes, ast.Load) | {
        each.target.id
        for node in nodes
        for each in syntax.walk(node)
        if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name)
    }


def set_in(syntax: Syntax, nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that nodes assign."""
    return _names(syntax, nodes, ast.Store)


def _names(syntax: Syntax, nodes: Iterable[ast.AST], context: type[ast.expr_context]) -> set[str]:
    names = (each for node in nodes for each in syntax.walk(node) if isinstance(each, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, context)}


def is_read_later(syntax: Syntax, statement: ast.stmt, name: str) -> bool:
    """Whether the value that a statement assigns to a variable can be read later.

    The value cannot be read if the function ends first, or if another value is assigned first, for example to a loop's
    target. A module's variables count as read at the module's end.
    """
    for level in reversed(levels(syntax, statement)):
        met = _first_met(syntax, level.block[level.place + 1 :], name)
        if met is None and isinstance(level.owner, ast.For | ast.While):
            is_target = isinstance(level.owner, ast.For) and name in set_in(syntax, [level.owner.target])
            met = "set" if is_target else _first_met(syntax, level.block[: level.place + 1], name)
        if met is not None:
            return met == "read"
        if isinstance(level.owner, Function):
            shared = (each for each in syntax.walk(level.owner) if isinstance(each, ast.Global | ast.Nonlocal))
            return any(name in each.names for each in shared)
    return True


def _first_met(syntax: Syntax, block: list[ast.stmt], name: str) -> Literal["read", "set"] | None:
    """Whether statements first read or first assign a variable; None if the statements do not contain the variable."""
    for statement in block:
        if name in read_in(syntax, [statement]):
            return "read"
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if name in set_in(syntax, targets):
            return "set"
    return None


def stands_alone(source: str, statement: ast.stmt) -> str | None:
    """The indentation of a statement; None if the statement shares a line with another statement."""
    return alone_in(lines_of(source), statement)


def alone_in(lines: Sequence[str], statement: ast.stmt) -> str | None:
    """The same as `stands_alone`, for a snippet that is already split into lines."""
    last = statement.end_lineno or statement.lineno
    indentation = lines[statement.lineno - 1].encode()[: statement.col_offset].decode(errors="replace")
    rest = lines[last - 1].encode()[statement.end_col_offset or 0 :].decode(errors="replace").strip()
    return None if indentation.strip() or (rest and not rest.startswith("#")) else indentation


def with_lines_moved(
    source: str, moved: list[ast.stmt], anchor: ast.stmt, *, behind: bool, kept: Iterable[ast.stmt] = ()
) -> str | None:
    """The snippet with whole statements moved above or below an anchor, and indented like the anchor. Statements in `kept` are
    duplicated instead of moved."""
    indentation = stands_alone(source, anchor)
    others = [stands_alone(source, each) for each in moved]
    if indentation is None or any(each is None for each in others):
        return None
    lines, stay = lines_of(source), {each.lineno for each in kept}
    added: list[str] = []
    gone: set[int] = set()
    for statement, before in zip(moved, others, strict=True):
        numbers = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        for number in numbers:
            text = lines[number - 1]
            added.append(indentation + text.removeprefix(before or "") if text.strip() else text)
        gone |= set() if statement.lineno in stay else set(numbers)
    place = (anchor.end_lineno or anchor.lineno) if behind else anchor.lineno - 1
    numbered = list(enumerate(lines, start=1))
    first = [text for number, text in numbered[:place] if number not in gone]
    last = [text for number, text in numbered[place:] if number not in gone]
    return if_python("\n".join([*first, *added, *last]))
