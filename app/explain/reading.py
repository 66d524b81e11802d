"""What explanations read from a trace: which line a step stands on, what a tensor is called, how the run ended."""

from collections import defaultdict
from functools import cached_property

from app.trace.chunks import Trace
from app.trace.ends import OutOfMemory, Raised
from app.trace.query import statement_of
from app.trace.records import Geometry, NameId, NodeId, SavedTensor, Span, Step, StepId, TensorId, Tick, Write


def raised(trace: Trace, *types: str) -> Raised | None:
    """How the run raised, when its exception is of one of these built-in types."""
    ended = trace.ended.raised if isinstance(trace.ended, OutOfMemory) else trace.ended
    if isinstance(ended, Raised) and ended.type.removeprefix("builtins.") in types:
        return ended
    return None


def span_of(trace: Trace, step_id: StepId | None) -> Span | None:
    """Where a step stands in the snippet: its own span or that of the nearest step around it. A Node has none of its own."""
    while step_id is not None:
        step = trace.steps[step_id]
        if step.span is not None:
            return step.span
        step_id = step.parent
    return None


def line_of(trace: Trace, step_id: StepId | None) -> int | None:
    """The line a step stands on, from 1."""
    span = span_of(trace, step_id)
    return None if span is None else span.line


def shown_from(trace: Trace, *step_ids: StepId | None) -> list[StepId]:
    """The statements that these steps belong to, the step itself where none is around it; unknown ones left out."""
    shown: list[StepId] = []
    for step_id in step_ids:
        if step_id is not None:
            statement = statement_of(trace, step_id)
            shown.append(step_id if statement is None else statement.id)
    return shown


class Reading:
    """Indexes over one trace, each built once, when first asked for, in time linear in the trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def _names(self) -> dict[TensorId, list[tuple[Tick, NameId]]]:
        found: dict[TensorId, list[tuple[Tick, NameId]]] = defaultdict(list)
        for name in self.trace.names:
            for tick, tensor in name.tensor:
                if tensor is not None:
                    found[tensor].append((tick, name.id))
        return found

    @cached_property
    def _sharers(self) -> dict[tuple[int, int], list[TensorId]]:
        """The Tensors that ever looked at a Storage with a version counter."""
        found: dict[tuple[int, int], dict[TensorId, None]] = defaultdict(dict)
        for tensor in self.trace.tensors:
            storages = {geometry.storage for _, geometry in tensor.geometry if geometry.storage is not None}
            counters = {counter for _, counter in tensor.version_counter if isinstance(counter, int)}
            if len(storages) * len(counters) == 1:  # moved to other bytes (`.data =`): which goes with which is not told here
                found[storages.pop(), counters.pop()][tensor.id] = None
        return {key: list(tensors) for key, tensors in found.items()}

    @cached_property
    def runs_of_node(self) -> dict[NodeId, list[Step]]:
        """The steps in which backward ran each Node, in order."""
        found: dict[NodeId, list[Step]] = defaultdict(list)
        for step in self.trace.steps:
            if step.node is not None:
                found[step.node].append(step)
        return found

    def name_of(self, tensor: TensorId | None) -> str:
        """What a snippet calls a Tensor: the name it was given first, the shortest of those given at once; "" for none."""
        given = self._names.get(tensor, []) if tensor is not None else []
        if not given:
            return ""
        paths = ((tick, len(self.trace.names[name].path), self.trace.names[name].path) for tick, name in given)
        return min(paths)[2]

    def name_of_saved(self, saved: SavedTensor) -> tuple[str, str]:
        """What a SavedTensor is called, and how well: "itself", "view" (of what bears the name) or "unnamed"."""
        name = self.name_of(saved.tensor)
        if name:
            return name, "itself"
        if saved.geometry.storage is None or saved.version_counter is None:
            return "", "unnamed"
        sharers = self._sharers.get((saved.geometry.storage, saved.version_counter), [])
        for tensor in sharers:
            if self._looks_like(tensor, saved.geometry) and self.name_of(tensor):
                return self.name_of(tensor), "itself"
        return next(((self.name_of(tensor), "view") for tensor in sharers if self.name_of(tensor)), ("", "unnamed"))

    def name_written_through(self, write: Write) -> str:
        """What the Tensor is called through which a write went, or the Tensor that it was a view of."""
        if write.tensor is None:
            return ""
        return self.name_of(write.tensor) or self.name_of(self.base_of(write.tensor))

    def base_of(self, tensor: TensorId) -> TensorId:
        """The Tensor that this is a view of; itself when it is none."""
        facts = self.trace.tensors[tensor].base
        return next((base for _, base in facts if base is not None), tensor)

    def _looks_like(self, tensor: TensorId, geometry: Geometry) -> bool:
        return any(
            (known.shape, known.stride, known.storage_offset, known.dtype)
            == (geometry.shape, geometry.stride, geometry.storage_offset, geometry.dtype)
            for _, known in self.trace.tensors[tensor].geometry
        )
