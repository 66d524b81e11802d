"""The index of a trace: the look-ups that findings, transcripts and the comparison of runs use. Each look-up is built on first
use.

A look-up is built in linear time, or in the time of sorting. Bisection then finds the value at a tick.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from operator import attrgetter, itemgetter
from typing import TypeVar

from app.trace.chunks import Trace
from app.trace.look_up import grouped, look_up
from app.trace.naming import VARIABLE, Naming
from app.trace.query import MODULE, end_of, events_after, value_at
from app.trace.records import (
    FileId,
    FrameId,
    GradFn,
    Gradient,
    Held,
    Name,
    Node,
    NodeId,
    Place,
    SavedTensor,
    Span,
    Step,
    StepId,
    StorageId,
    Tensor,
    TensorId,
    Tick,
    Variable,
    Write,
)

T = TypeVar("T")

_WITH = re.compile(r"(?:async\s+)?with\b")
UNINITIALISED = ("aten::empty", "aten::new_empty", "aten::_empty")
"""Prefixes of the names of operators that create a Tensor without setting its bytes."""

Line = int | str
"""A line as messages show it: its number from 1 in the trace's own source; for another file, the path and the line, as
"layer.py:2"."""


def line_in(path: str, line: int) -> Line:
    """Return the Line of a file other than the trace's own source."""
    return f"{path}:{line}"


