"""Finds in-place writes that raised before they changed the tensor: the tensor that should have been written, and how it was
created."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from app.explain.finding import Arguments, Finding, Fixes
from app.explain.reading.grad_mode import is_in_function
from app.explain.reading.reading import Reading
from app.trace.query import value_at
from app.trace.records import Geometry, GradFn, Step, TensorId, Tick, Unknown, Write

MOST_LINKS = 20
"""Maximum number of views of a chain such as `x.t()[0][1]` that are followed back to the recorded tensor."""

_MANY = (
    "UnbindBackward",
    "SplitBackward",
    "SplitWithSizesBackward",
    "ChunkBackward",
    "TensorSplitBackward",
    "UnsafeSplitBackward",
)
_NO_WRITES = ("requires_grad_", "detach_", "share_memory_")
_VIEWS = (
    "T diagonal expand expand_as flatten mT narrow permute real reshape select squeeze swapaxes t transpose unfold unsqueeze view"
).split()


@dataclass(frozen=True, slots=True)
class RefusedWrite:
    """An in-place write that torch refused, so that `statement` raised.

    It should have written `tensor`, which the snippet calls `name`, or an unnamed view of this tensor (`part`).
    """

    reading: Reading
    step: Step
    statement: ast.stmt
    tensor: TensorId
    name: str
    part: bool

    @property
    def seen(self) -> Tick:
        """The tick at which the written Tensor is looked up.

        It is the tick of the refused write, or later for a Tensor without a name, which is first recorded at the end of the
        statement.
        """
        return max(self.step.began, self.reading.trace.tensors[self.tensor].born)

    @property
    def base(self) -> TensorId | None:
        """The base of the Tensor if it is a view, else None."""
        return value_at(self.reading.trace.tensors[self.tensor].base, self.seen)

    @property
    def grad_fn(self) -> str:
        """The name of the Tensor's `grad_fn`; "" if there is none."""
        return self.reading.trace.nodes[self._made_by.node].name if self._made_by is not None else ""

    @property
    def _made_by(self) -> GradFn | None:
        """The last known `grad_fn`. After a write to the base, torch refuses to return the `grad_fn` of one of several views."""
        facts = self.reading.trace.tensors[self.tensor].grad_fn
        known = (fact for tick, fact in reversed(facts) if tick <= self.seen and not isinstance(fact, Unknown))
        return next(known, None)

    @property
    def maker_of_many(self) -> str:
        """The name of the Node that created the Tensor (or one of its bases) together with other views; "" if there is none."""
        records, base = self.reading.trace.tensors, self.base
        first = self._made_by
        last = None if base is None else value_at(records[base].grad_fn, self.step.began)
        node = first.node if base is not None and first is not None else None
        for _ in range(MOST_LINKS):
            if node is None or (isinstance(last, GradFn) and node == last.node):
                return ""
            record = self.reading.trace.nodes[node]
            if record.name.startswith(_MANY):
                return record.name
            node = record.edges[0].node if len(record.edges) == 1 and record.edges[0] is not None else None
        return ""

    @property
    def made_with_grad(self) -> bool:
        """Whether grad mode was on when the Tensor was created."""
        maker = self.reading.trace.tensors[self.tensor].made_by
        ran = self.reading.operators_of(self.reading.statement_of(maker))
        in_block = bool(ran) and not any(operator.grad_enabled for operator in ran)  # `with torch.no_grad(): v = x[:2]`
        step = None if maker is None else self.reading.trace.steps[maker]
        return step is None or (step.grad_enabled and not in_block) or is_in_function(self.reading, step)

    def finding(self, kind: str, fixes: Fixes, *about: TensorId, **arguments: str | int) -> Finding:
        """A finding with the line that created the Tensor and the line that failed to write it."""
        maker = self.reading.trace.tensors[self.tensor].made_by
        name = self.reading.quoted(self.name, self.step.frame)
        named: Arguments = {"name": name, "maker_line": self.reading.line_of(maker) or 0, **arguments}
        return self.reading.exception_finding(kind, self.step, [self.tensor, *about], named, fixes=fixes, makers=[maker])


def refused_writes(reading: Reading) -> list[RefusedWrite]:
    """The in-place writes that torch refused before an operator of the write began."""
    found = []
    for step, piece in reading.failures:
        target = written_by(piece)
        statement = reading.statement_ran_by(step.id)
        if target is None or statement is None or not step.grad_enabled:
            continue
        part = isinstance(piece, ast.Subscript)
        tensor = reading.tensor_of(target, step)
        for _ in range(MOST_LINKS):
            outer = _looked_at(target) if tensor is None else None
            if outer is None:
                break
            target, part = outer, True
            tensor = reading.tensor_of(target, step)
        if tensor is not None:
            found.append(RefusedWrite(reading, step, statement, tensor, reading.syntax.text_of(target), part))
    return found


class BegunWrite(NamedTuple):
    """An in-place write whose operator raised before changing any byte. `piece` is the code that should have written `target`."""

    step: Step
    piece: ast.expr | ast.stmt
    target: ast.expr
    write: Write
    tensor: TensorId
    geometry: Geometry | None
    """The geometry of the tensor at the time of the write."""


def begun_writes(reading: Reading) -> Iterator[BegunWrite]:
    """The in-place writes whose operator began but raised before changing any byte."""
    begun = {write.step: write for write in reading.trace.writes if write.version is None} if reading.failures else {}
    for step, piece in reading.failures:
        operators = reading.operators_of(reading.statement_of(step.id))
        write = begun.get(operators[-1].id) if operators else None
        target = written_by(piece)
        if write is not None and write.tensor is not None and write.changed is False and target is not None:
            geometry = reading.geometry_at(write.tensor, write.tick)
            yield BegunWrite(step, piece, target, write, write.tensor, geometry)


def written_by(piece: ast.expr | ast.stmt) -> ast.expr | None:
    """The target of an in-place write: `x` in `x += 1`, `x.add_(1)` and `x[0] = 1`; None for other code."""
    match piece:
        case ast.AugAssign(target=target):
            return target
        case ast.Subscript(value=value, ctx=ast.Store()):
            return value
        case ast.Call(func=ast.Attribute(value=target, attr=method)):
            in_place = method.endswith("_") and not method.endswith("__") and method not in _NO_WRITES
            return target if in_place else None
    return None


def _looked_at(node: ast.expr) -> ast.expr | None:
    """The tensor expression of which `x[0]`, `x.T` or `x.view(2)` is a view; None for other expressions."""
    match node:
        case ast.Subscript(value=value):
            return value
        case ast.Attribute(value=value, attr=method) | ast.Call(func=ast.Attribute(value=value, attr=method)):
            return value if method in _VIEWS else None
    return None
