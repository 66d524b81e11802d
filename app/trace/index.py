"""A trace, indexed: what findings, transcript and divergence look up in one, each look-up built once, when first asked for.

Every index is built in time linear in the trace (or its sorting); what holds at a moment is then found by bisection.
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
"""What the operators that set no bytes begin with."""

Line = int | str
"""A line of the trace's own source, from 1; of another file its path and the line: "layer.py:2"."""


def line_in(path: str, line: int) -> Line:
    """A line of another file than the trace's own source."""
    return f"{path}:{line}"


class Index(Naming):
    """The look-ups over one trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    # --- files ---

    @look_up
    def lines_by_file(self) -> dict[FileId | None, list[str]]:
        """The lines of the trace's own source (None) and of each file, as far as they are kept."""
        return {None: self.trace.source.split("\n"), **{file.id: file.text.split("\n") for file in self.trace.files}}

    def text_at(self, line: int, file: FileId | None) -> str:
        """A line of a file; empty where that is not kept."""
        lines = self.lines_by_file[file]
        return lines[line - 1] if 0 < line <= len(lines) else ""

    # --- steps --------------------------------------------------------------------------------------------------------

    @look_up
    def statements(self) -> list[Step]:
        """The statements in the order in which they ended, a statement cut by the run's end last: where a viewer stops.

        A function's statements come before the statement that called it, because the state "after" it is later.
        """
        return sorted((step for step in self.trace.steps if step.kind == "statement"), key=end_of)

    @look_up
    def children(self) -> dict[StepId | None, list[Step]]:
        """The steps directly within each step, in order; under None the outermost ones."""
        return grouped(self.trace.steps, attrgetter("parent"))

    @look_up
    def statement_ids(self) -> list[StepId | None]:
        """The innermost statement around each step; itself, if it is one."""
        return self._inherited(lambda step: step.id if step.kind == "statement" else None)

    def _inherited(self, value_of: Callable[[Step], T | None]) -> list[T | None]:
        """What each step has of its own, or else the nearest step around it has."""
        found: list[T | None] = []
        for step in self.trace.steps:  # a parent comes before its children
            value = value_of(step)
            found.append(found[step.parent] if value is None and step.parent is not None else value)
        return found

    def statement_of(self, step: StepId | None) -> Step | None:
        """The innermost statement of a step (the step itself, if it is one), whose line is shown."""
        statement = None if step is None else self.statement_ids[step]
        return None if statement is None else self.trace.steps[statement]

    @look_up
    def node_steps(self) -> list[StepId | None]:
        """The step of the innermost Node that each step belongs to; itself, if it is one."""
        return self._inherited(lambda step: step.id if step.kind == "node" else None)

    @look_up
    def _jumps(self) -> list[StepId]:
        """By step, one of the steps around it, so that a few jumps lead to any (skew-binary); the step itself, if none is."""
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
        """The innermost step under way at a tick."""
        steps, jumps = self.trace.steps, self._jumps
        index = bisect_right(steps, tick, key=attrgetter("began"))
        step = steps[index - 1] if index else None
        while step is not None and end_of(step) < tick:  # enclosing steps end no earlier
            far = steps[jumps[step.id]]
            step = far if end_of(far) < tick and far is not step else None if step.parent is None else steps[step.parent]
        return step

    def statement_at_tick(self, tick: Tick) -> Step | None:
        """The innermost statement under way at a tick."""
        step = self.step_at(tick)
        return None if step is None else self.statement_of(step.id)

    @look_up
    def _spans(self) -> list[Span | None]:
        return self._inherited(attrgetter("span"))

    def span_of(self, step: StepId | None) -> Span | None:
        """Where a step stands in the snippet: its own span or that of the nearest step around it; a Node has none."""
        return None if step is None else self._spans[step]

    @look_up
    def _placed(self) -> dict[StepId, Place]:
        """The operators that wrote from a line that is in no step's piece."""
        return {write.step: write.place for write in self.trace.writes if write.step is not None and write.place is not None}

    def place_of(self, step: StepId | None) -> Place | None:
        """The line a step stands on; of an operator that wrote, the innermost line that ran it, also where that is not followed."""
        placed = None if step is None else self._placed.get(step)
        span = self.span_of(step)
        return placed if placed is not None or span is None else Place(line=span.line, file=span.file)

    def line_of(self, step: StepId | None) -> Line | None:
        """The line a step stands on, as a sentence takes it."""
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
        """The runs of the statement at each place, in order."""
        statements = (step for step in self.trace.steps if step.kind == "statement" and step.span is not None)
        return grouped(statements, attrgetter("span"))

    @look_up
    def goes_on_with(self) -> dict[StepId, Step]:
        """By statement, one that began in the modes that it left on: the next of its call; for a `with` that is left at the end of
        its call, where it was entered.
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
                found[step.id] = entered  # until another statement of the call follows
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
        """The operators that a statement ran, in order."""
        return [] if statement is None else self._operators.get(statement.id, [])

    @look_up
    def exceptions(self) -> dict[tuple[str | None, str | None], list[Step]]:
        """The exceptions of each type and text, in order."""
        return grouped((step for step in self.trace.steps if step.kind == "exception"), attrgetter("name", "message"))

    @look_up
    def callers(self) -> dict[FrameId, StepId]:
        """The step of kind "call" that each frame ran in."""
        calls = {step.began: step.id for step in self.trace.steps if step.kind == "call"}
        return {frame.id: calls[frame.began] for frame in self.trace.frames if frame.began in calls}

    # --- names and variables ------------------------------------------------------------------------------------------

    @look_up
    def _paths(self) -> dict[tuple[FrameId, str], Name]:
        return {(name.frame, name.path): name for name in self.trace.names}

    def name_in(self, frame: FrameId, path: str) -> Name | None:
        """The record of a path in a frame."""
        return self._paths.get((frame, path))

    def told(self, path: str, frame: FrameId | None) -> str:
        """A path as a statement of a frame writes it, with the function of its variable."""
        return path if frame is None or self.name_in(frame, path) is None else self.in_frame(path, frame)

    def quoted(self, text: str, frame: FrameId | None) -> str:
        """A piece of the snippet that a frame ran; with its function, where another has a variable of the name it begins with."""
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
        """The names of a frame that go through a variable, such as `model.fc.weight` through `model`."""
        return [] if frame is None else self._rooted.get((frame, variable), [])

    def frames_at(self, tick: Tick) -> Iterator[FrameId]:
        """The calls under way at a moment, the innermost first, the module last."""
        step = self.step_at(tick)
        while step is not None and step.frame is None:
            step = None if step.parent is None else self.trace.steps[step.parent]
        frame = None if step is None else step.frame
        while frame is not None and frame != MODULE:
            yield frame
            frame = self.trace.frames[frame].parent
        yield MODULE

    def paths_of(self, tensor: TensorId, tick: Tick, frame: FrameId | None = None) -> list[str]:
        """The paths that led to a Tensor at a moment, the plainest first; or only those of one frame."""
        names = [name for name in self.plainest_of.get(tensor, []) if value_at(name.tensor, tick) == tensor]
        return [name.path for name in names if frame in (None, name.frame)]

    def named(self, path: str, frame: FrameId | None, tick: Tick) -> TensorId | None:
        """The Tensor that a path reached in a frame; in the module, where the frame never had such a variable."""
        match = VARIABLE.match(path)
        scope = MODULE if frame is None or match is None or not self._has(frame, match[0]) else frame
        name = self._paths.get((scope, path))
        return None if name is None else self.tensor_at(name, tick)

    def _has(self, frame: FrameId, variable: str) -> bool:
        """Whether a frame ever had a variable of this name."""
        is_known = (frame, variable) in self._paths or (frame, variable) in self._variables
        return is_known or (frame, variable) in self._rooted

    def tensor_at(self, name: Name, tick: Tick) -> TensorId | None:
        """What a name reached; an argument of a function is recorded only when the function's first statement has ended."""
        if name.frame != MODULE and name.tensor and tick < name.tensor[0][0]:
            given = name.tensor[0][1]
            return given if given is not None and self._came(given, self.trace.frames[name.frame].began) else None
        return value_at(name.tensor, tick)

    def _came(self, tensor: TensorId, began: Tick) -> bool:
        """Whether a Tensor was there when a call began; one that no operator is known to have made was first seen later."""
        record = self.trace.tensors[tensor]
        maker = None if record.made_by is None else self.trace.steps[record.made_by]
        return record.born <= began or (maker is not None and maker.kind == "statement")

    @look_up
    def _variables(self) -> dict[tuple[FrameId, str], Variable]:
        return {(variable.frame, variable.name): variable for variable in self.trace.variables}

    @look_up
    def array_variables(self) -> list[Variable]:
        """The variables that ever held a NumPy array."""
        return [each for each in self.trace.variables if any(held and held.kind == "array" for _, held in each.value)]

    def held(self, variable: str, step: Step) -> Held | None:
        """What a variable held that is no Tensor when a step began."""
        for scope in (step.frame, MODULE):
            found = None if scope is None else self._variables.get((scope, variable))
            held = None if found is None else value_at(found.value, step.began)
            if held is not None:
                return held
        return None

    # --- tensors and memory -------------------------------------------------------------------------------------------

    @look_up
    def made_in(self) -> dict[StepId, list[Tensor]]:
        """The Tensors first seen during each step, in order."""
        return grouped((tensor for tensor in self.trace.tensors if tensor.made_by is not None), attrgetter("made_by"))

    def was_there(self, record: Tensor | Node) -> bool:
        """Whether it was first seen outside of every step: before the first statement of what a running program is recorded of."""
        return record.made_by is None and self.step_at(record.born) is None

    @look_up
    def _joins(self) -> bool:
        """Whether a running program is recorded: it is looked at once, which takes a tick, before its first statement."""
        steps, frames = self.trace.steps, self.trace.frames
        return bool(steps and frames) and steps[0].began > frames[0].began + 1

    def is_older(self, tensor: Tensor) -> bool:
        """Whether a Tensor may be older than the recording of a running program: it was first seen as the leaf of a graph, or as
        what an operator was about to write.
        """
        if not self._joins:
            return False
        maker = None if tensor.made_by is None else self.trace.steps[tensor.made_by]
        return maker is None or (maker.kind == "operator" and tensor.born == maker.began)

    def is_uninitialised(self, tensor: Tensor) -> bool:
        """Whether an operator made a Tensor without setting its bytes: `torch.empty` and its like."""
        maker = None if tensor.made_by is None else self.trace.steps[tensor.made_by]
        return maker is not None and maker.kind == "operator" and (maker.name or "").startswith(UNINITIALISED)

    @look_up
    def _bases(self) -> list[TensorId]:
        return [next((base for _, base in tensor.base if base is not None), tensor.id) for tensor in self.trace.tensors]

    def base_of(self, tensor: TensorId) -> TensorId:
        """The Tensor that this is a view of; itself when it is none."""
        return self._bases[tensor]

    @look_up
    def tensors_on(self) -> dict[StorageId | None, list[TensorId]]:
        """The Tensors that ever looked at each Storage, in order."""
        found: dict[StorageId | None, dict[TensorId, None]] = defaultdict(dict)
        for tensor in self.trace.tensors:
            for _, geometry in tensor.geometry:
                found[geometry.storage][tensor.id] = None
        return {storage: list(tensors) for storage, tensors in found.items()}

    @look_up
    def labelled_on(self) -> dict[StorageId | None, list[TensorId]]:
        """Of `tensors_on`, the Tensors that ever had a name or were a `grad`. A loop may view one storage thousands of times."""
        labelled = self.plainest_of.keys() | self.owners.keys()
        return {storage: [tensor for tensor in tensors if tensor in labelled] for storage, tensors in self.tensors_on.items()}

    @look_up
    def owners(self) -> dict[TensorId, list[tuple[Tick, TensorId]]]:
        """By Tensor: the owner of which it is the `grad`, and since when."""
        found: dict[TensorId, list[tuple[Tick, TensorId]]] = defaultdict(list)
        for tensor in self.trace.tensors:
            for since, grad in tensor.grad:
                if grad is not None:
                    found[grad].append((since, tensor.id))
        return dict(found)

    def requires_grad(self, tensor: TensorId, tick: Tick) -> bool:
        """Whether a Tensor required grad at a moment."""
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
        """What each Node saved, in order."""
        return grouped(self.trace.saved_tensors, attrgetter("node"))

    @look_up
    def results(self) -> dict[NodeId, list[TensorId]]:
        """The Tensors that each Node was the grad_fn of."""
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
        """The steps in which backward ran a Node, in order."""
        return self._runs_of_node.get(node, [])

    def run_of_node(self, node: NodeId, since: Tick) -> Step | None:
        """The step in which backward first ran a Node from `since` on."""
        runs = self.runs_of(node)
        index = bisect_left(runs, since, key=attrgetter("began"))
        return runs[index] if index < len(runs) else None

    def last_run(self, node: NodeId, until: Tick) -> Step | None:
        """The step in which backward last ran a Node that began by `until`."""
        runs = self.runs_of(node)
        index = bisect_right(runs, until, key=attrgetter("began"))
        return runs[index - 1] if index else None

    @look_up
    def nodes_run(self) -> dict[StepId, list[NodeId]]:
        """By statement, the Nodes that backward ran in it, in order."""
        found: dict[StepId, list[NodeId]] = defaultdict(list)
        for step in self.trace.steps:
            statement = None if step.node is None else self.statement_of(step.id)
            if statement is not None and step.node is not None:
                found[statement.id].append(step.node)
        return dict(found)

    @look_up
    def gradients_in(self) -> dict[StepId | None, list[Gradient]]:
        """The Gradients that travelled during each step, in order."""
        return grouped(self.trace.gradients, attrgetter("step"))

    @look_up
    def gradients_to(self) -> dict[NodeId | None, list[Gradient]]:
        """The Gradients that travelled to each Node, in order."""
        return grouped(self.trace.gradients, attrgetter("to"))

    def broke_off(self, run: Step) -> bool:
        """Whether the run of a Node ended with an exception in Python code that it called."""
        after = bisect_right(self.trace.steps, end_of(run), key=attrgetter("began"))
        is_last = self.trace.steps[after - 1].kind == "exception" and self.node_steps[after - 1] == run.id
        sent = (each for each in self.gradients_in.get(run.id, []) if each.node == run.node)  # the others, backward was given
        return is_last and next(sent, None) is None

    def was_added(self, run: Step) -> bool:
        """Whether the run of an AccumulateGrad changed the `grad` of its leaf.

        It adds nothing to a leaf that no longer requires grad, or if a Function returned None as gradient.
        """
        leaf, until = self.leaf_of(run.node), end_of(run)
        if leaf is None:
            return False
        grads = self.trace.tensors[leaf].grad
        begin, end = bisect_left(grads, run.began, key=itemgetter(0)), bisect_right(grads, until, key=itemgetter(0))
        grad = value_at(grads, until)
        if grad is None or begin < end:
            return any(given is not None for _, given in grads[begin:end])  # a hook of the leaf may have taken it
        geometry = value_at(self.trace.tensors[grad].geometry, until)
        if geometry is None or geometry.storage is None:  # sparse: no write to it is seen
            return self.requires_grad(leaf, run.began)
        return next(events_after(self.writes_to.get(geometry.storage, []), run.began, until), None) is not None

    def leaf_of(self, node: NodeId | None) -> TensorId | None:
        """The leaf that a Node accumulates into."""
        return None if node is None else self.trace.nodes[node].variable
