"""Shared code of the findings about shapes: the expression that ended the run, its operands, and the messages' arguments for
them."""

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

from app.explain.finding import Arguments, Clash, Finding, Fixes, finder
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand, operand
from app.explain.reading.snippet import MOST_CHARACTERS, dotted
from app.explain.rewriting.fitting import with_behind
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Step, Unknown

REFUSED_SHAPES = ("RuntimeError", "ValueError", "IndexError", "AssertionError")
"""The exceptions that torch raises if shapes do not fit."""

Find = TypeVar("Find", bound=Callable[["Failure"], Iterable[Finding]])


@dataclass(frozen=True, slots=True)
class Failure:
    """The exception that ended the run, and the piece of the snippet that raised it.

    Exceptions that the program caught are left out, because it expected them.
    """

    reading: Reading
    step: Step
    piece: ast.expr | ast.stmt

    def operand(self, node: ast.expr) -> Operand | None:
        """The value of an expression of the piece; None if it is not a tensor of known shape."""
        return operand(self.reading, node, self.step)

    def operands(self, nodes: Sequence[ast.expr]) -> list[Operand]:
        """The values of expressions; empty if one of them is unknown."""
        found = [self.operand(node) for node in nodes]
        return [] if None in found else [each for each in found if each is not None]

    def node_of(self, operand: Operand) -> ast.expr | None:
        """The first expression in the statement with the same source as an operand."""
        pieces = self.reading.syntax.walk(self.reading.syntax.statement_around(self.piece) or self.piece)
        written = (each for each in pieces if isinstance(each, ast.expr))
        return next((each for each in written if self.reading.syntax.text_of(each) == operand.text), None)

    @property
    def called(self) -> tuple[str, list[ast.expr]]:
        """The name of the torch function or method that the piece calls, and its positional arguments, beginning with the
        method's object; "" for anything else."""
        if not isinstance(self.piece, ast.Call):
            return "", []
        name, is_torch = function_of_torch(self.reading, self.piece.func, self.step)
        if is_torch:
            return name, list(self.piece.args)
        if isinstance(self.piece.func, ast.Attribute):
            return self.piece.func.attr, [self.piece.func.value, *self.piece.args]
        return "", []

    def keyword(self, name: str) -> ast.expr | None:
        """The value that the call passes for a keyword; None if there is none."""
        keywords = self.piece.keywords if isinstance(self.piece, ast.Call) else []
        return next((keyword.value for keyword in keywords if keyword.arg == name), None)

    @property
    def source(self) -> str:
        return self.reading.trace.source

    def finding(
        self,
        kind: str,
        left: Operand,
        right: Operand,
        arguments: Arguments,
        *,
        fixes: Fixes | None = None,
        clashes: Iterable[Clash] = (),
    ) -> Finding:
        """A finding that shows two operands side by side."""
        told = {**self.told(left, "left"), **self.told(right, "right"), **arguments}
        return self.single_finding(kind, [left, right], told, fixes=fixes, clashes=clashes)

    def single_finding(
        self,
        kind: str,
        operands: list[Operand],
        arguments: Arguments,
        *,
        fixes: Fixes | None = None,
        clashes: Iterable[Clash] = (),
    ) -> Finding:
        """A finding about the failed expression and its operands."""
        makers = list(dict.fromkeys(operand.maker for operand in operands))
        tensors = [operand.tensor for operand in operands]
        return self.reading.exception_finding(
            kind, self.step, tensors, arguments, fixes=fixes or [], makers=makers, clashes=clashes
        )

    def clash(self, operand: Operand, at: int, other: int) -> list[Clash]:
        """Marks dimension `at` of an operand, which should have the size `other`.

        Empty for a view that the expression created, because the trace has no Tensor for such a view.
        """
        if not self.is_itself(operand):
            return []
        return [Clash(tensor=operand.tensor, dimension=at % len(operand.shape), other=str(other))]

    def clash_between(self, left: Operand, left_at: int, right: Operand, right_at: int) -> list[Clash]:
        """Marks dimensions of two operands that should have equal sizes."""
        left_size, right_size = left.shape[left_at], right.shape[right_at]
        return [*self.clash(left, left_at, right_size), *self.clash(right, right_at, left_size)]

    def is_itself(self, operand: Operand) -> bool:
        """Whether an operand is a variable's own Tensor, not a view or a result of the expression."""
        return self.reading.named(operand.text, self.step.frame, self.step.began) == operand.tensor

    def replaced(self, node: ast.expr, text: str) -> str | None:
        """The snippet with `text` in place of a node."""
        return with_replaced(self.source, [(node, text)])

    def with_method(self, node: ast.expr, method: str, given: str = "") -> str | None:
        """`x` → `x.method(given)`."""
        return with_behind(self.source, node, f".{method}({given})")

    def with_attribute(self, node: ast.expr, attribute: str) -> str | None:
        """`x` → `x.attribute`."""
        return with_behind(self.source, node, f".{attribute}")

    def told(self, operand: Operand, side: str) -> Arguments:
        """The arguments that describe an operand in messages; their names begin with `side`."""
        line = self.reading.line_of(operand.maker) or 0
        is_itself = self.is_itself(operand)
        is_here = line == (self.reading.line_of(self.step.id) or 0) and not is_itself
        return {
            side: clipped(operand.text),
            f"{side}_shape": str(operand.shape),
            f"{side}_dtype": operand.dtype,
            f"{side}_line": 0 if is_here else line,
            f"{side}_from": "made" if is_itself else "view",
        }


