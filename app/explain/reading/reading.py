"""A run, read: the index of its trace together with the syntax tree of its snippet."""

import ast
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from operator import attrgetter

import msgspec

from app.explain.reading.syntax import Syntax, place_of
from app.trace.chunks import Trace
from app.trace.ends import OutOfMemory, Raised
from app.trace.index import Index
from app.trace.query import MODULE, value_at
from app.trace.records import FrameId, Geometry, NodeId, SavedTensor, Span, Step, StepId, TensorId, Tick, Write

_Look = tuple[tuple[int, ...], tuple[int, ...] | None, int | None, str]

MOST_STATEMENTS = 200
"""Looked at for the one that gave a variable its value."""

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of a statement that hold other statements."""

MOST_RUNS = 10_000
"""Runs of the statements in question that are looked at."""

MOST_FAILURES = 100
"""Exceptions looked at; a loop can catch thousands alike."""


class Reading(Index):
    """What explanations ask of one run. Each look-up is built once, when first asked for, in time linear in trace and snippet."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.syntax = Syntax(trace.source)

    # --- how it ended -------------------------------------------------------------------------------------------------

    def raised(self, *types: str) -> Raised | None:
        """How the run raised, when its exception is of one of these built-in types."""
        ended = self._ended
        return ended if ended is not None and ended.type.removeprefix("builtins.") in types else None

    @property
    def _ended(self) -> Raised | None:
        ended = self.trace.ended.raised if isinstance(self.trace.ended, OutOfMemory) else self.trace.ended
        return ended if isinstance(ended, Raised) else None

    @cached_property
    def refused(self) -> dict[NodeId, Step]:
        """The Nodes at which a backward that raised stopped, the last that each began, and the steps that ran them."""
        last: dict[StepId, tuple[NodeId, Step]] = {}
        refused: dict[NodeId, Step] = {}
        for step in self.trace.steps:
            statement = self.statement_of(step.id) if step.kind in ("node", "exception") else None
            if statement is None:
                continue
            if step.node is not None:
                last[statement.id] = step.node, step
            elif statement.id in last:
                node, stopped = last[statement.id]
                refused[node] = stopped
        return refused

    @cached_property
    def fatal(self) -> Step | None:
        """The exception that ended the run."""
        ended = self._ended
        for step in reversed(self.trace.steps if ended is not None else []):
            is_it = ended is not None and step.kind == "exception" and self.line_of(step.id) == ended.line
            if is_it and ended is not None and (step.name or "").split(".")[-1] == ended.type.split(".")[-1]:
                return step
        return None

    def is_caught(self, step: Step) -> bool:
        """Whether the program went on after an exception, given by its step or another of the statement that raised it."""
        statement = self.statement_of(step.id)
        fatal = None if self.fatal is None else self.statement_of(self.fatal.id)
        return statement is None or fatal is None or statement.id != fatal.id

    def shown_from(self, *steps: StepId | None) -> list[StepId]:
        """The statements that these steps belong to, the step itself where none is around it; unknown ones left out."""
        known = [step for step in steps if step is not None]
        return [step if (statement := self.statement_ids[step]) is None else statement for step in known]

    # --- how tensors are called ---------------------------------------------------------------------------------------

    @cached_property
    def _sharers(self) -> dict[tuple[int, int], dict[_Look | None, str]]:
        """By Storage and version counter: the name of the first Tensor that bears one, for each way to look and (None) for any."""
        found: dict[tuple[int, int], dict[_Look | None, str]] = defaultdict(dict)
        for tensor in self.trace.tensors:
            name = self.name_of(tensor.id)
            storages = {geometry.storage for _, geometry in tensor.geometry if geometry.storage is not None}
            counters = {counter for _, counter in tensor.version_counter if isinstance(counter, int)}
            # One that moved to other bytes (`.data =`): which goes with which is not told here.
            if name and len(storages) * len(counters) == 1:
                shared = found[storages.pop(), counters.pop()]
                shared.setdefault(None, name)
                for _, geometry in tensor.geometry:
                    shared.setdefault(_look(geometry), name)
        return dict(found)

    def name_of_saved(self, saved: SavedTensor) -> tuple[str, str]:
        """What a SavedTensor is called, and how well: "itself", "view" (of what bears the name) or "unnamed"."""
        name = self.name_of(saved.tensor)
        if name:
            return name, "itself"
        if saved.geometry.storage is None or saved.version_counter is None:
            return "", "unnamed"
        shared = self._sharers.get((saved.geometry.storage, saved.version_counter), {})
        look = _look(saved.geometry)
        if look in shared:
            return shared[look], "itself"
        return (shared[None], "view") if shared else ("", "unnamed")

    def name_written_through(self, write: Write) -> str:
        """What the Tensor is called through which a write went, or the Tensor that it was a view of."""
        if write.tensor is None:
            return ""
        return self.name_of(write.tensor) or self.name_of(self.base_of(write.tensor))

    # --- the snippet that ran -----------------------------------------------------------------------------------------

    def node_at(self, span: Span | None) -> ast.expr | ast.stmt | None:
        """The innermost piece that stands exactly there."""
        return self.syntax.node_at(span)

    def statement_at(self, step: Step | None) -> ast.stmt | None:
        """The statement that a step of kind "statement" ran."""
        return None if step is None or step.span is None else self.syntax.statement_at(step.span)

    @cached_property
    def runs_of_statement(self) -> dict[ast.stmt, list[Step]]:
        """The runs of each statement, in order."""
        found: dict[ast.stmt, list[Step]] = defaultdict(list)
        for span, steps in self.visits.items():
            statement = self.syntax.statement_at(span)
            if statement is not None:
                found[statement] += steps
        return {statement: sorted(steps, key=attrgetter("id")) for statement, steps in found.items()}

    def runs_with(self, wanted: type[ast.Call] | type[ast.Attribute], name: str) -> list[tuple[Step, ast.stmt, ast.expr]]:
        """Each run of a statement that itself holds such an expression, with attribute or function name `name`, in order."""
        found: list[tuple[Step, ast.stmt, ast.expr]] = []
        for node in self.syntax.ending_in(wanted, name):
            statement = self.syntax.statement_around(node)
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return):
                found += [(step, statement, node) for step in self.runs_of_statement.get(statement, [])[:MOST_RUNS]]
        return sorted(found, key=lambda run: run[0].id)[:MOST_RUNS]

    @cached_property
    def failures(self) -> list[tuple[Step, ast.expr | ast.stmt]]:
        """The RuntimeErrors, caught or not, each with the piece of the snippet that raised it."""
        return self.raised_as("RuntimeError")

    def raised_as(self, kind: str) -> list[tuple[Step, ast.expr | ast.stmt]]:
        """The exceptions of a type, each with the piece that raised it."""
        raised = islice((step for step in self.trace.steps if step.kind == "exception"), MOST_FAILURES)
        pieces = [(step, self.node_at(step.span)) for step in raised if step.name == kind]
        return [(step, piece) for step, piece in pieces if piece is not None]

    def tensor_of(self, node: ast.expr, step: Step) -> TensorId | None:
        """The Tensor that an expression stood for when `step`, in whose statement it stands, began."""
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            of = self.tensor_of(node.value, step)
            return None if of is None else value_at(self.trace.tensors[of].grad, step.began)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            named = self.named(ast.unparse(node), step.frame, step.began)
            if named is not None or isinstance(node, ast.Name):
                return named
        place = place_of(node)
        for operator in reversed(self.operators_of(self.statement_of(step.id))):
            made = self.made_in.get(operator.id) if operator.began < step.began else None
            piece = self.node_at(operator.span) if made else None
            if made and piece is not None and place_of(piece) == place:
                return made[-1].id
        return None

    def first_named(self, node: ast.AST, step: Step) -> Iterator[tuple[str, TensorId]]:
        """The Tensors that the variables of a piece named when `step` began, each with how it is written."""
        pending = [node]
        while pending:
            each = pending.pop()
            if isinstance(each, ast.Name | ast.Attribute | ast.Subscript) and isinstance(each.ctx, ast.Load):
                path = ast.unparse(each)
                tensor = self.named(path, step.frame, step.began)
                if tensor is not None:
                    yield path, tensor
                    continue
            pending += ast.iter_child_nodes(each)

    def defined_by(self, variable: str, step: Step) -> tuple[ast.stmt, Step] | None:
        """The statement of the same frame that last gave a variable its value before `step` began, and when it ran."""
        ran = [] if step.frame is None else self.statements_in.get(step.frame, [])
        index = bisect_left(ran, step.began, key=lambda each: each.began)
        current = self.statement_of(step.id)
        for each in reversed(ran[max(0, index - MOST_STATEMENTS) : index]):
            statement = self.statement_at(each) if current is None or each.id != current.id else None
            if statement is not None and variable in _bound(statement):
                return statement, each
        return None

    def ran_once(self, step: Step) -> bool:
        """Whether a statement ran this one time only, and in the module itself."""
        return step.span is not None and step.frame == MODULE and len(self.visits[step.span]) == 1

    @cached_property
    def _readers(self) -> dict[str, list[Step]]:
        """The runs of the statements whose own words, without the blocks below them, read each variable, in order."""
        found: dict[str, list[Step]] = defaultdict(list)
        for statement, steps in self.runs_of_statement.items():
            for variable in _read(statement):
                found[variable] += steps
        return {variable: sorted(steps, key=attrgetter("id")) for variable, steps in found.items()}

    def readers(self, variable: str, since: Tick) -> Iterator[Step]:
        """The statements that read a variable of this name, of whatever frame, and began after a moment."""
        steps = self._readers.get(variable, [])
        begin = bisect_right(steps, since, key=lambda step: step.began)
        return (steps[index] for index in range(begin, min(len(steps), begin + MOST_STATEMENTS)))

    def ended(self, step: Step) -> Step:
        """A step as it looks from its own end: what it made itself is known, too."""
        return step if step.ended is None else msgspec.structs.replace(step, began=step.ended)

    def reached(self, variable: str, frame: FrameId | None, tick: Tick) -> Iterator[TensorId]:
        """The Tensors that a variable holds: those of a module, a list, a dict."""
        for scope in dict.fromkeys((frame, MODULE)):
            for name in self.names_through(variable, scope):
                tensor = self.tensor_at(name, tick)
                if tensor is not None:
                    yield tensor


def _look(geometry: Geometry) -> _Look:
    """Which elements a Tensor sees of its Storage."""
    stride = None if geometry.stride is None else tuple(geometry.stride)
    return tuple(geometry.shape), stride, geometry.storage_offset, geometry.dtype


def _read(statement: ast.stmt) -> set[str]:
    """The variables that a statement itself reads."""
    values = [value for field, value in ast.iter_fields(statement) if field not in _BLOCKS]
    pieces = [
        piece for value in values for piece in (value if isinstance(value, list) else [value]) if isinstance(piece, ast.AST)
    ]
    nodes = (node for piece in pieces for node in ast.walk(piece) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Load)}


def _bound(statement: ast.stmt) -> set[str]:
    """The variables that a statement itself gives a value."""
    match statement:
        case ast.Assign(targets=targets):
            bound: list[ast.expr] = targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
            bound = [target]
        case _:
            bound = []
    return {node.id for target in bound for node in ast.walk(target) if isinstance(node, ast.Name)}