class Index(Naming):
    """The look-up tables of one trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    # --- files ---

    @look_up
    def lines_by_file(self) -> dict[FileId | None, list[str]]:
        """The recorded lines of each file; None is the trace's own source."""
        return {None: self.trace.source.split("\n"), **{file.id: file.text.split("\n") for file in self.trace.files}}

    def text_at(self, line: int, file: FileId | None) -> str:
        """Return the text of a line of a file; empty if the trace does not have this line."""
        lines = self.lines_by_file[file]
        return lines[line - 1] if 0 < line <= len(lines) else ""

    # --- steps --------------------------------------------------------------------------------------------------------

    @look_up
    def statements(self) -> list[Step]:
        """The statements in the order in which they ended. These are the stops of a player.

        A function's statements come before the statement that called it. Statements that were cut by the end of the run are last.
        """
        return sorted((step for step in self.trace.steps if step.kind == "statement"), key=end_of)

    @look_up
    def children(self) -> dict[StepId | None, list[Step]]:
        """The steps directly within each step, in order. The entry of None has the outermost steps."""
        return grouped(self.trace.steps, attrgetter("parent"))

    @look_up
    def statement_ids(self) -> list[StepId | None]:
        """For each step, the innermost statement around it, or the step itself if it is a statement."""
        return self._inherited(lambda step: step.id if step.kind == "statement" else None)

    def _inherited(self, value_of: Callable[[Step], T | None]) -> list[T | None]:
        """Return, for each step, its own value by `value_of`; if that is None, the value of the nearest surrounding step that
        has one."""
        found: list[T | None] = []
        for step in self.trace.steps:  # a parent comes before its children
            value = value_of(step)
            found.append(found[step.parent] if value is None and step.parent is not None else value)
        return found

    def statement_of(self, step: StepId | None) -> Step | None:
        """Return the innermost statement around a step, or the step itself if it is a statement."""
        statement = None if step is None else self.statement_ids[step]
        return None if statement is None else self.trace.steps[statement]

    @look_up
    def node_steps(self) -> list[StepId | None]:
        """For each step, the innermost step of kind "node" around it, or the step itself if it has this kind."""
        return self._inherited(lambda step: step.id if step.kind == "node" else None)

    @look_up
    def _jumps(self) -> list[StepId]:
        """For each step, one of its surrounding steps, chosen so that few jumps lead to any surrounding step (skew-binary jump
        pointers).

        The jump of an outermost step leads to the step itself.
        """
        found: list[StepId] = []
        depths: list[int] = []
        for step in self.trace.steps:
            if step.parent is None:
                found.append(step.id)
                depths.append(0)
                continue
            near = found[step.parent]
            far = found[near]
            is_even = depths[step.parent] - depths[near] == depths[near] - depths[far]
            found.append(far if is_even else step.parent)
            depths.append(depths[step.parent] + 1)
        return found

    def step_at(self, tick: Tick) -> Step | None:
        """Return the innermost step that is running at a tick."""
        steps, jumps = self.trace.steps, self._jumps
        index = bisect_right(steps, tick, key=attrgetter("began"))
        step = steps[index - 1] if index else None
        while step is not None and end_of(step) < tick:  # enclosing steps end no earlier
            far = steps[jumps[step.id]]
            step = far if end_of(far) < tick and far is not step else None if step.parent is None else steps[step.parent]
        return step

    def statement_at_tick(self, tick: Tick) -> Step | None:
        """Return the innermost statement that is running at a tick."""
        step = self.step_at(tick)
        return None if step is None else self.statement_of(step.id)

    @look_up
    def _spans(self) -> list[Span | None]:
        return self._inherited(attrgetter("span"))

    def span_of(self, step: StepId | None) -> Span | None:
        """Return the span of a step, or of the nearest surrounding step that has a span. A Node has no span of its own."""
        return None if step is None else self._spans[step]

    @look_up
    def _placed(self) -> dict[StepId, Place]:
        """For each operator, the place of its Writes, if this place is in a file that is not followed."""
        return {write.step: write.place for write in self.trace.writes if write.step is not None and write.place is not None}

    def place_of(self, step: StepId | None) -> Place | None:
        """Return the line of a step. For an operator that wrote, return the innermost line that ran the operator, even if its
        file is not followed."""
        placed = None if step is None else self._placed.get(step)
        span = self.span_of(step)
        return placed if placed is not None or span is None else Place(line=span.line, file=span.file)

    def line_of(self, step: StepId | None) -> Line | None:
        """Return the line of a step in the form that messages use."""
        place = self.place_of(step)
        return (
            None
            if place is None
            else place.line
            if place.file is None
            else line_in(self.trace.files[place.file].path, place.line)
        )

    @look_up
    def visits(self) -> dict[Span, list[Step]]:
        """For each span of a statement, the steps that ran the statement, in order."""
        statements = (step for step in self.trace.steps if step.kind == "statement" and step.span is not None)
        return grouped(statements, attrgetter("span"))

    @look_up
    def goes_on_with(self) -> dict[StepId, Step]:
        """For each statement, a statement that began with the modes (such as grad mode) that were active when the first one
        ended.

        That is the next statement of the same call. If a call ends with the exit of a `with`, it is the entry of that `with`,
        because the exit restores the modes of the entry.
        """
        lines = self.trace.source.split("\n")
        found: dict[StepId, Step] = {}
        last: dict[StepId | None, Step] = {}
        before: dict[tuple[FrameId | None, Span | None], Step] = {}
        for step in self.trace.steps:
            if step.kind != "statement":
                continue
            if step.parent in last:
                found[last[step.parent].id] = step
            last[step.parent] = step
            entered, span = before.get((step.frame, step.span)), step.span
            before[step.frame, step.span] = step
            text = "" if span is None or not 0 < span.line <= len(lines) else lines[span.line - 1][span.column :]
            if entered is not None and _WITH.match(text):
                found[step.id] = entered  # overwritten if another statement of the call follows
        return found

    @look_up
    def statements_in(self) -> dict[FrameId, list[Step]]:
        """The statements that each frame ran, in order."""
        statements = (step for step in self.trace.steps if step.kind == "statement" and step.frame is not None)
        return grouped(statements, attrgetter("frame"))

    @look_up
    def _operators(self) -> dict[StepId, list[Step]]:
        ran = (step for step in self.trace.steps if step.kind == "operator")
        found = grouped(ran, lambda step: self.statement_ids[step.id])
        return {statement: steps for statement, steps in found.items() if statement is not None}

    def operators_of(self, statement: Step | None) -> list[Step]:
        """Return the operators that a statement ran, in order."""
        return [] if statement is None else self._operators.get(statement.id, [])

    @look_up
    def exceptions(self) -> dict[tuple[str | None, str | None], list[Step]]:
        """The exceptions by type and message, in order."""
        return grouped((step for step in self.trace.steps if step.kind == "exception"), attrgetter("name", "message"))

    @look_up
    def callers(self) -> dict[FrameId, StepId]:
        """For each frame, the step of kind "call" in which the frame ran."""
        calls = {step.began: step.id for step in self.trace.steps if step.kind == "call"}
        return {frame.id: calls[frame.began] for frame in self.trace.frames if frame.began in calls}

    # --- names and variables ------------------------------------------------------------------------------------------

    @look_up
    def _paths(self) -> dict[tuple[FrameId, str], Name]:
        return {(name.frame, name.path): name for name in self.trace.names}

    def name_in(self, frame: FrameId, path: str) -> Name | None:
        """Return the Name with this path in a frame."""
        return self._paths.get((frame, path))

    def told(self, path: str, frame: FrameId | None) -> str:
        """Return a path with the function of the frame appended, if the frame has a Name with this path."""
        return path if frame is None or self.name_in(frame, path) is None else self.in_frame(path, frame)

    def quoted(self, text: str, frame: FrameId | None) -> str:
        """Return `text`, an expression in the code of a frame, in the form that messages quote.

        The function of the frame is appended if the expression begins with a variable, and another function has a variable of
        the same name.
        """
        match = VARIABLE.match(text)
        if frame is None or match is None or match[0] in ("self", "cls") or not self._has(frame, match[0]):
            return text
        return self.in_frame(text, frame) if len(self.functions_with[match[0]]) > 1 else text

    @look_up
    def _rooted(self) -> dict[tuple[FrameId, str], list[Name]]:
        found: dict[tuple[FrameId, str], list[Name]] = defaultdict(list)
        for name in self.trace.names:
            root = name.path.replace("[", ".").partition(".")[0]
            if root != name.path:
                found[name.frame, root].append(name)
        return dict(found)

    def names_through(self, variable: str, frame: FrameId | None) -> list[Name]:
        """Return the Names of a frame whose paths go through a variable, such as `model.fc.weight` through `model`."""
        return [] if frame is None else self._rooted.get((frame, variable), [])

    def frames_at(self, tick: Tick) -> Iterator[FrameId]:
        """The frames of the calls that are running at a tick, the innermost first, the module last."""
        step = self.step_at(tick)
        while step is not None and step.frame is None:
            step = None if step.parent is None else self.trace.steps[step.parent]
        frame = None if step is None else step.frame
        while frame is not None and frame != MODULE:
            yield frame
            frame = self.trace.frames[frame].parent
        yield MODULE

    def paths_of(self, tensor: TensorId, tick: Tick, frame: FrameId | None = None) -> list[str]:
        """Return the paths that lead to a Tensor at a tick, the plainest first. With `frame`, only the paths in this frame."""
        names = [name for name in self.plainest_of.get(tensor, []) if value_at(name.tensor, tick) == tensor]
        return [name.path for name in names if frame in (None, name.frame)]

    def named(self, path: str, frame: FrameId | None, tick: Tick) -> TensorId | None:
        """Return the Tensor to which a path leads in a frame, or in the module if the frame never had the variable."""
        match = VARIABLE.match(path)
        scope = MODULE if frame is None or match is None or not self._has(frame, match[0]) else frame
        name = self._paths.get((scope, path))
        return None if name is None else self.tensor_at(name, tick)

    def _has(self, frame: FrameId, variable: str) -> bool:
        """Whether a frame ever had a variable with this name."""
        is_known = (frame, variable) in self._paths or (frame, variable) in self._variables
        return is_known or (frame, variable) in self._rooted

    def tensor_at(self, name: Name, tick: Tick) -> TensorId | None:
        """Return the Tensor to which a Name leads at a tick.

        The recorder records arguments of a function only at the end of its first statement. For earlier ticks of the call, this
        method returns the first recorded Tensor if that Tensor existed when the call began.
        """
        if name.frame != MODULE and name.tensor and tick < name.tensor[0][0]:
            given = name.tensor[0][1]
            return given if given is not None and self._came(given, self.trace.frames[name.frame].began) else None
        return value_at(name.tensor, tick)

    def _came(self, tensor: TensorId, began: Tick) -> bool:
        """Whether a Tensor existed when a call began. A Tensor that no recorded operator created counts as existing, because
        the recorder may have noticed it late."""
        record = self.trace.tensors[tensor]
        maker = None if record.made_by is None else self.trace.steps[record.made_by]
        return record.born <= began or (maker is not None and maker.kind == "statement")

    @look_up
    def _variables(self) -> dict[tuple[FrameId, str], Variable]:
        return {(variable.frame, variable.name): variable for variable in self.trace.variables}

    @look_up
    def array_variables(self) -> list[Variable]:
        """The Variables that held a NumPy array at any tick."""
        return [each for each in self.trace.variables if any(held and held.kind == "array" for _, held in each.value)]

    def held(self, variable: str, step: Step) -> Held | None:
        """Return the value that a variable of the step's frame, or of the module, had when the step began; None for a Tensor."""
        for scope in (step.frame, MODULE):
            found = None if scope is None else self._variables.get((scope, variable))
            held = None if found is None else value_at(found.value, step.began)
            if held is not None:
                return held
        return None

    # --- tensors and memory -------------------------------------------------------------------------------------------

    @look_up
    def made_in(self) -> dict[StepId, list[Tensor]]:
        """The Tensors that were first seen during each step, in order."""
        return grouped((tensor for tensor in self.trace.tensors if tensor.made_by is not None), attrgetter("made_by"))

    def was_there(self, record: Tensor | Node) -> bool:
        """Whether a record was first seen outside of every step, because it existed before the recording of a running program
        began."""
        return record.made_by is None and self.step_at(record.born) is None

    @look_up
    def _joins(self) -> bool:
        """Whether the recording began in a running program. It then begins with a tick at which the existing variables are
        read."""
        steps, frames = self.trace.steps, self.trace.frames
        return bool(steps and frames) and steps[0].began > frames[0].began + 1

    def is_older(self, tensor: Tensor) -> bool:
        """Whether a Tensor may be older than the recording of a running program.

        Such a Tensor has no `made_by` (it was first seen before the first statement, or as the leaf of a graph), or was first
        seen right before an operator wrote it.
        """
        if not self._joins:
            return False
        maker = None if tensor.made_by is None else self.trace.steps[tensor.made_by]
        return maker is None or (maker.kind == "operator" and tensor.born == maker.began)

    def is_uninitialised(self, tensor: Tensor) -> bool:
        """Whether an operator such as `torch.empty` created a Tensor without setting its bytes."""
        maker = None if tensor.made_by is None else self.trace.steps[tensor.made_by]
        return maker is not None and maker.kind == "operator" and (maker.name or "").startswith(UNINITIALISED)

    @look_up
    def _bases(self) -> list[TensorId]:
        return [next((base for _, base in tensor.base if base is not None), tensor.id) for tensor in self.trace.tensors]

    def base_of(self, tensor: TensorId) -> TensorId:
        """Return the base of a Tensor; the Tensor itself if it is not a view."""
        return self._bases[tensor]

    @look_up
    def tensors_on(self) -> dict[StorageId | None, list[TensorId]]:
        """For each Storage, the Tensors that read it at any tick, in order."""
        found: dict[StorageId | None, dict[TensorId, None]] = defaultdict(dict)
        for tensor in self.trace.tensors:
            for _, geometry in tensor.geometry:
                found[geometry.storage][tensor.id] = None
        return {storage: list(tensors) for storage, tensors in found.items()}

    @look_up
    def labelled_on(self) -> dict[StorageId | None, list[TensorId]]:
        """Like `tensors_on`, but without Tensors that never had a name and were never a `grad`, because a loop may create
        thousands of views of a Storage."""
        labelled = self.plainest_of.keys() | self.owners.keys()
        return {storage: [tensor for tensor in tensors if tensor in labelled] for storage, tensors in self.tensors_on.items()}

    @look_up
    def owners(self) -> dict[TensorId, list[tuple[Tick, TensorId]]]:
        """For each Tensor that was a `grad`: the Tensors whose `grad` it was, each with the tick at which it became their
        `grad`."""
        found: dict[TensorId, list[tuple[Tick, TensorId]]] = defaultdict(list)
        for tensor in self.trace.tensors:
            for since, grad in tensor.grad:
                if grad is not None:
                    found[grad].append((since, tensor.id))
        return dict(found)

    def requires_grad(self, tensor: TensorId, tick: Tick) -> bool:
        """Whether a Tensor requires grad at a tick."""
        return value_at(self.trace.tensors[tensor].requires_grad, tick) or False

    @look_up
    def writes_to(self) -> dict[StorageId | None, list[Write]]:
        """The Writes to each Storage, in order."""
        return grouped(self.trace.writes, attrgetter("storage"))

    @look_up
    def writes_in(self) -> dict[StepId | None, list[Write]]:
        """The Writes of each statement, in order."""
        return grouped(self.trace.writes, lambda write: None if write.step is None else self.statement_ids[write.step])

    # --- autograd -----------------------------------------------------------------------------------------------------

    @look_up
    def saved_by(self) -> dict[NodeId, list[SavedTensor]]:
        """The SavedTensors of each Node, in order."""
        return grouped(self.trace.saved_tensors, attrgetter("node"))

    @look_up
    def results(self) -> dict[NodeId, list[TensorId]]:
        """The Tensors that had each Node as `grad_fn` at any tick."""
        found: dict[NodeId, list[TensorId]] = defaultdict(list)
        for tensor in self.trace.tensors:
            for _, grad_fn in tensor.grad_fn:
                if isinstance(grad_fn, GradFn):
                    found[grad_fn.node].append(tensor.id)
        return dict(found)

    @look_up
    def _runs_of_node(self) -> dict[NodeId, list[Step]]:
        return grouped((step for step in self.trace.steps if step.node is not None), attrgetter("node"))

    def runs_of(self, node: NodeId) -> list[Step]:
        """Return the steps in which backward ran a Node, in order."""
        return self._runs_of_node.get(node, [])

    def run_of_node(self, node: NodeId, since: Tick) -> Step | None:
        """Return the first step at or after tick `since` in which backward ran a Node."""
        runs = self.runs_of(node)
        index = bisect_left(runs, since, key=attrgetter("began"))
        return runs[index] if index < len(runs) else None

    def last_run(self, node: NodeId, until: Tick) -> Step | None:
        """Return the last step up to tick `until` in which backward ran a Node."""
        runs = self.runs_of(node)
        index = bisect_right(runs, until, key=attrgetter("began"))
        return runs[index - 1] if index else None

    @look_up
    def nodes_run(self) -> dict[StepId, list[NodeId]]:
        """The Nodes that backward ran in each statement, in order."""
        found: dict[StepId, list[NodeId]] = defaultdict(list)
        for step in self.trace.steps:
            statement = None if step.node is None else self.statement_of(step.id)
            if statement is not None and step.node is not None:
                found[statement.id].append(step.node)
        return dict(found)

    @look_up
    def gradients_in(self) -> dict[StepId | None, list[Gradient]]:
        """The Gradients that were sent during each step, in order."""
        return grouped(self.trace.gradients, attrgetter("step"))

    @look_up
    def gradients_to(self) -> dict[NodeId | None, list[Gradient]]:
        """The Gradients that each Node received, in order."""
        return grouped(self.trace.gradients, attrgetter("to"))

    def broke_off(self, run: Step) -> bool:
        """Whether the run of a Node ended with an exception in Python code that it called."""
        after = bisect_right(self.trace.steps, end_of(run), key=attrgetter("began"))
        is_last = self.trace.steps[after - 1].kind == "exception" and self.node_steps[after - 1] == run.id
        # A Gradient without a `node` started a backward.
        sent = (each for each in self.gradients_in.get(run.id, []) if each.node == run.node)
        return is_last and next(sent, None) is None

    def was_added(self, run: Step) -> bool:
        """Whether the run of an AccumulateGrad changed the `grad` of its leaf.

        An AccumulateGrad adds nothing if its leaf no longer requires grad, or if a Function returned None as the gradient.
        """
        leaf, until = self.leaf_of(run.node), end_of(run)
        if leaf is None:
            return False
        grads = self.trace.tensors[leaf].grad
        begin, end = bisect_left(grads, run.began, key=itemgetter(0)), bisect_right(grads, until, key=itemgetter(0))
        grad = value_at(grads, until)
        if grad is None or begin < end:
            return any(given is not None for _, given in grads[begin:end])  # a hook of the leaf may have cleared it
        geometry = value_at(self.trace.tensors[grad].geometry, until)
        if geometry is None or geometry.storage is None:  # writes to a sparse gradient are not recorded
            return self.requires_grad(leaf, run.began)
        return next(events_after(self.writes_to.get(geometry.storage, []), run.began, until), None) is not None

    def leaf_of(self, node: NodeId | None) -> TensorId | None:
        """Return the leaf into which a Node accumulates; None for other Nodes."""
        return None if node is None else self.trace.nodes[node].variable
