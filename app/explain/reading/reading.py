"""The Reading of a run: the index of its trace together with the syntax tree of its snippet."""

import ast
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import accumulate, islice, pairwise
from operator import attrgetter, itemgetter

import msgspec

from app.explain.finding import Arguments, Clash, Finding, Fix, Fixes, Severity
from app.explain.reading.statements import Statements
from app.explain.reading.syntax import Place, place_of
from app.trace.ends import OutOfMemory, Raised
from app.trace.look_up import look_up
from app.trace.query import MODULE, end_of, value_at
from app.trace.records import Frame, FrameId, Geometry, NodeId, SavedTensor, Step, StepId, StorageId, TensorId, Tick, Write

_Look = tuple[tuple[int, ...], tuple[int, ...] | None, int | None, str]

MOST_STATEMENTS = 200
"""Maximum number of statements searched for the one that assigned a variable."""

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of a statement that hold other statements."""

MOST_RUNS = 10_000
"""Maximum number of examined runs of statements."""

MOST_NODES = 100
"""Maximum number of expressions of one kind in one statement that are examined in each of its runs."""

MOST_FAILURES = 100
"""Maximum number of examined exceptions; a loop can catch thousands that look the same."""


class Reading(Statements):
    """Look-up tables for the finders of one run.

    Each look-up table is built once, on first use, in time linear in the size of trace and snippet.
    """

    # --- findings -----------------------------------------------------------------------------------------------------

    def finding(
        self,
        kind: str,
        steps: Sequence[StepId | None],
        tensors: Iterable[TensorId],
        arguments: Arguments,
        *,
        fixes: Fixes | None = None,
        severity: Severity = "hint",
    ) -> Finding:
        """A finding about the steps `steps`.

        The finding has the line of the last step, and is true from the end of this step.
        """
        shown = self.shown_from(*steps)
        last = self.trace.steps[shown[-1]]
        place = self.place_of(last.id)
        return Finding(
            kind=kind,
            severity=severity,
            tick=Tick(last.began if last.ended is None else last.ended),
            step=last.id,
            steps=shown,
            line=None if place is None else place.line,
            file=None if place is None else place.file,
            tensors=list(dict.fromkeys(tensors)),
            arguments={"line": self.line_of(last.id) or 0, **arguments},
            fixes=self.written(fixes or []),
        )

    def exception_finding(
        self,
        kind: str,
        step: Step,
        tensors: Iterable[TensorId],
        arguments: Arguments,
        *,
        fixes: Fixes | None = None,
        makers: Iterable[StepId | None] = (),
        storages: Iterable[StorageId] = (),
        clashes: Iterable[Clash] = (),
    ) -> Finding:
        """A finding about an exception raised in `step`: an error, or a hint if the program caught it."""
        shown = self.shown_from(*makers, step.id)
        line, place = self.line_of(step.id), self.place_of(step.id)
        caught = self.is_caught(step)
        return Finding(
            kind=kind,
            severity="hint" if caught else "error",
            tick=step.began,
            step=shown[-1],
            steps=shown,
            line=None if place is None else place.line,
            file=None if place is None else place.file,
            tensors=list(dict.fromkeys(tensors)),
            storages=list(storages),
            clashes=list(clashes),
            arguments={"line": line or 0, "caught": "yes" if caught else "no", **arguments},
            fixes=self.written(fixes or []),
        )

    def text_finding(
        self,
        kind: str,
        line: int | None,
        arguments: Arguments,
        *,
        fix: str = "",
        source: str | None = None,
        severity: Severity = "error",
    ) -> Finding:
        """A finding about the source text.

        It is true from the beginning of the run. `source` is the fixed snippet; None means no fix.
        """
        fixes = [] if source is None else [Fix(title=fix, source=source)]
        arguments = {"line": line or 0, **arguments}
        return Finding(kind=kind, severity=severity, tick=Tick(0), line=line, arguments=arguments, fixes=fixes)

    # --- the end of the run -------------------------------------------------------------------------------------------

    def raised(self, *types: str) -> Raised | None:
        """The exception that ended the run, if it has one of these built-in types; else None.

        If another file raised it, its `line` is None.
        """
        ended = self._ended
        if ended is None or ended.type.removeprefix("builtins.") not in types:
            return None
        return ended if ended.file is None else msgspec.structs.replace(ended, line=None)

    @property
    def _ended(self) -> Raised | None:
        ended = self.trace.ended.raised if isinstance(self.trace.ended, OutOfMemory) else self.trace.ended
        return ended if isinstance(ended, Raised) else None

    @look_up
    def refused(self) -> dict[NodeId, Step]:
        """The Nodes at which a backward raised (the last Node that it began), with the step of each."""
        last: dict[StepId, tuple[NodeId, Step]] = {}
        refused: dict[NodeId, Step] = {}
        inner: list[Step] = []
        for step in self.trace.steps:
            statement = self.statement_of(step.id) if step.kind in ("node", "exception") else None
            if statement is None:
                continue
            if step.node is not None:
                last[statement.id] = step.node, step
            elif statement.id in last:
                node, stopped = last[statement.id]
                refused[node] = stopped
            elif self.node_steps[step.id] is not None and step.name == "RuntimeError":
                inner.append(step)
        for step in inner:  # exceptions that Python code within a Node raised, such as a custom Function's backward
            stopped = self.trace.steps[self.node_steps[step.id] or 0]
            statement = self.statement_of(stopped.id)
            is_last = statement is not None and last.get(statement.id, (None, None))[1] == stopped
            if stopped.node is not None and stopped.node not in refused and is_last and self.broke_off(stopped):
                refused[stopped.node] = stopped
        return refused

    @look_up
    def fatal(self) -> Step | None:
        """The exception that ended the run."""
        ended = self._ended
        for step in reversed(self.trace.steps if ended is not None else []):
            place = self.place_of(step.id) if step.kind == "exception" else None
            is_it = ended is not None and place is not None and (place.line, place.file) == (ended.line, ended.file)
            if is_it and ended is not None and (step.name or "").split(".")[-1] == ended.type.split(".")[-1]:
                return step
        return None

    def is_caught(self, step: Step) -> bool:
        """Whether the program caught an exception and continued.

        `step` is the step of the exception or of the statement that raised it.
        """
        statement = self.statement_of(step.id)
        return statement is None or statement.id not in self._fatal_statements

    @look_up
    def _fatal_statements(self) -> set[StepId]:
        """The statements that were running when the run ended with an exception."""
        found, step = set(), self.fatal
        while step is not None:
            found |= {step.id} if step.kind == "statement" else set()
            step = None if step.parent is None else self.trace.steps[step.parent]
        return found

    def shown_from(self, *steps: StepId | None) -> list[StepId]:
        """The statements that these steps belong to; for a step outside any statement, the step itself.

        Steps that are None are skipped.
        """
        known = [step for step in steps if step is not None]
        return [step if (statement := self.statement_ids[step]) is None else statement for step in known]

    # --- names of tensors ---------------------------------------------------------------------------------------------

    @look_up
    def _sharers(self) -> dict[tuple[int, int], dict[_Look | None, str]]:
        """For each Storage with its version counter: the name of the first named Tensor of each geometry (`_look`).

        The key None has the first named Tensor of any geometry.
        """
        found: dict[tuple[int, int], dict[_Look | None, str]] = defaultdict(dict)
        for tensor in self.trace.tensors:
            name = self.name_of(tensor.id)
            storages = {geometry.storage for _, geometry in tensor.geometry if geometry.storage is not None}
            counters = {counter for _, counter in tensor.version_counter if isinstance(counter, int)}
            # Tensors that moved to another Storage (`.data =`) are skipped: it is unknown which Storage a SavedTensor has.
            if name and len(storages) * len(counters) == 1:
                shared = found[storages.pop(), counters.pop()]
                shared.setdefault(None, name)
                for _, geometry in tensor.geometry:
                    shared.setdefault(_look(geometry), name)
        return dict(found)

    def name_of_saved(self, saved: SavedTensor) -> tuple[str, str]:
        """A name for a SavedTensor, and the relation of the SavedTensor to this name: "itself", "view" (a view of the named
        tensor) or "unnamed"."""
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
        """The name of the Tensor that was written, or of its base; "" if neither has a name."""
        if write.tensor is None:
            return ""
        return self.name_of(write.tensor) or self.name_of(self.base_of(write.tensor))

    # --- tensors at a tick --------------------------------------------------------------------------------------------

    def geometry_at(self, tensor: TensorId | None, tick: Tick) -> Geometry | None:
        return None if tensor is None else value_at(self.trace.tensors[tensor].geometry, tick)

    # --- the snippet that ran -----------------------------------------------------------------------------------------

    def runs_with(self, wanted: type[ast.Call] | type[ast.Attribute], name: str) -> list[tuple[Step, ast.stmt, ast.expr]]:
        """Each run of a statement that directly contains a call or attribute named `name`, in order."""
        nodes: dict[ast.stmt, list[ast.expr]] = defaultdict(list)
        for node in self.syntax.ending_in(wanted, name):
            statement = self.syntax.statement_around(node)
            is_plain = isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return)
            if statement is not None and is_plain and len(nodes[statement]) < MOST_NODES:
                nodes[statement].append(node)
        in_order = merge(*map(self._runs_of, nodes), key=lambda run: run[0].id)
        return list(islice(((step, statement, node) for step, statement in in_order for node in nodes[statement]), MOST_RUNS))

    def _runs_of(self, statement: ast.stmt) -> Iterator[tuple[Step, ast.stmt]]:
        return ((step, statement) for step in self.runs_of_statement.get(statement, []))

    @look_up
    def failures(self) -> list[tuple[Step, ast.expr | ast.stmt]]:
        """The RuntimeErrors, caught or not, each with the syntax node that raised it."""
        return self.raised_as("RuntimeError")

    def raised_as(self, kind: str) -> list[tuple[Step, ast.expr | ast.stmt]]:
        """The exceptions of a type, each with the syntax node that raised it."""
        pieces = [(step, self.node_at(step.span)) for step in self._raised if step.name == kind]
        return [(step, piece) for step, piece in pieces if piece is not None]

    @look_up
    def _raised(self) -> list[Step]:
        """The first MOST_FAILURES exceptions, and the exception that ended the run."""
        first = list(islice((step for step in self.trace.steps if step.kind == "exception"), MOST_FAILURES))
        fatal = self.fatal
        return first if fatal is None or fatal.id <= first[-1].id else [*first, fatal]

    def called_by(self, statement: Step, step: Step) -> Iterator[Frame]:
        """The frames of the functions that a statement called directly, as far as the calls had ended when `step` began."""
        frames = self.trace.frames
        for place in range(bisect_left(frames, statement.began, key=attrgetter("began")), len(frames)):
            frame = frames[place]
            if frame.began > step.began:
                return
            call = self.callers.get(frame.id)
            is_own = call is not None and self.trace.steps[call].parent == statement.id
            if is_own and frame.ended is not None and frame.ended <= step.began:
                yield frame

    def tensor_of(self, node: ast.expr, step: Step) -> TensorId | None:
        """The Tensor that an expression evaluated to when `step`, a step of the expression's statement, began."""
        grads = 0
        while isinstance(node, ast.Attribute) and node.attr == "grad":
            node, grads = node.value, grads + 1
        tensor = self._tensor_of(node, step)
        while tensor is not None and grads:
            tensor, grads = value_at(self.trace.tensors[tensor].grad, step.began), grads - 1
        return tensor

    def _tensor_of(self, node: ast.expr, step: Step) -> TensorId | None:
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            named = self.named(self.syntax.path_of(node), step.frame, self.bound_when(node, step))
            if named is not None or isinstance(node, ast.Name):
                return named
        statement = self.statement_of(step.id)
        made = [] if statement is None else self._made_at.get((statement.id, place_of(node)), [])
        place = bisect_left(made, step.began, key=itemgetter(0))
        return made[place - 1][1] if place else None

    @look_up
    def _made_at(self) -> dict[tuple[StepId, Place], list[tuple[Tick, TensorId]]]:
        """For each statement and position of an expression, the ticks at which the expression ran an operator, each with the
        Tensor that the operator created."""
        found: dict[tuple[StepId, Place], list[tuple[Tick, TensorId]]] = defaultdict(list)
        for step, made in self.made_in.items():
            operator = self.trace.steps[step]
            statement = self.statement_of(step) if operator.kind == "operator" else None
            piece = None if statement is None else self.node_at(operator.span)
            if statement is not None and piece is not None:
                # If an operator such as `nll_loss_forward` has several results, the expression evaluates to the result with a
                # graph.
                result = next((each for each in made if self.requires_grad(each.id, each.born)), made[-1])
                found[statement.id, place_of(piece)].append((operator.began, result.id))
        return {key: sorted(made, key=itemgetter(0)) for key, made in found.items()}

    def first_named(self, node: ast.AST, step: Step) -> Iterator[tuple[str, TensorId]]:
        """The Tensors that the variables in a syntax node held when `step` began, each with its path."""
        pending: list[Iterator[ast.AST]] = [iter((node,))]
        while pending:
            each = next(pending[-1], None)
            if each is None:
                pending.pop()
                continue
            if isinstance(each, ast.Name | ast.Attribute | ast.Subscript) and isinstance(each.ctx, ast.Load):
                path = self.syntax.path_of(each)
                tensor = self.named(path, step.frame, step.began)
                if tensor is not None:
                    yield path, tensor
                    continue
            pending.append(reversed(self.syntax.children_of(each)))

    def defined_by(self, variable: str, step: Step) -> tuple[ast.stmt, Step] | None:
        """The statement of the same frame that last assigned a variable before `step` began, and its run."""
        ran = [] if step.frame is None else self.statements_in.get(step.frame, [])
        index = bisect_left(ran, step.began, key=attrgetter("began"))
        current = self.statement_of(step.id)
        for place in range(index - 1, max(-1, index - 1 - MOST_STATEMENTS), -1):
            each = ran[place]
            if current is not None and each.id == current.id:
                continue
            for statement in reversed(self.all_ran_by(each)):
                if variable in self._bound.get(statement, ()):
                    return statement, each
        return None

    def ran_once(self, step: Step) -> bool:
        """Whether a statement ran only once, at module level."""
        return step.span is not None and step.frame == MODULE and len(self.visits[step.span]) == 1

    @look_up
    def _bound(self) -> dict[ast.stmt, set[str]]:
        """The variables that each statement assigns, not counting the blocks within it."""
        return {statement: _bound(statement) for statement in self.syntax.statements}

    @look_up
    def _reading(self) -> dict[str, list[ast.stmt]]:
        """The statements that read each variable, not counting reads in their blocks."""
        found: dict[str, list[ast.stmt]] = defaultdict(list)
        for statement in self.syntax.statements:
            for variable in _read(statement):
                found[variable].append(statement)
        return dict(found)

    def readers(self, variable: str, since: Tick) -> Iterator[Step]:
        """The runs of statements that read a variable of this name, in any frame, and began after `since`."""
        statements = islice(self._reading.get(variable, []), MOST_STATEMENTS)
        runs = (self._runs_since(self.runs_of_statement.get(statement, []), since) for statement in statements)
        return islice(merge(*runs, key=attrgetter("id")), MOST_STATEMENTS)

    def _runs_since(self, runs: list[Step], since: Tick) -> Iterator[Step]:
        begin = bisect_right(runs, since, key=attrgetter("began"))
        return (runs[place] for place in range(begin, len(runs)))

    def ended(self, step: Step) -> Step:
        """A copy of a step that begins at the step's end, so that look-ups include the step's results."""
        return step if step.ended is None else msgspec.structs.replace(step, began=step.ended)

    def reached(self, variable: str, frame: FrameId | None, tick: Tick) -> Iterator[TensorId]:
        """The Tensors that a variable leads to, such as the Tensors in a module, a list or a dict."""
        for scope in dict.fromkeys((frame, MODULE)):
            for name in self.names_through(variable, scope):
                tensor = self.tensor_at(name, tick)
                if tensor is not None:
                    yield tensor

    def is_inference(self, tensor: TensorId, step: Step) -> bool:
        """Whether a Tensor had no version counter when a step began, because it was created in inference mode."""
        return value_at(self.trace.tensors[tensor].version_counter, step.began, "unseen") is None

    @look_up
    def _given(self) -> dict[tuple[FrameId, str], list[tuple[Tick, str, TensorId]]]:
        found: dict[tuple[FrameId, str], list[tuple[Tick, str, TensorId]]] = defaultdict(list)
        for name in self.trace.names:
            root = name.path.replace("[", ".").partition(".")[0]
            for tick, tensor in name.tensor if root != name.path else []:
                if tensor is not None:
                    found[name.frame, root].append((tick, name.path, tensor))
        return {key: sorted(given, key=itemgetter(0)) for key, given in found.items()}

    def given(self, variable: str, step: Step) -> Iterator[tuple[str, TensorId]]:
        """The paths through a variable to which a statement assigned a Tensor, each with this Tensor."""
        given = [] if step.frame is None else self._given.get((step.frame, variable), [])
        ended = end_of(step)
        for place in range(bisect_right(given, step.began, key=itemgetter(0)), len(given)):
            tick, path, tensor = given[place]
            if tick > ended:
                return
            yield path, tensor

    # --- requires_grad ------------------------------------------------------------------------------------------------

    @look_up
    def _requiring(self) -> list[tuple[Tick, int]]:
        """The number of Tensors that require grad, with each tick at which this number changes."""
        changes: list[tuple[Tick, int]] = []
        for tensor in self.trace.tensors:
            for (_, before), (tick, after) in pairwise([(Tick(0), False), *tensor.requires_grad]):
                changes += [(tick, after - before)] if after != before else []
        changes.sort()
        counts = accumulate(change for _, change in changes)
        return [(tick, count) for (tick, _), count in zip(changes, counts, strict=True)]

    def lost_grad(self, tensor: TensorId, tick: Tick) -> Tick | None:
        """The last tick, up to `tick`, at which a Tensor ceased to require grad; None if there is none."""
        lost = None
        for (_, before), (changed, after) in pairwise(self.trace.tensors[tensor].requires_grad):
            lost = changed if before and not after and changed <= tick else lost
        return lost

    def required_grad(self, tick: Tick) -> bool:
        """Whether any Tensor required grad at a tick or earlier."""
        return bool(self._requiring) and self._requiring[0][0] <= tick

    def some_require_grad(self, tick: Tick) -> bool:
        """Whether any Tensor required grad at a tick."""
        return (value_at(self._requiring, tick) or 0) > 0


def _look(geometry: Geometry) -> _Look:
    """A key for the elements of its Storage that a Tensor reads: shape, strides, offset and dtype."""
    stride = None if geometry.stride is None else tuple(geometry.stride)
    return tuple(geometry.shape), stride, geometry.storage_offset, geometry.dtype


def _read(statement: ast.stmt) -> set[str]:
    """The variables that a statement reads, not counting the blocks within it."""
    values = [value for field, value in ast.iter_fields(statement) if field not in _BLOCKS]
    pieces = [
        piece for value in values for piece in (value if isinstance(value, list) else [value]) if isinstance(piece, ast.AST)
    ]
    nodes = (node for piece in pieces for node in ast.walk(piece) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Load)}


def _bound(statement: ast.stmt) -> set[str]:
    """The variables that a statement assigns, not counting the blocks within it."""
    match statement:
        case ast.Assign(targets=targets):
            bound: list[ast.expr] = targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target) | ast.For(target=target):
            bound = [target]
        case _:
            bound = []
    return {node.id for target in bound for node in ast.walk(target) if isinstance(node, ast.Name)}
