"""Collects all observations: opens and closes steps, and reads everything that each step may have changed."""

import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from msgspec.structs import force_setattr

from app.trace.ends import Ended, Stopped, TraceTooLarge
from app.trace.records import Limits, Place, Span, Step, Substituted
from app.tracer import adapter
from app.tracer.autograd import modes
from app.tracer.autograd.graph import GraphWatch
from app.tracer.autograd.modules import ModuleWatch
from app.tracer.autograd.tangents import TangentWatch
from app.tracer.tensors.memory import MemoryWatch
from app.tracer.tensors.seen import SeenStorage, SeenTensor
from app.tracer.tensors.writes import PendingWrite, Writes
from app.tracer.threads import ThreadWatch
from app.tracer.trace_writer import Tables

STEPS_PER_LOOK = 32
"""Once per this many steps, the observer checks whether the next chunk is full. It does not wait for the end of the statement,
because a long backward is a single statement."""


_DisableTorchFunction = torch._C.DisableTorchFunction
_WITHIN_A_SAVE = frozenset({"aten::detach", "aten::empty"})
"""Operators that torch runs to save the output of an operator; `empty` if the output is sparse."""


class LimitReached(Exception):
    """A limit of the recording is reached; `ended` names the limit. The exception is never raised into the snippet, which could
    catch it."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(type(ended).__name__)
        self.ended = ended


class _AtRest:
    """A context in which neither the journal nor a tensor subclass of the snippet sees the recorder's own calls on tensors."""

    __slots__ = ("_no_functions", "_shown")

    def __enter__(self) -> None:
        self._shown = adapter.show_operators(False)
        self._no_functions = _DisableTorchFunction()
        self._no_functions.__enter__()

    def __exit__(self, *failure: Any) -> None:
        self._no_functions.__exit__(*failure)
        adapter.show_operators(self._shown)


