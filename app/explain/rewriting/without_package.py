"""Removes a missing package from a snippet."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.added_imports import with_imports
from app.explain.rewriting.blocks import alone_in, set_in
from app.explain.rewriting.replacing import with_replaced, without_lines

_INSTEAD = {
    ("tqdm", "tqdm"): "",
    ("tqdm", "tqdm_notebook"): "",
    ("tqdm", "trange"): "range",
    ("tqdm", "write"): "print",
    ("rich", "track"): "",
}
"""By package and function: the built-in function to call instead; "" if the first argument can replace the result."""

_MANAGER = "contextlib.nullcontext"

_Piece = ast.expr | ast.stmt | ast.keyword


class _Use(NamedTuple):
    """A statement, one of its expressions that may use the package, and the targets that get the expression's value."""

    statement: ast.stmt
    piece: ast.expr
    targets: list[ast.expr]


def without_package(syntax: Syntax, package: str, line: int | None) -> str | None:
    """The snippet with the imports of a package, and code that only uses the package, commented out. `line`: the import that
    failed.

    None if the rest of the snippet needs the package.
    """
    without = _Without(syntax)
    without.leave_out_imports(package, line)
    without.replace_calls(package)
    without.leave_out_uses()
    return without.source() if without.can_be_left_out() else None


