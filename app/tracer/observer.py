"""The one place where observations meet: opens and closes steps, and looks at what each may have changed."""

import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from app.trace.ends import Ended, Stopped, TraceTooLarge
from app.trace.records import Limits, Span, Step
from app.tracer import adapter, modes
from app.tracer.graph import GraphWatch, extent
from app.tracer.memory import MemoryWatch
from app.tracer.modules import ModuleWatch
from app.tracer.seen import SeenCounter, SeenStorage, SeenTensor
from app.tracer.tables import Tables
from app.tracer.threads import ThreadWatch

STEPS_PER_LOOK = 32
"""Whether a chunk is full is asked every so many steps: a long backward is one statement, yet its chunks stay small."""


_WITHIN_A_SAVE = frozenset({"aten::detach", "aten::empty"})
"""What torch runs to save an operator's output; `empty` where that is sparse."""


class LimitReached(Exception):
    """Recording stops here: `ended` says which limit was reached. Never let into the snippet, which could catch it."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(type(ended).__name__)
        self.ended = ended


class PendingWrite:
    """A tensor that an operator wrote. Its version is bumped above the journal, so it is read at the next event."""

    __slots__ = ("extent", "operator", "seen", "step", "storage", "version")

    def __init__(self, seen: SeenTensor, operator: adapter.Operator, step: int, written: tuple[int, int]) -> None:
        self.seen = seen
        self.version = None if seen.counter is None else seen.counter.version
        self.storage = seen.storage
        """What it looked at then: `.data =` on the same line gives it another before its write is settled."""
        self.operator = operator
        self.step = step
        self.extent = written


class Observer:
    """Keeps the stack of open steps and turns events into facts. Holds no tensor beyond the event that showed it."""

    def __init__(self, tables: Tables, limits: Limits) -> None:
        self.tables = tables
        self.limits = limits
        self.threads = ThreadWatch()
        self.memory = MemoryWatch(tables, limits, self.threads)
        self.modules = ModuleWatch(tables)
        self.graph = GraphWatch(tables, self.memory, self.modules)
        self.open_steps: list[int] = []
        self.statements = 0
        self._operator: int | None = None
        self._detaches = False
        self._writes: list[PendingWrite] = []
        self._outputs: list[weakref.ref[torch.Tensor]] = []
        self._fresh: list[weakref.ref[torch.Tensor]] = []
        """Outputs read at the last event, which may have been in the middle of their operator."""
        self._frames: list[int] = []
        self._surrounding: dict[int | None, dict[str, Any]] = {}
        """By step, where any is on: the modes that operators have from the step they run in."""
        self._shared: set[int] = set()
        """Steps during which other threads ran."""
        self.released_elsewhere: deque[int] = deque()
        """Nodes whose saved tensors a backward on another thread let go of."""
        self.backwards_running = 0
        """More than one when a Node runs a backward of its own."""

    # --- steps ------------------------------------------------------------------------------------------------------

    @property
    def step(self) -> int | None:
        """The innermost open step."""
        return self.open_steps[-1] if self.open_steps else None

    @property
    def frame(self) -> int | None:
        """The snippet's frame that runs."""
        return self._frames[-1] if self._frames else None

    def enter_frame(self, frame: int) -> None:
        self._frames.append(frame)

    def leave_frame(self) -> None:
        self._frames.pop()

    def begin(
        self, kind: str, span: Span | None, name: str | None = None, node: int | None = None, message: str | None = None
    ) -> int:
        """Open a step inside the innermost open one. Raises LimitReached when the run has had its share of steps."""
        if self._operator is not None or self._fresh:
            self.settle()
        tables = self.tables
        steps = tables.steps
        step = steps.count
        self._check_limits(kind, step)
        if step % STEPS_PER_LOOK == 0 and tables.is_full:
            tables.flush()
        surrounding = self._surrounding.get(self.step) if kind == "operator" else modes.surrounding()
        operator_modes = modes.of_operator()
        steps.append(
            Step(
                id=step,  # type: ignore[arg-type]
                kind=kind,  # type: ignore[arg-type]
                began=tables.advance(),
                parent=self.open_steps[-1] if self.open_steps else None,  # type: ignore[arg-type]
                frame=None if kind == "node" or not self._frames else self._frames[-1],  # type: ignore[arg-type]
                span=span,
                name=name,
                node=node,  # type: ignore[arg-type]
                message=message,
                **(surrounding | operator_modes if surrounding else operator_modes),
            )
        )
        if surrounding:
            self._surrounding[step] = surrounding
        self.open_steps.append(step)
        return step

    def end(self, step: int, tensors: Iterable[torch.Tensor] = ()) -> None:
        """Close a step, and whatever inside it was left open by an exception, after looking at these tensors."""
        self.settle()
        tick = self.tables.advance()
        self.look(tensors)
        self._flush_deaths()
        while self.open_steps:
            innermost = self.open_steps.pop()
            self.tables.steps.mark(innermost, "ended", tick)
            if innermost == step:
                break

    def _check_limits(self, kind: str, step: int) -> None:
        limits = self.limits
        if kind == "statement":
            self.statements += 1
            if self.statements > limits.statements:
                raise LimitReached(Stopped(limit="statements", reached=limits.statements))
        if step >= limits.steps:
            raise LimitReached(Stopped(limit="steps", reached=limits.steps))
        if self.tables.bytes_emitted > limits.trace_bytes:
            raise LimitReached(TraceTooLarge(limit_bytes=limits.trace_bytes))

    # --- looking ----------------------------------------------------------------------------------------------------

    def look(self, tensors: Iterable[torch.Tensor]) -> None:
        """Record what changed about these tensors, their bases and gradients, their storages and their Nodes."""
        memory = self.memory
        looked: set[int] = set()
        storages: dict[int, SeenStorage] = {}
        waiting = list(tensors)
        waiting.reverse()
        if waiting:
            with self._at_rest():
                while waiting:
                    tensor = waiting.pop()
                    if id(tensor) in looked:
                        continue
                    looked.add(id(tensor))
                    seen = memory.known(tensor)
                    if seen is None or not memory.is_unchanged(tensor, seen):
                        seen = self._look_at(tensor)
                    if seen.storage is not None:
                        storages[seen.storage.serial] = seen.storage
                    if seen.base is not None and tensor._base is not None:
                        waiting.append(tensor._base)
                    if seen.grad is not None and tensor.grad is not None:
                        waiting.append(tensor.grad)
        for storage in storages.values():
            if storage.is_compared:
                changed = memory.storages.look_at_contents(storage, written=False)
                if changed is not None and changed[0] < changed[1]:
                    self._write_unseen(storage, changed, None)
            elif memory.storages.was_shared_and_written(storage):
                self._write_unseen(storage, (0, storage.nbytes), None)
        memory.storages.summarise_written()

    def _look_at(self, tensor: torch.Tensor) -> SeenTensor:
        seen = self.observe(tensor, self.step)
        self._settle_announced()
        self._settle_moved()
        return seen

    def look_at_leaf(self, node: int) -> None:
        """An AccumulateGrad ran: its leaf's `.grad` is there or has changed. Nothing for any other Node."""
        seen = self.graph.leaf(node)
        tensor = None if seen is None else seen.ref()
        if tensor is not None:
            self.look([tensor])

    def look_at_gradients(self, gradients: Iterable[torch.Tensor | None]) -> None:
        """A Node ran under `create_graph`: what it computed has a graph of its own."""
        with self._at_rest():
            for tensor in gradients:
                if tensor is not None and tensor.requires_grad:
                    self.observe(tensor, self.step)

    @contextmanager
    def _at_rest(self) -> Iterator[None]:
        """Within it neither the journal nor a tensor subclass of the snippet notices what we ask of tensors."""
        with adapter.unseen_operators(), torch._C.DisableTorchFunction():
            yield

    @contextmanager
    def unreferenced(self, tensors: tuple[Any, ...]) -> Iterator[None]:
        """Within it these tensors carry none of our weak references."""
        self.settle()
        self.settle()  # once more for the outputs that the first one keeps an eye on
        released = [(item, seen) for item in tensors if (seen := self.memory.release_weakrefs(item)) is not None]
        try:
            yield
        finally:
            for tensor, seen in released:
                self.memory.restore_weakrefs(tensor, seen)

    def observe(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        """Record what is new about a tensor and its Node."""
        seen = self.memory.observe(tensor, made_by)
        self.graph.attach(tensor, seen, made_by)
        self.memory.remember(tensor, seen)
        return seen

    def _settle_announced(self) -> None:
        """Counters moved and no operator was seen to write: `increment_version` announces the write of a foreign kernel."""
        while self.memory.counters.announced:
            _, (seen, counter) = self.memory.counters.announced.popitem()
            if seen.storage is not None:
                self._write_unseen(seen.storage, self.memory.storages.look_at_contents(seen.storage, written=True), counter)

    def _settle_moved(self) -> None:
        """`.data =` and `set_` gave a Tensor other elements: nothing was written, yet what saved it now has those."""
        while self.memory.moved:
            seen = self.memory.moved.pop()
            tensor = seen.ref()
            if tensor is None or seen.storage is None or not self.graph.is_saved(seen):
                continue
            begin, end = extent(tensor)
            write = self.tables.writes.add(
                tick=self.tables.tick,
                step=self.step,
                storage=seen.storage.serial,
                begin=min(begin, seen.storage.nbytes),
                end=min(end, seen.storage.nbytes),
                tensor=seen.serial,
                operator=None,
                version_counter=None,
                version=None,
                changed=None,
            )
            self.graph.moved(write, tensor, seen.storage)

    def _write_unseen(self, storage: SeenStorage, changed: tuple[int, int] | None, counter: SeenCounter | None) -> None:
        """Bytes differ and no operator wrote them: NumPy, DLPack, an untyped storage, a foreign kernel.

        `changed` is None where it cannot be told which, if any.
        """
        begin, end = changed or (0, storage.nbytes)
        write = self.tables.writes.add(
            tick=self.tables.tick,
            step=self.step,
            storage=storage.serial,
            begin=begin,
            end=end,
            tensor=None,
            operator=None,
            version_counter=None if counter is None else counter.serial,
            version=None if counter is None else counter.version,
            changed=None if changed is None else begin < end,
        )
        self.graph.written(write, storage, (begin, end), counter)

    def look_around(self) -> list[torch.Tensor]:
        """Other threads ran during the open steps: say so, and give every Tensor that they may have changed."""
        for step in self.open_steps:
            if step not in self._shared:
                self._shared.add(step)
                self.tables.steps.mark(step, "other_threads", True)
        while self.released_elsewhere:
            self.graph.release(self.released_elsewhere.popleft())
        return self.memory.all_alive()

    # --- operators --------------------------------------------------------------------------------------------------

    # TORCH 2.13: asking a tensor for its storage raises the storage's use count for good, and two gradients that meet are added in
    # place only if it is 1 (input_buffer.cpp). What is computed on the way through a backward is left alone, but for what is known.

    def begin_operator(
        self, operator: adapter.Operator, written: list[torch.Tensor], span: Span | None, by_engine: bool
    ) -> None:
        """An ATen operator is about to run and to write these tensors; `by_engine`: no Python code but a backward calls it."""
        self._operator = step = self.begin("operator", span, operator.name)
        self._detaches = operator.name in _WITHIN_A_SAVE
        for tensor in written:
            if by_engine and self.memory.known(tensor) is None and not torch.is_grad_enabled():
                continue
            seen = self.memory.observe_shallow(tensor, step)
            self._settle_announced()
            self._writes.append(PendingWrite(seen, operator, step, extent(tensor)))

    def end_operator(self, output: Any) -> None:
        """It ran. Its effects settle at the next event: version counters and grad_fn are set above the journal."""
        if type(output) is torch.Tensor and not self._writes:
            self._outputs = [weakref.ref(output)]
        else:
            written = [pending.seen.ref() for pending in self._writes]
            self._outputs = [
                weakref.ref(tensor) for tensor in adapter.tensors_in(output) if not any(tensor is other for other in written)
            ]

    def settle(self) -> None:
        """Record the effects of the operator that ran last, and close its step."""
        if self._fresh or self._writes or self._outputs:
            with torch._C.DisableTorchFunction():  # a subclass's `__torch_function__` would run for a mere `.grad_fn`
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
            self._fresh = fresh  # one of several outputs that torch saves: the next may follow
        self._operator = None
        tick = self.tables.advance()
        if self._writes:
            writes, self._writes = self._writes, []
            for pending in writes:
                self._settle_write(pending)
            for pending in writes:
                self._attach_written(pending, operator)
        if self._outputs:
            outputs, self._outputs = self._outputs, []
            for ref in outputs:
                tensor = ref()
                # The view a user gets is not the object seen here; one with a name is read at the statement's end.
                if tensor is not None and not tensor._is_view() and self.graph.awaits(self.observe(tensor, operator)):
                    self._fresh.append(ref)
        if self.graph.just_written:
            self.graph.just_written.clear()
        self._flush_deaths()
        self.open_steps.remove(operator)
        self.tables.steps.mark(operator, "ended", tick)

    def _settle_write(self, pending: PendingWrite) -> None:
        tensor = pending.seen.ref()
        seen = pending.seen if tensor is None else self.memory.observe_shallow(tensor, pending.step)
        moves = pending.operator.moves
        storage = seen.storage if moves or pending.storage is None else pending.storage
        if storage is None:
            self._settle_parts(pending, seen)
            return
        begin, end, changed = self._written(pending, storage, tensor)
        counter = seen.counter
        if counter is not None:
            self.memory.counters.announced.pop(counter.serial, None)
        representative = None if counter is None else counter.representative()
        version = None if representative is None else adapter.version_of(representative)
        if counter is not None and version is not None:
            self.memory.counters.count(counter, version)
        elif counter is not None:
            self.memory.counters.mark_unknown(counter)
        # TORCH 2.13: what batch_norm writes of its running statistics bumps nothing.
        bumped = None if counter is None or version == pending.version else counter
        write = self.tables.writes.add(
            tick=self.tables.tick,
            step=pending.step,
            storage=storage.serial,
            begin=min(begin, storage.nbytes),
            end=min(end, storage.nbytes),
            tensor=seen.serial,
            operator=pending.operator.name,
            version_counter=None if bumped is None else bumped.serial,
            version=None if bumped is None else version,
            changed=None if changed is None else changed[0] < changed[1],
        )
        self.graph.written(write, storage, changed or (begin, end), counter)
        if moves and tensor is not None and seen in self.memory.moved:
            self.memory.moved.remove(seen)
            self.graph.moved(write, tensor, storage)
        if counter is not None and pending.version is not None:
            self.graph.just_written.setdefault(counter.serial, (pending.version, write))

    def _settle_parts(self, pending: PendingWrite, seen: SeenTensor) -> None:
        """A sparse tensor was written: its indices and values, which count with it, have the Storages."""
        counter = seen.counter
        tensor = None if counter is None else counter.representative()
        version = None if tensor is None else adapter.version_of(tensor)
        if counter is None or version is None:
            return
        self.memory.counters.count(counter, version)
        self.memory.counters.announced.pop(counter.serial, None)
        parts = {part.storage.serial: part.storage for part in list(counter.members.values()) if part.storage is not None}
        for storage in parts.values():
            changed = self.memory.storages.look_at_contents(storage, written=True)
            begin, end = changed or (0, storage.nbytes)
            bumped = counter.serial if version != pending.version else None
            write = self.tables.writes.add(
                tick=self.tables.tick,
                step=pending.step,
                storage=storage.serial,
                begin=begin,
                end=end,
                tensor=seen.serial,
                operator=pending.operator.name,
                version_counter=bumped,
                version=None if bumped is None else version,
                changed=None if changed is None else begin < end,
            )
            self.graph.written(write, storage, (begin, end), counter)

    def _written(
        self, pending: PendingWrite, storage: SeenStorage, tensor: torch.Tensor | None
    ) -> tuple[int, int, tuple[int, int] | None]:
        """The bytes that the operator wrote by its schema, [begin, end), and those that changed; None where that cannot be told."""
        if pending.operator.moves:
            begin = 0 if tensor is None else extent(tensor)[0]
            return begin, begin, (0, 0)
        changed = self.memory.storages.look_at_contents(storage, written=True)
        return *pending.extent, changed if storage.ref() is not None else None

    def _attach_written(self, pending: PendingWrite, operator: int) -> None:
        """The Node of what was written, while it can still be told what it saved before the write and what after."""
        tensor = pending.seen.ref()
        if tensor is not None and tensor._is_view():
            tensor = tensor._base
        if tensor is not None and tensor.requires_grad:
            self.observe(tensor, operator)

    def _flush_deaths(self) -> None:
        if self.memory.ended:
            self.memory.flush_deaths()
        if self.graph.freed:
            self.graph.flush_deaths()
