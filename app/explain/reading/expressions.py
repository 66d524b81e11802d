"""Which piece of the snippet a step ran, and which Tensor a piece of the snippet stood for."""

import ast
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

import msgspec

from app.explain.reading.reading import Reading
from app.explain.reading.snippet import at_column, nodes_of
from app.trace.query import MODULE, value_at
from app.trace.records import FrameId, Held, Name, NameId, Span, Step, StepId, StorageId, Tensor, TensorId, Tick, Variable

Place = tuple[int, int, int, int]

MOST_STATEMENTS = 200
"""Looked at for the one that gave a variable its value."""

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of a statement that hold other statements."""

MOST_FAILURES = 100
"""Exceptions looked at; a loop can catch thousands alike."""


class Expressions(Reading):
    """A trace read together with the syntax tree of its snippet."""

    @cached_property
    def _nodes(self) -> dict[Place, ast.expr | ast.stmt]:
        """By where it stands; of a statement and its only expression, the expression."""
        found: dict[Place, ast.expr | ast.stmt] = {}
        for node in nodes_of(self.trace.source):  # outer ones first
            if isinstance(node, ast.expr | ast.stmt):
                found[_place(node)] = node
        return found

    def node_at(self, span: Span | None) -> ast.expr | ast.stmt | None:
        """The innermost piece that stands exactly there."""
        if span is None:
            return None
        source = self.trace.source
        begin, end = at_column(source, span.line, span.column), at_column(source, span.end_line, span.end_column)
        return self._nodes.get((span.line, begin, span.end_line, end))

    @cached_property
    def _written(self) -> list[ast.stmt]:
        """In the order in which they begin, outer ones first."""
        found = [node for node in nodes_of(self.trace.source) if isinstance(node, ast.stmt)]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset, -(node.end_lineno or 0)))

    def statement_at(self, step: Step | None) -> ast.stmt | None:
        """The statement that a step of kind "statement" ran."""
        if step is None or step.span is None:
            return None
        at = (step.span.line, at_column(self.trace.source, step.span.line, step.span.column))
        index = bisect_right(self._written, at, key=lambda node: (node.lineno, node.col_offset))
        statement = self._written[index - 1] if index else None
        return statement if statement is not None and (statement.lineno, statement.col_offset) == at else None

    @cached_property
    def _paths(self) -> dict[tuple[FrameId, str], Name]:
        return {(name.frame, name.path): name for name in self.trace.names}

    def name_in(self, frame: FrameId, path: str) -> Name | None:
        """The record of a path in a frame."""
        return self._paths.get((frame, path))

    @cached_property
    def callers(self) -> dict[FrameId, StepId]:
        """The step of kind "call" that each frame ran in."""
        calls = {step.began: step.id for step in self.trace.steps if step.kind == "call"}
        return {frame.id: calls[frame.began] for frame in self.trace.frames if frame.began in calls}

    @cached_property
    def _rooted(self) -> dict[tuple[FrameId, str], list[Name]]:
        """The names that go through a variable, such as `model.fc.weight` through `model`."""
        found: dict[tuple[FrameId, str], list[Name]] = defaultdict(list)
        for name in self.trace.names:
            root = name.path.replace("[", ".").partition(".")[0]
            if root != name.path:
                found[name.frame, root].append(name)
        return dict(found)

    @cached_property
    def failures(self) -> list[tuple[Step, ast.expr | ast.stmt]]:
        """The RuntimeErrors, caught or not, each with the piece of the snippet that raised it."""
        return self.raised_as("RuntimeError")

    def raised_as(self, kind: str) -> list[tuple[Step, ast.expr | ast.stmt]]:
        """The exceptions of a type, each with the piece that raised it."""
        raised = islice((step for step in self.trace.steps if step.kind == "exception"), MOST_FAILURES)
        pieces = [(step, self.node_at(step.span)) for step in raised if step.name == kind]
        return [(step, piece) for step, piece in pieces if piece is not None]

    @cached_property
    def made_in(self) -> dict[StepId, list[Tensor]]:
        """The Tensors first seen during each step, in order."""
        found: dict[StepId, list[Tensor]] = defaultdict(list)
        for tensor in self.trace.tensors:
            if tensor.made_by is not None:
                found[tensor.made_by].append(tensor)
        return dict(found)

    @cached_property
    def tensors_on(self) -> dict[StorageId | None, list[TensorId]]:
        """The Tensors that ever looked at each Storage, in order."""
        found: dict[StorageId | None, dict[TensorId, None]] = defaultdict(dict)
        for tensor in self.trace.tensors:
            for _, geometry in tensor.geometry:
                found[geometry.storage][tensor.id] = None
        return {storage: list(tensors) for storage, tensors in found.items()}

    @cached_property
    def _names_of(self) -> dict[TensorId, list[Name]]:
        found: dict[TensorId, dict[NameId, Name]] = defaultdict(dict)
        for name in self.trace.names:
            for _, tensor in name.tensor:
                if tensor is not None:
                    found[tensor][name.id] = name
        return {tensor: list(names.values()) for tensor, names in found.items()}

    def paths_of(self, tensor: TensorId, tick: Tick, frame: FrameId | None = None) -> list[str]:
        """The paths that led to a Tensor at a moment, the module's first, then the shortest; or only those of one frame."""
        names = [name for name in self._names_of.get(tensor, []) if value_at(name.tensor, tick) == tensor]
        names = [name for name in names if frame in (None, name.frame)]
        return [name.path for name in sorted(names, key=lambda name: (name.frame, len(name.path)))]

    @cached_property
    def gradients(self) -> set[TensorId]:
        """The Tensors that were the `.grad` of another."""
        return {grad for tensor in self.trace.tensors for _, grad in tensor.grad if grad is not None}

    @cached_property
    def _operators(self) -> dict[StepId, list[Step]]:
        """The operators that each statement ran, in order."""
        found: dict[StepId, list[Step]] = defaultdict(list)
        for step in self.trace.steps:
            statement = self.statement_of(step.id) if step.kind == "operator" else None
            if statement is not None:
                found[statement.id].append(step)
        return dict(found)

    def operators_of(self, statement: Step | None) -> list[Step]:
        """The operators that a statement ran, in order."""
        return [] if statement is None else self._operators.get(statement.id, [])

    def tensor_of(self, node: ast.expr, step: Step) -> TensorId | None:
        """The Tensor that an expression stood for when `step`, in whose statement it stands, began."""
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            of = self.tensor_of(node.value, step)
            return None if of is None else value_at(self.trace.tensors[of].grad, step.began)
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            named = self.named(ast.unparse(node), step.frame, step.began)
            if named is not None or isinstance(node, ast.Name):
                return named
        place = _place(node)
        for operator in reversed(self.operators_of(self.statement_of(step.id))):
            made = self.made_in.get(operator.id) if operator.began < step.began else None
            piece = self.node_at(operator.span) if made else None
            if made and piece is not None and _place(piece) == place:
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

    @cached_property
    def _variables(self) -> dict[tuple[FrameId, str], Variable]:
        return {(variable.frame, variable.name): variable for variable in self.trace.variables}

    def held(self, variable: str, step: Step) -> Held | None:
        """What a variable held that is no Tensor when `step` began."""
        for scope in (step.frame, MODULE):
            found = None if scope is None else self._variables.get((scope, variable))
            held = None if found is None else value_at(found.value, step.began)
            if held is not None:
                return held
        return None

    def requires_grad(self, tensor: TensorId, tick: Tick) -> bool:
        """Whether a Tensor required grad at a moment."""
        return value_at(self.trace.tensors[tensor].requires_grad, tick) or False

    def named(self, path: str, frame: FrameId | None, tick: Tick) -> TensorId | None:
        """The Tensor that a path reached in a frame, or else in the module."""
        for scope in (frame, MODULE):
            name = None if scope is None else self._paths.get((scope, path))
            tensor = None if name is None else self._at(name, tick)
            if tensor is not None:
                return tensor
        return None

    @cached_property
    def _ran(self) -> dict[FrameId, list[Step]]:
        """The statements that each frame ran, in order."""
        found: dict[FrameId, list[Step]] = defaultdict(list)
        for step in self.trace.steps:
            if step.kind == "statement" and step.frame is not None:
                found[step.frame].append(step)
        return dict(found)

    def defined_by(self, variable: str, step: Step) -> tuple[ast.stmt, Step] | None:
        """The statement of the same frame that last gave a variable its value before `step` began, and when it ran."""
        ran = [] if step.frame is None else self._ran.get(step.frame, [])
        index = bisect_left(ran, step.began, key=lambda each: each.began)
        current = self.statement_of(step.id)
        for each in reversed(ran[max(0, index - MOST_STATEMENTS) : index]):
            statement = self.statement_at(each) if current is None or each.id != current.id else None
            if statement is not None and variable in _bound(statement):
                return statement, each
        return None

    @cached_property
    def _runs(self) -> Counter[Place]:
        """How often the statement at each place ran."""
        return Counter(_spot(step.span) for step in self.trace.steps if step.kind == "statement" and step.span is not None)

    def ran_once(self, step: Step) -> bool:
        """Whether a statement ran this one time only, and in the module itself."""
        return step.span is not None and step.frame == MODULE and self._runs[_spot(step.span)] == 1

    @cached_property
    def _readers(self) -> dict[str, list[Step]]:
        """The runs of the statements whose own words, without the blocks below them, read each variable, in order."""
        read = {id(statement): _read(statement) for statement in self._written}
        found: dict[str, list[Step]] = defaultdict(list)
        for step in self.trace.steps:
            statement = self.statement_at(step) if step.kind == "statement" else None
            for variable in () if statement is None else read[id(statement)]:
                found[variable].append(step)
        return dict(found)

    def readers(self, variable: str, since: Tick) -> Iterator[Step]:
        """The statements that read a variable of this name, of whatever frame, and began after a moment."""
        steps = self._readers.get(variable, [])
        begin = bisect_right(steps, since, key=lambda step: step.began)
        return (steps[index] for index in range(begin, min(len(steps), begin + MOST_STATEMENTS)))

    def ended(self, step: Step) -> Step:
        """A step as it looks from its own end: what it made itself is known, too."""
        return step if step.ended is None else msgspec.structs.replace(step, began=step.ended)

    def paths_through(self, variable: str, frame: FrameId | None) -> list[tuple[str, Name]]:
        """The names of a frame that go through a variable, by path."""
        return [] if frame is None else [(name.path, name) for name in self._rooted.get((frame, variable), [])]

    def reached(self, variable: str, frame: FrameId | None, tick: Tick) -> Iterator[TensorId]:
        """The Tensors that a variable holds: those of a module, a list, a dict."""
        for scope in dict.fromkeys((frame, MODULE)):
            for name in self._rooted.get((scope, variable), []) if scope is not None else []:
                tensor = self._at(name, tick)
                if tensor is not None:
                    yield tensor

    def _at(self, name: Name, tick: Tick) -> TensorId | None:
        """What a name reached; an argument of a function is recorded only when the function's first statement has ended."""
        if name.frame != MODULE and name.tensor and tick < name.tensor[0][0]:
            given = name.tensor[0][1]
            came = given is not None and self.trace.tensors[given].born <= self.trace.frames[name.frame].began
            return given if came else None
        return value_at(name.tensor, tick)


def _place(node: ast.expr | ast.stmt) -> Place:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _spot(span: Span) -> Place:
    return span.line, span.column, span.end_line, span.end_column


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