class _Without:
    """The statements to remove from a snippet, and the nodes to replace in it."""

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._imported: dict[str, str] = {}
        """The names that imports of the package bind, and what each of them imports."""
        self._absent: set[str] = set()
        """The variables that would hold objects of the package."""
        self._kept: set[str] = set()
        """The variables that hold the first argument of a call of the package instead of its result."""
        self._used: set[str] = set()
        """The variables of `_absent` and the imported names whose uses were removed."""
        self._removed: dict[ast.stmt, None] = {}
        self._replaced: dict[_Piece, str] = {}
        self._gone: set[ast.AST] = set()
        """The syntax nodes that the result no longer contains: removed nodes, and parts of replaced nodes."""

    def leave_out_imports(self, package: str, line: int | None) -> None:
        """Removes the imports of the package. The import on the failed line is also removed if it names a package that needs
        the missing package: `torch.utils.tensorboard` needs `tensorboard`."""
        every = self._syntax.of(ast.Import, ast.ImportFrom)
        found = {node: aliases for node in every if (aliases := _of_package(node, package))}
        if line not in [node.lineno for node in found]:
            found |= {node: node.names for node in every if isinstance(node, ast.ImportFrom) and node.lineno == line}
        for node, aliases in found.items():
            others = [alias for alias in node.names if alias not in aliases]
            if others:
                names = (alias.name if alias.asname is None else f"{alias.name} as {alias.asname}" for alias in others)
                self._replaced[node] = f"import {', '.join(names)}"
            else:
                self._leave_out(node)
            self._imported.update({alias.asname or alias.name.split(".")[0]: alias.name for alias in aliases})
        self._absent.update(self._imported)
        self._used.update(self._imported)

    def replace_calls(self, package: str) -> None:
        """Replaces calls of the package by their first argument or by a built-in function."""
        for call in self._syntax.of(ast.Call):
            first, *rest = dotted(call.func).split(".")
            if first not in self._imported:
                continue
            instead = _INSTEAD.get((package, rest[-1] if rest else self._imported[first]))
            if instead == "print":
                self._replaced[call.func] = instead
            elif instead:
                self._replaced[call] = f"{instead}({', '.join(map(self._syntax.text_of, call.args))})"
            elif instead is not None and call.args and not isinstance(call.args[0], ast.Starred):
                self._replaced[call] = self._syntax.text_of(call.args[0])
            else:
                continue
            self._forget(call.func)

    def leave_out_uses(self) -> None:
        """Removes the statements that only use the package, and the statements that only use names bound by removed
        statements."""
        uses: dict[str, list[_Use]] = defaultdict(list)
        for use in (use for statement in self._syntax.statements for use in _uses(statement)):
            root = _root(use.piece)
            if use.piece in self._replaced:
                self._keep(use)
            elif root is not None and root not in self._gone:
                uses[root.id].append(use)
        for named in self._syntax.of(ast.NamedExpr):
            if named.value in self._replaced:
                self._kept.add(named.target.id)
                self._forget(named.target)
        pending = [*self._absent, *self._kept]
        while pending:
            name = pending.pop()
            for use in uses.pop(name, []):
                if name in self._kept and not isinstance(use.statement, ast.Expr):
                    continue
                self._used.add(name)
                if isinstance(use.statement, ast.With):
                    self._replaced[use.piece] = f"{_MANAGER}()"
                    self._forget(use.piece, *use.targets)
                else:
                    self._leave_out(use.statement)
                found = set_in(self._syntax, use.targets) - self._absent
                self._absent |= found
                pending.extend(found)

    def _keep(self, use: _Use) -> None:
        """Records that the targets of a statement still have a value, because a call was replaced and not removed."""
        if isinstance(use.statement, ast.For):
            return
        if isinstance(use.statement, ast.With):
            self._replaced[use.piece] = f"{_MANAGER}({self._replaced[use.piece]})"
        self._kept |= set_in(self._syntax, use.targets)
        self._forget(*use.targets)

    def _leave_out(self, statement: ast.stmt) -> None:
        self._removed[statement] = None
        self._forget(statement)

    def _forget(self, *pieces: ast.AST) -> None:
        self._gone.update(node for piece in pieces for node in self._syntax.walk(piece))

    def can_be_left_out(self) -> bool:
        """Whether statements remain, and none of them needs something that was removed."""
        left: dict[str, set[type[ast.expr_context]]] = defaultdict(set)
        for node in self._syntax.of(ast.Name):
            if node not in self._gone:
                left[node.id].add(type(node.ctx))
        bound = {node.id for node in self._gone if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        # Names that the remaining code also binds; where they are read, they need not come from the package.
        others = {name for name, contexts in left.items() if ast.Store in contexts}
        others |= {each.arg for each in self._syntax.of(ast.arg)}
        others |= {each.name for each in self._syntax.of(ast.FunctionDef, ast.ClassDef)}
        needed = left.keys() & ((bound | self._imported.keys()) - self._kept) - others
        body = [] if self._syntax.tree is None else self._syntax.tree.body
        does_more = any(each not in self._removed and not isinstance(each, ast.Import | ast.ImportFrom) for each in body)
        return does_more and not (
            not self._imported
            or "*" in self._imported
            or needed
            or self._used & others
            or self._kept & self._absent
            or any(self._asks_kept(each) for each in self._syntax.of(ast.Attribute) if each not in self._gone)
            or any(_changes(self._syntax, each) or not self._is_whole(each) for each in self._removed)
        )

    def _asks_kept(self, node: ast.Attribute) -> bool:
        """Whether an expression reads an attribute of the result of a replaced call, which the replacement does not have."""
        return node.value in self._replaced or (isinstance(node.value, ast.Name) and node.value.id in self._kept)

    def _is_whole(self, statement: ast.stmt) -> bool:
        """Whether all statements within a removed loop are removed too; true for statements without a body."""
        inner = (each for each in self._syntax.walk(statement) if isinstance(each, ast.stmt))
        return all(each in self._removed or isinstance(each, ast.If | ast.For | ast.With | ast.Pass) for each in inner)

    def source(self) -> str | None:
        """The snippet with all removals and replacements; None if it is not valid Python."""
        within = {
            node for loop in self._removed if isinstance(loop, ast.For) for node in self._syntax.walk(loop) if node is not loop
        }
        whole = [statement for statement in self._removed if statement not in within]
        alone = [statement for statement in whole if alone_in(self._syntax.lines, statement) is not None]
        lines = {number for each in alone for number in range(each.lineno, (each.end_lineno or each.lineno) + 1)}
        pieces = {node for statement in whole for node in self._syntax.walk(statement)}
        replaced: dict[_Piece, str] = dict.fromkeys(set(whole).difference(alone), "pass")
        replaced |= {piece: text for piece, text in self._replaced.items() if piece not in pieces}
        source = with_replaced(without_lines(self._syntax.source, lines), replaced.items())
        is_missing = (
            any(text.startswith(_MANAGER) for text in replaced.values()) and "contextlib" not in self._syntax.bound_names
        )
        return with_imports(source, ["import contextlib"]) if source is not None and is_missing else source


def _of_package(node: ast.Import | ast.ImportFrom, package: str) -> list[ast.alias]:
    """The names that an import statement imports from `package`."""
    if isinstance(node, ast.ImportFrom):
        return node.names if (node.module or "").split(".")[0] == package else []
    return [alias for alias in node.names if alias.name.split(".")[0] == package]


def _uses(statement: ast.stmt) -> Iterator[_Use]:
    """The expressions of a statement that may use a package, if the statement has no other effect."""
    match statement:
        case ast.Expr(value=value):
            yield _Use(statement, value, [])
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target]):
            yield _Use(statement, target, [])
        case ast.Assign(targets=targets, value=value) if all(map(_is_variable, targets)):
            yield _Use(statement, value, targets)
        case ast.With(items=items):
            for item in items:
                yield _Use(statement, item.context_expr, [] if item.optional_vars is None else [item.optional_vars])
        case ast.For(target=target, iter=iterable):
            for part, given in _parts(target, iterable):
                yield _Use(statement, given, [part])


def _is_variable(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_variable, target.elts))
    return isinstance(target, ast.Name)


def _parts(target: ast.expr, iterable: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The variables of a loop's target, each with the iterable of its values: `for i, (a, b) in enumerate(zip(x, y))`."""
    match target, iterable:
        case ast.Tuple(elts=[_, part]), ast.Call(func=ast.Name(id="enumerate"), args=[given, *_]):
            yield from _parts(part, given)
        case ast.Tuple(elts=parts), ast.Call(func=ast.Name(id="zip"), args=several) if len(parts) == len(several):
            for part, given in zip(parts, several, strict=True):
                yield from _parts(part, given)
        case _:
            yield target, iterable


def _root(node: ast.expr) -> ast.Name | None:
    """The `plt` in `plt.figure().axes[0]`; None if the expression does not begin with a variable."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node if isinstance(node, ast.Name) else None


def _changes(syntax: Syntax, statement: ast.stmt) -> bool:
    """Whether a statement may change tensors of the program: a backward, a step of an optimizer, a write in place."""
    return any(
        name == "backward"
        or (name.endswith("_") and name.strip("_") != "")
        or (name in ("step", "zero_grad") and any(not call.args for call in calls))
        for name, calls in syntax.calls_in(statement).items()
    )