class Observer:
    """Keeps the stack of open steps, and records the facts that each event may have changed. The observer refers to a tensor
    only during the event that passed the tensor."""

    def __init__(self, tables: Tables, limits: Limits) -> None:
        self.tables = tables
        self.limits = limits
        self.threads = ThreadWatch()
        self.memory = MemoryWatch(tables, limits, self.threads)
        self.modules = ModuleWatch(tables)
        self.tangents = TangentWatch(tables, self.memory)
        self.graph = GraphWatch(tables, self.memory, self.modules)
        self.open_steps: list[int] = []
        self.writes = Writes(tables, self.memory, self.graph.saves, self.open_steps)
        self.statements = 0
        self._operator: int | None = None
        self._detaches = False
        self._pending: list[PendingWrite] = []
        self._outputs: list[weakref.ref[torch.Tensor]] = []
        self._fresh: list[weakref.ref[torch.Tensor]] = []
        """Outputs of operators that were read at the last event. That event may have happened before the operator set all facts
        of its output."""
        self._frames: list[int] = []
        self._surrounding: dict[int | None, dict[str, Any]] = {}
        """The active modes of each open step. An operator has the modes of the step in which it runs."""
        self._shared: set[int] = set()
        """Steps during which other threads ran."""
        self.released_elsewhere: deque[int] = deque()
        """Nodes with saved tensors that a backward on another thread released."""
        self.accumulating: tuple[int, SeenTensor] | None = None
        """The step of the running AccumulateGrad, and its leaf."""
        self.backwards_running = 0
        """The number of calls of backward that are running. It is above 1 when a Node runs a nested backward."""

    # --- steps ------------------------------------------------------------------------------------------------------

    @property
    def step(self) -> int | None:
        """The innermost open step."""
        return self.open_steps[-1] if self.open_steps else None

    @property
    def frame(self) -> int | None:
        """The running frame of the snippet."""
        return self._frames[-1] if self._frames else None

    def enter_frame(self, frame: int) -> None:
        self._frames.append(frame)

    def leave_frame(self) -> None:
        self._frames.pop()

    def begin(
        self, kind: str, span: Span | None, name: str | None = None, node: int | None = None, message: str | None = None
    ) -> int:
        """Open a step inside the innermost open step. Raises LimitReached at the limit of steps."""
        step, surrounding = self._next_step(kind), modes.surrounding()
        record = Step(
            id=step,  # type: ignore[arg-type]
            kind=kind,  # type: ignore[arg-type]
            began=self.tables.advance(),
            parent=self.open_steps[-1] if self.open_steps else None,  # type: ignore[arg-type]
            frame=None if kind == "node" or not self._frames else self._frames[-1],  # type: ignore[arg-type]
            span=span,
            name=name,
            node=node,  # type: ignore[arg-type]
            message=message,
            grad_enabled=modes.is_grad_enabled(),
        )
        if surrounding:
            self._surrounding[step] = surrounding
        for field, value in (surrounding | modes.of_operator()).items():
            force_setattr(record, field, value)
        self.tables.steps.append(record)
        self.open_steps.append(step)
        return step

    def _next_step(self, kind: str) -> int:
        """Return the id of the next step, after recording the effects of the previous step."""
        if self._operator is not None or self._fresh:
            with _DisableTorchFunction():
                self._settle()
        tables, limits = self.tables, self.limits
        step = tables.steps.count
        if kind == "statement":
            self.statements += 1
            if self.statements > limits.statements:
                raise LimitReached(Stopped(limit="statements", reached=limits.statements))
        if step >= limits.steps:
            raise LimitReached(Stopped(limit="steps", reached=limits.steps))
        if tables.bytes_emitted > limits.trace_bytes:
            raise LimitReached(TraceTooLarge(limit_bytes=limits.trace_bytes))
        if step % STEPS_PER_LOOK == 0 and tables.is_full:
            tables.flush()
        return step

    def end(self, step: int, tensors: list[torch.Tensor] | None = None) -> None:
        """Read these tensors, then close a step and the steps inside it that an exception left open."""
        self.settle()
        tick = self.tables.advance()
        self.look(tensors or [])
        if self.memory.storages.lent:
            self._look_at_lent(step)
        self._flush_deaths()
        while self.open_steps:
            innermost = self.open_steps.pop()
            self.tables.steps.mark(innermost, "ended", tick)
            if innermost == step:
                break

    # --- looking ----------------------------------------------------------------------------------------------------

    def look(self, tensors: list[torch.Tensor]) -> None:
        """Record changes of these tensors, their bases and gradients, their storages and their Nodes.

        This method empties `tensors`.
        """
        watch = self.memory.storages
        if not tensors:
            watch.summarise_written()
            return
        storages: dict[int, SeenStorage] = {}
        tensors.reverse()
        with _AtRest():
            self._look_through(tensors, storages)
            self.tangents.end()
        for storage in storages.values():
            if storage.is_compared:
                changed = watch.look_at_contents(storage, written=False)
                if changed is not None and changed[0] < changed[1]:
                    self.writes.unseen(storage, changed, None)
            elif watch.was_shared_and_written(storage):
                self.writes.unseen(storage, (0, storage.nbytes), None, is_certain=True)
        if watch.exposed:
            self.graph.saves.note_exposed()
        watch.summarise_written()

    def _look_through(self, waiting: list[torch.Tensor], storages: dict[int, SeenStorage]) -> None:
        """Read these tensors, from the last to the first, with their bases, gradients and tangents, and add their storages to
        `storages`."""
        memory, looked = self.memory, set[int]()
        tensors, is_unchanged = memory.tensors, memory.is_unchanged
        has_tangents = self.tangents.may_have_changed()
        while waiting:
            tensor = waiting.pop()
            key = id(tensor)
            if key in looked:
                continue
            looked.add(key)
            seen = tensors.get(key)
            if seen is None or seen.ref() is not tensor or not is_unchanged(tensor, seen):
                seen = self._look_at(tensor)
            storage = seen.storage
            if storage is not None:
                storages[storage.serial] = storage
            if seen.base is not None and tensor._base is not None:
                waiting.append(tensor._base)
            if seen.grad is not None and tensor.grad is not None:
                waiting.append(tensor.grad)
            if has_tangents and (tangent := self.tangents.look_at(seen, tensor)) is not None:
                waiting.append(tangent)

    def _look_at(self, tensor: torch.Tensor) -> SeenTensor:
        seen = self.observe(tensor, self.step)
        self.writes.settle_announced()
        self.writes.settle_moved()
        return seen

    def look_at_leaf(self, leaf: SeenTensor) -> None:
        """Read a leaf with an AccumulateGrad that ran and created or changed its `.grad`."""
        tensor = leaf.ref()
        if tensor is not None:
            self.look([tensor])

    def look_before_hook(self) -> None:
        """If a function that is about to run is a hook of a leaf, record the leaf's `.grad` before the hook changes it."""
        if self.accumulating is None:
            return
        self.settle()
        step, leaf = self.accumulating
        if step == self.step:
            self.tables.advance()
            self.look_at_leaf(leaf)

    def look_at_gradients(self, gradients: Iterable[torch.Tensor | None]) -> None:
        """Observe the outputs of a Node that ran under `create_graph`, because they have a graph."""
        with _AtRest():
            for tensor in gradients:
                if tensor is not None and tensor.requires_grad:
                    self.observe(tensor, self.step)

    def lend(self, tensor: torch.Tensor, *, is_marked: bool) -> None:
        """Called before a tensor's memory is exposed, while its saved tensors are still unchanged (`StorageWatch.lend`).

        The storages of a Node's intermediate values are not read (see `begin_operator`).
        """
        if self.threads.is_another():
            return
        with _AtRest():
            self.settle()
            if not self.backwards_running or self.memory.known(tensor) is not None or self.memory.storages.lies_over(tensor):
                self.memory.storages.lend(tensor, self.step, is_marked=is_marked)
                self.graph.saves.note_exposed()

    def _look_at_lent(self, step: int) -> None:
        """At the end of a step, compare the storages that were exposed during the step. Such a storage is compared here because
        possibly no variable leads to it."""
        watch = self.memory.storages
        for storage in watch.returned(step):
            changed = watch.look_at_contents(storage, written=False)
            if changed is None or changed[0] < changed[1]:
                self.writes.unseen(storage, changed or (0, storage.nbytes), is_certain=True)

    def look_before_use(self, node: int) -> None:
        """Compare the saved tensors of a Node that is about to run, because code may have written them without an operator, or
        restored them."""
        for storage in self.graph.saves.before_use(node):
            changed = self.memory.storages.look_at_contents(storage, written=False)
            if changed is None or changed[0] < changed[1]:
                self.writes.unseen(storage, changed or (0, storage.nbytes), is_late=True)

    @contextmanager
    def unreferenced(self, tensors: tuple[Any, ...]) -> Iterator[None]:
        """A context in which these tensors have no weak references of the recorder."""
        self.settle()
        self.settle()  # twice, because the first call creates weak references to outputs
        released = [(item, seen) for item in tensors if (seen := self.memory.release_weakrefs(item)) is not None]
        try:
            yield
        finally:
            for tensor, seen in released:
                self.memory.restore_weakrefs(tensor, seen)

    def observe(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        """Record a tensor if it is new, and otherwise its changes; and its Node."""
        memory = self.memory
        seen = memory.observe(tensor, made_by, with_node=True)
        # A tensor that requires no gradient has no Node. Whether a view with a written base requires a gradient is known only
        # after reading grad_fn.
        if seen.grad_fn is not None or seen.requires_grad or seen.base is not None:
            self.graph.attach(tensor, seen, made_by)
        memory.remember(tensor, seen)
        return seen

    def look_around(self) -> list[torch.Tensor]:
        """Mark the open steps as having run with other threads, and return every Tensor that these threads may have changed."""
        for step in self.open_steps:
            if step not in self._shared:
                self._shared.add(step)
                self.tables.steps.mark(step, "other_threads", True)
        while self.released_elsewhere:
            self.graph.saves.release(self.released_elsewhere.popleft())
        return self.memory.all_alive()

    def substitute(self, what: Substituted) -> None:
        """Record, in the innermost open step, that the sandbox replaced a feature that it does not support."""
        if self.step is not None:
            self.tables.steps.mark(self.step, "substituted", what)

    # --- operators --------------------------------------------------------------------------------------------------

    # TORCH 2.13: reading a tensor's storage in Python raises the use count of the storage permanently, and torch adds two
    # gradients in place only if the count is 1 (input_buffer.cpp). Therefore intermediate tensors of a backward are not read.

    def begin_operator(
        self,
        operator: adapter.Operator,
        written: list[torch.Tensor],
        span: Span | None,
        by_engine: bool,
        place: Place | None = None,
    ) -> None:
        """Open the step of an operator that is about to run and write these tensors.

        `by_engine` is true if a backward runs the operator, and false if Python code runs it. `place` is the line that runs the
        operator, if `span` does not contain that line.
        """
        step, tables, open_steps = self._next_step("operator"), self.tables, self.open_steps
        parent = open_steps[-1] if open_steps else None
        record = Step(
            id=step,  # type: ignore[arg-type]
            kind="operator",
            began=tables.advance(),
            parent=parent,  # type: ignore[arg-type]
            frame=self._frames[-1] if self._frames else None,  # type: ignore[arg-type]
            span=span,
            name=operator.name,
            grad_enabled=modes.is_grad_enabled(),
        )
        others = modes.of_operator()
        if self._surrounding and (surrounding := self._surrounding.get(parent)):
            self._surrounding[step] = surrounding
            others = surrounding | others
        for field in others:
            force_setattr(record, field, others[field])
        tables.steps.append(record)
        open_steps.append(step)
        self._operator = step
        self._detaches = operator.name in _WITHIN_A_SAVE
        for tensor in written:
            if by_engine and self.memory.known(tensor) is None and not torch.is_grad_enabled():
                continue
            self._pending.append(self.writes.announce(tensor, operator, step, place))

    def end_operator(self, output: Any) -> None:
        """Remember the outputs of an operator that ran.

        The effects of the operator are recorded at the next event, because torch sets version counters and grad_fn after the
        journal returns.
        """
        pending = self._pending
        if type(output) is torch.Tensor and len(pending) < 2:
            self._outputs = [] if pending and pending[0].seen.ref() is output else [weakref.ref(output)]
        else:
            written = [each.seen.ref() for each in pending]
            self._outputs = [
                weakref.ref(tensor) for tensor in adapter.tensors_in(output) if not any(tensor is other for other in written)
            ]

    def settle(self) -> None:
        """Record the effects of the operator that ran last, and close its step."""
        if self._fresh or self._pending or self._outputs:
            with _DisableTorchFunction():  # otherwise reading `.grad_fn` would run a subclass's `__torch_function__`
                self._settle()
        elif self._operator is not None:
            self._settle()

    def _settle(self) -> None:
        fresh, self._fresh = self._fresh, []
        for ref in fresh:
            tensor = ref()
            if tensor is not None:
                self.graph.complete(tensor)
        operator = self._operator
        if operator is None:
            return
        if self._detaches:
            self._fresh = fresh  # torch may save another output of the same operator
        self._operator = None
        tick = self.tables.advance()
        if self._pending:
            self._settle_writes(operator)
        graph, memory = self.graph, self.memory
        if self._outputs:
            outputs, self._outputs = self._outputs, []
            for ref in outputs:
                tensor = ref()
                # The program gets another object for the view, which is read at the end of the statement if it has a name.
                if tensor is not None and not tensor._is_view():
                    seen = self.observe(tensor, operator)
                    if seen.grad_fn is not None and graph.awaits(seen):
                        self._fresh.append(ref)
        if graph.saves.just_written:
            graph.saves.just_written.clear()
        if memory.dead or memory.unmarked or memory.storages.dead or graph.freed:
            self._flush_deaths()
        if self.open_steps[-1] == operator:
            self.open_steps.pop()
        else:
            self.open_steps.remove(operator)
        self.tables.steps.mark(operator, "ended", tick)

    def _settle_writes(self, operator: int) -> None:
        pending, self._pending = self._pending, []
        for write in pending:
            self.writes.settle(write)
        for write in pending:
            self._attach_written(write, operator)

    def _attach_written(self, pending: PendingWrite, operator: int) -> None:
        """Read the Node of the written tensor, while its saved tensors before and after the write can still be distinguished."""
        tensor = pending.seen.ref()
        if tensor is not None and tensor._is_view():
            tensor = tensor._base
        if tensor is not None and tensor.requires_grad and not self._is_as_it_was(tensor):
            self.observe(tensor, operator)

    def _is_as_it_was(self, tensor: torch.Tensor) -> bool:
        """Whether this tensor and its gradient are unchanged except for recorded writes, as after a step of an optimizer."""
        memory = self.memory
        seen = memory.known(tensor)
        if seen is None or not memory.is_unchanged(tensor, seen):
            return False
        grad = adapter.grad_of(tensor)
        return grad is None or ((of_grad := memory.known(grad)) is not None and memory.is_unchanged(grad, of_grad))

    def _flush_deaths(self) -> None:
        memory, graph = self.memory, self.graph
        if memory.dead or memory.unmarked or memory.storages.dead:
            memory.flush_deaths()
        if graph.freed:
            graph.flush_deaths()
