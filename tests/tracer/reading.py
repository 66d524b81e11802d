"""Look up the state of a recorded run by source lines and variable names, as a visitor of the page would read it.

run = Reading(trace)
after = run.after("y.add_(1)")
after.version("y"), after.saved("ExpBackward0").state, after.values("x.grad")
"""

from dataclasses import dataclass
from functools import cached_property

from app.trace.chunks import Trace
from app.trace.ends import Finished, Raised
from app.trace.index import Index
from app.trace.records import Cells, Contents, Gradient, Node, Step, StepId, StorageId, TensorId, Unknown, Value, Write
from tests.trace.state import SavedTensorStatus, State, TensorState, at


@dataclass(frozen=True)
class Saved:
    """A saved tensor after a statement. `outdated` and `overwritten` are the texts of the lines that wrote to it."""

    slot: str
    tensor: str | None
    """A variable that refers to the saved tensor; None if there is none."""
    storage: StorageId | None
    version: int | None
    state: SavedTensorStatus
    outdated: str | None
    overwritten: str | None


class Reading(Index):
    """A trace in which tests identify a line by the beginning of its text."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self.ended = trace.ended

    def line(self, step: StepId | None) -> str:
        """Return the source line of a step; "" if the step belongs to no statement."""
        statement = self.statement_of(step)
        if statement is None or statement.span is None:
            return ""
        return self.trace.source.splitlines()[statement.span.line - 1].strip()

    def steps(self, text: str) -> list[Step]:
        """Return every execution of the statement on the line that begins with `text`."""
        found = [step for step in self.statements if self.line(step.id).startswith(text)]
        assert found, f"no line begins with {text!r}"
        return found

    def runs(self, text: str) -> list[tuple[Step, Step]]:
        """Return the first and the last statement of each execution of the line that begins with `text`.

        If a line contains a whole loop, all iterations are one execution.
        """
        found: list[tuple[Step, Step]] = []
        steps = self.steps(text)
        for step in steps:
            beside = [] if step.frame is None else self.statements_in[step.frame]
            before = beside[beside.index(step) - 1] if step in beside else None
            shares = len({each.span and each.span.column for each in steps if each.frame == step.frame}) > 1
            if found and shares and before == found[-1][1]:
                found[-1] = found[-1][0], step
            else:
                found.append((step, step))
        return found

    def after(self, text: str, turn: int = -1) -> "Moment":
        """Return the state after an execution of the line that begins with `text`. `turn` is the index of the execution; -1
        is the last.
        """
        return Moment(self, at(self.trace, self.runs(text)[turn][1].id))

    @property
    def end(self) -> "Moment":
        """Return the state after the last statement."""
        return Moment(self, at(self.trace, self.statements[-1].id))

    def writes(self, text: str, turn: int = -1) -> list[Write]:
        """Return the writes during one execution of a line."""
        first, last = self.runs(text)[turn]
        return [write for write in self.trace.writes if first.began <= write.tick and (last.ended or write.tick) >= write.tick]

    def ran(self, text: str, turn: int = -1) -> list[str]:
        """Return the names of the Nodes that backward executed in one execution of a line, in order."""
        first, last = self.runs(text)[turn]
        nodes = [s for s in self.trace.steps if s.node is not None and s.began >= first.began]
        return [short(self.trace.nodes[s.node]) for s in nodes if s.node is not None and s.began <= (last.ended or s.began)]

    def gradients(self, node: str) -> list[list[Value]]:
        """Return the gradients that Nodes with this name sent to other Nodes, in order."""
        return [cells(gradient.value) for gradient in self.trace.gradients if self.origin(gradient) == node]

    def origin(self, gradient: Gradient) -> str:
        """Return the name of the Node that sent a gradient; "" for a gradient that was passed to backward."""
        return "" if gradient.node is None else short(self.trace.nodes[gradient.node])

    @property
    def finished(self) -> bool:
        return isinstance(self.ended, Finished)

    def raised(self, kind: str, line: str, message: str) -> bool:
        """Whether the run ended with this type of exception, on a line and with a message that begin with these texts."""
        ended = self.ended
        if not isinstance(ended, Raised) or ended.line is None:
            return False
        text = self.trace.source.splitlines()[ended.line - 1].strip()
        return ended.type == kind and text.startswith(line) and ended.message.startswith(message)

    def warned(self, text: str) -> bool:
        return any(output.stream == "warning" and text in output.text for output in self.trace.outputs)


class Moment:
    """The state of variables after a statement. `x.grad` is also accepted as a name."""

    def __init__(self, reading: Reading, state: State) -> None:
        self.reading = reading
        self.state = state

    @cached_property
    def names(self) -> dict[str, TensorId]:
        return self.state.variables()

    def id(self, name: str) -> TensorId:
        if name.endswith(".grad") and name not in self.names:
            grad = self.state.tensor(self.id(name.removesuffix(".grad"))).grad
            assert grad is not None, f"{name} is None"
            return grad
        assert name in self.names, f"{name} is not among {sorted(self.names)}"
        return self.names[name]

    def tensor(self, name: str) -> TensorState:
        return self.state.tensor(self.id(name))

    def values(self, name: str) -> list[Value]:
        """Return the elements in row-major order."""
        elements = self.state.elements(self.id(name))
        assert not isinstance(elements, Unknown), elements.reason
        return elements

    def version(self, name: str) -> int | Unknown | None:
        return self.tensor(name).version

    def requires_grad(self, name: str) -> bool:
        return self.tensor(name).requires_grad

    def is_leaf(self, name: str) -> bool | Unknown | None:
        return self.tensor(name).is_leaf

    def has_grad(self, name: str) -> bool:
        return self.tensor(name).grad is not None

    def node(self, name: str) -> Node | None:
        """Return the Node of a tensor's `grad_fn`."""
        grad_fn = self.tensor(name).grad_fn
        assert not isinstance(grad_fn, Unknown), grad_fn.reason
        return None if grad_fn is None else self.state.trace.nodes[grad_fn.node]

    def grad_fn(self, name: str) -> str | None:
        """Return the name of a tensor's `grad_fn`."""
        node = self.node(name)
        return None if node is None else short(node)

    def backward_nodes(self, name: str) -> list[str]:
        """Return the names of all Nodes in a tensor's graph in breadth-first order. Leaves appear as `AccumulateGrad`."""
        root = self.node(name)
        found = [] if root is None else [root]
        for node in found:
            for edge in node.edges:
                if edge is not None and all(edge.node != other.id for other in found):
                    found.append(self.state.trace.nodes[edge.node])
        return [short(node) for node in found]

    def same_tensor(self, *names: str) -> bool:
        return len({self.id(name) for name in names}) == 1

    def same_storage(self, *names: str) -> bool:
        geometries = [self.tensor(name).geometry for name in names]
        assert None not in geometries
        return len({geometry.storage for geometry in geometries if geometry is not None}) == 1

    def same_bytes(self, one: str, other: str) -> bool | None:
        """Whether two tensors have the same Storage and share a byte of it; None if unknown."""
        return self.state.shares_bytes(self.id(one), self.id(other))

    def same_memory(self, one: str, other: str) -> bool:
        """Whether two Storages begin at the same address, for example after two calls of `from_numpy` with one array."""
        addresses = [self.state.trace.storages[self.storage(name)].address for name in (one, other)]
        return addresses[0] == addresses[1]

    def same_counter(self, *names: str) -> bool:
        counters = [self.tensor(name).version_counter for name in names]
        assert all(isinstance(counter, int) for counter in counters), counters
        return len(set(counters)) == 1

    def storage(self, name: str) -> StorageId:
        geometry = self.tensor(name).geometry
        assert geometry is not None and geometry.storage is not None
        return geometry.storage

    def nbytes(self, name: str) -> int | None:
        """Return the size of a tensor's Storage in bytes."""
        return self.state.storage(self.tensor(name).geometry.storage).nbytes  # type: ignore[union-attr, arg-type]

    def base(self, name: str) -> TensorId | None:
        return self.tensor(name).base

    def saves(self, node: str) -> list[Saved]:
        """Return all tensors that Nodes of this name have saved so far, in order."""
        found = []
        for saved in self.state.saved_tensors.values():
            if short(self.state.trace.nodes[saved.saved_tensor.node]) == node:
                record = saved.saved_tensor
                paths = [] if record.tensor is None else self.state.names_of.get(record.tensor, [])
                spoilt = [None if write is None else self._line(write) for write in (saved.outdated, saved.overwritten)]
                name = paths[0] if paths else None
                found.append(Saved(record.name, name, record.geometry.storage, record.version, saved.state, *spoilt))
        return found

    def saved(self, node: str, slot: str) -> Saved:
        """Return what the latest Node of this name saved as `slot`, for example `self`."""
        return [saved for saved in self.saves(node) if saved.slot == slot][-1]

    def _line(self, write: int) -> str:
        return self.reading.line(self.state.trace.writes[write].step)


def short(node: Node) -> str:
    """Return a Node's name without its C++ namespace."""
    return node.name.rpartition("::")[2]


def cells(contents: Contents) -> list[Value]:
    assert isinstance(contents, Cells), contents
    return contents.values