def failure_finder(*types: str, after: Iterable[str] = ()) -> Callable[[Find], Find]:
    """Registers a finder that gets the run's `Failure`, if an exception of one of these types ended the run (`failure_of`)."""

    def register(find: Find) -> Find:
        @finder(after=after)
        @wraps(find)
        def find_in(reading: Reading) -> Iterable[Finding]:
            failure = failure_of(reading, *types)
            return () if failure is None else find(failure)

        return find

    return register


def failure_of(reading: Reading, *types: str) -> Failure | None:
    """The failure that ended the run; None unless it was an exception of one of these types outside of torch.func."""
    step = reading.fatal
    piece = None if step is None or step.name not in types else reading.node_at(step.span)
    return None if step is None or piece is None or is_transformed(reading, step) else Failure(reading, step, piece)


def is_transformed(reading: Reading, step: Step) -> bool:
    """Whether the failed call has tensors of a `torch.func` transform such as `vmap`.

    The shapes that operators get then differ from the shapes of the variables.
    """
    return any(
        tensor is not None and any(isinstance(counter, Unknown) for _, counter in reading.trace.tensors[tensor].version_counter)
        for name in reading.trace.names
        if name.frame == step.frame
        for tensor in [reading.tensor_at(name, step.began)]  # finds also arguments
    )


def function_of_torch(reading: Reading, function: ast.expr, step: Step) -> tuple[str, bool]:
    """The last name of a function, and whether a module of torch contains the function: `F.linear`, `torch.mm`, an imported
    `linear`."""
    first, _, rest = dotted(function).partition(".")
    last = rest.rpartition(".")[2]
    held = reading.held(first, step) if first else None
    if rest and held is not None and held.kind == "module":
        return last, (held.text or "").split(".")[0] == "torch"
    imported = (
        alias.name
        for statement in reading.syntax.of(ast.ImportFrom)
        if (statement.module or "").split(".")[0] == "torch"
        for alias in statement.names
        if (alias.asname or alias.name) == first and not rest
    )
    is_imported = held is not None and held.kind in ("function", "class")
    name = next(imported, "") if is_imported else ""
    return name, bool(name)


def clipped(text: str) -> str:
    """Source text of the snippet, cut to a maximum length for a message."""
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"
