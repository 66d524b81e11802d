"""What explanations read from a trace: which line a step stands on, what a tensor is called, how the run ended."""

from bisect import bisect_left
from collections import defaultdict
from functools import cached_property

from app.trace.chunks import Trace
from app.trace.ends import OutOfMemory, Raised
from app.trace.records import Geometry, GradFn, NodeId, SavedTensor, Span, Step, StepId, StorageId, TensorId, Tick, Write

_Look = tuple[tuple[int, ...], tuple[int, ...] | None, int | None, str]


def raised(trace: Trace, *types: str) -> Raised | None:
    """How the run raised, when its exception is of one of these built-in types."""
    ended = trace.ended.raised if isinstance(trace.ended, OutOfMemory) else trace.ended
    if isinstance(ended, Raised) and ended.type.removeprefix("builtins.") in types:
        return ended
    return None


class Reading:
    """Indexes over one trace, each built once, when first asked for, in time linear in the trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def _statements(self) -> list[StepId | None]:
        """The innermost statement around each step; itself, if it is one."""
        found: list[StepId | None] = []
        for step in self.trace.steps:  # a parent comes before what is in it
            inherited = None if step.parent is None else found[step.parent]
            found.append(step.id if step.kind == "statement" else inherited)
        return found

    @cached_property
    def _spans(self) -> list[Span | None]:
        found: list[Span | None] = []
        for step in self.trace.steps:
            inherited = None if step.parent is None else found[step.parent]
            found.append(inherited if step.span is None else step.span)
        return found

    def statement_of(self, step: StepId | None) -> Step | None:
        """The innermost statement that a step belongs to."""
        statement = None if step is None else self._statements[step]
        return None if statement is None else self.trace.steps[statement]

    def span_of(self, step: StepId | None) -> Span | None:
        """Where a step stands in the snippet: its own span or that of the nearest step around it; a Node has none."""
        return None if step is None else self._spans[step]

    def line_of(self, step: StepId | None) -> int | None:
        """The line a step stands on, from 1."""
        span = self.span_of(step)
        return None if span is None else span.line

    def shown_from(self, *steps: StepId | None) -> list[StepId]:
        """The statements that these steps belong to, the step itself where none is around it; unknown ones left out."""
        shown: list[StepId] = []
        for step in steps:
            if step is not None:
                statement = self._statements[step]
                shown.append(step if statement is None else statement)
        return shown

    @cached_property
    def _names(self) -> dict[TensorId, str]:
        """What each Tensor is called that was ever given a name."""
        first: dict[TensorId, tuple[Tick, int, str]] = {}
        for name in self.trace.names:
            for tick, tensor in name.tensor:
                if tensor is not None:
                    given = (tick, len(name.path), name.path)
                    first[tensor] = min(first.get(tensor, given), given)
        return {tensor: path for tensor, (_, _, path) in first.items()}

    @cached_property
    def _bases(self) -> list[TensorId]:
        """The Tensor that each is a view of; itself when it is none."""
        return [next((base for _, base in tensor.base if base is not None), tensor.id) for tensor in self.trace.tensors]

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

    @cached_property
    def _runs_of_node(self) -> dict[NodeId, list[Step]]:
        """The steps in which backward ran each Node, in order."""
        found: dict[NodeId, list[Step]] = defaultdict(list)
        for step in self.trace.steps:
            if step.node is not None:
                found[step.node].append(step)
        return found

    def run_of_node(self, node: NodeId, since: Tick) -> Step | None:
        """The step in which backward first ran a Node from `since` on."""
        runs = self._runs_of_node.get(node, [])
        index = bisect_left(runs, since, key=lambda step: step.began)
        return runs[index] if index < len(runs) else None

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
        ended = self.trace.ended.raised if isinstance(self.trace.ended, OutOfMemory) else self.trace.ended
        if not isinstance(ended, Raised):
            return None
        for step in reversed(self.trace.steps):
            is_it = step.kind == "exception" and self.line_of(step.id) == ended.line
            if is_it and (step.name or "").split(".")[-1] == ended.type.split(".")[-1]:
                return step
        return None

    def is_caught(self, step: Step) -> bool:
        """Whether the program went on after an exception, given by its step or another of the statement that raised it."""
        statement = self.statement_of(step.id)
        fatal = None if self.fatal is None else self.statement_of(self.fatal.id)
        return statement is None or fatal is None or statement.id != fatal.id

    def runs_of(self, node: NodeId) -> list[Step]:
        """The steps in which backward ran a Node, in order."""
        return self._runs_of_node.get(node, [])

    @cached_property
    def nodes_run(self) -> dict[StepId, list[NodeId]]:
        """By statement, the Nodes that backward ran in it, in order."""
        found: dict[StepId, list[NodeId]] = defaultdict(list)
        for step in self.trace.steps:
            statement = None if step.node is None else self.statement_of(step.id)
            if statement is not None and step.node is not None:
                found[statement.id].append(step.node)
        return dict(found)

    @cached_property
    def writes_to(self) -> dict[StorageId | None, list[Write]]:
        """The Writes to each Storage, in order."""
        found: dict[StorageId | None, list[Write]] = defaultdict(list)
        for write in self.trace.writes:
            found[write.storage].append(write)
        return dict(found)

    @cached_property
    def writes_in(self) -> dict[StepId | None, list[Write]]:
        """The Writes of each statement, in order."""
        found: dict[StepId | None, list[Write]] = defaultdict(list)
        for write in self.trace.writes:
            statement = self.statement_of(write.step)
            found[None if statement is None else statement.id].append(write)
        return found

    @cached_property
    def results(self) -> dict[NodeId, list[TensorId]]:
        """The Tensors that each Node was the grad_fn of."""
        found: dict[NodeId, list[TensorId]] = defaultdict(list)
        for tensor in self.trace.tensors:
            for _, grad_fn in tensor.grad_fn:
                if isinstance(grad_fn, GradFn):
                    found[grad_fn.node].append(tensor.id)
        return dict(found)

    def name_of(self, tensor: TensorId | None) -> str:
        """What a snippet calls a Tensor: the name it was given first, the shortest of those given at once; "" for none."""
        return "" if tensor is None else self._names.get(tensor, "")

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

    def base_of(self, tensor: TensorId) -> TensorId:
        """The Tensor that this is a view of; itself when it is none."""
        return self._bases[tensor]


def _look(geometry: Geometry) -> _Look:
    """Which elements a Tensor sees of its Storage."""
    stride = None if geometry.stride is None else tuple(geometry.stride)
    return tuple(geometry.shape), stride, geometry.storage_offset, geometry.dtype
