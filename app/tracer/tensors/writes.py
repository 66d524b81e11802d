"""Records Writes by operators, according to their schemas, and Writes by code outside torch."""

import torch

from app.trace.records import Place, Write
from app.tracer import adapter
from app.tracer.autograd.saves import Hit, SaveWatch
from app.tracer.tensors.layouts import extent_of
from app.tracer.tensors.memory import MemoryWatch
from app.tracer.tensors.seen import SeenCounter, SeenStorage, SeenTensor
from app.tracer.trace_writer import Tables


class PendingWrite:
    """A tensor that an operator writes. Torch increments the version after the journal returns; therefore the version is read
    at the next event."""

    __slots__ = ("extent", "look", "operator", "place", "seen", "step", "storage", "version")

    def __init__(self, seen: SeenTensor, operator: adapter.Operator, step: int, place: Place | None) -> None:
        self.seen = seen
        self.version = None if seen.counter is None else seen.counter.version
        self.storage = seen.storage
        """The tensor's storage when the operator began. `.data =` on the same line may replace it before the write is recorded."""
        self.operator = operator
        self.step = step
        self.place = place
        self.extent = seen.extent
        self.look = seen.look


class Writes:
    """Records writes without an operator, and the writes of operators as soon as their versions can be read."""

    def __init__(self, tables: Tables, memory: MemoryWatch, saves: SaveWatch, open_steps: list[int]) -> None:
        self._tables = tables
        self._memory = memory
        self._saves = saves
        self._open_steps = open_steps
        """The open steps of the observer. A write without an operator belongs to the innermost one."""

    def _step(self) -> int | None:
        return self._open_steps[-1] if self._open_steps else None

    # --- of operators -------------------------------------------------------------------------------------------------

    def announce(self, tensor: torch.Tensor, operator: adapter.Operator, step: int, place: Place | None = None) -> PendingWrite:
        """Called before an operator writes this tensor."""
        seen = self._memory.observe_shallow(tensor, step)
        if self._memory.counters.announced:
            self.settle_announced()
        pending = PendingWrite(seen, operator, step, place)
        if pending.storage is not None and not operator.moves:
            self._saves.prepare(pending.storage, pending.look)
        return pending

    def settle(self, pending: PendingWrite) -> None:
        """Record the writes of an operator that ran, and their effect on saved tensors."""
        memory, saves = self._memory, self._saves
        tensor = pending.seen.ref()
        seen = pending.seen if tensor is None else memory.observe_shallow(tensor, pending.step)
        moves = pending.operator.moves
        storage = seen.storage if moves or pending.storage is None else pending.storage
        if storage is None:
            self._settle_parts(pending, seen)
            return
        begin, end, changed = self._written(pending, storage, seen)
        counter, version = seen.counter, None
        if counter is not None:
            version = self._version_now(counter, tensor)
        # TORCH 2.13: batch_norm does not increment a counter when it writes its running statistics.
        bumped = None if counter is None or version == pending.version else counter
        table, nbytes = self._tables.writes, storage.nbytes
        write = table.count
        table.append(
            Write(
                id=write,  # type: ignore[arg-type]
                tick=self._tables.tick,
                step=pending.step,  # type: ignore[arg-type]
                storage=storage.serial,  # type: ignore[arg-type]
                begin=begin if begin < nbytes else nbytes,
                end=end if end < nbytes else nbytes,
                tensor=seen.serial,  # type: ignore[arg-type]
                operator=pending.operator.name,
                version_counter=None if bumped is None else bumped.serial,  # type: ignore[arg-type]
                version=None if bumped is None else version,
                changed=None if changed is None else changed[0] < changed[1],
                place=pending.place,
            )
        )
        saves.written(write, storage, Hit(*(changed or (begin, end)), pending.look), counter)
        if moves and tensor is not None and seen in memory.moved:
            memory.moved.remove(seen)
            saves.moved(write, tensor, storage)
        if counter is not None and pending.version is not None:
            saves.just_written.setdefault(counter.serial, (pending.version, write))

    def _version_now(self, counter: SeenCounter, tensor: torch.Tensor | None) -> int | None:
        """Return the counter's value after the write; None if no Tensor with this counter exists any more."""
        counters = self._memory.counters
        if counters.announced:
            counters.announced.pop(counter.serial, None)
        representative = counter.representative() if tensor is None else tensor
        version = None if representative is None else adapter.version_of(representative)
        if version is None:
            counters.mark_unknown(counter)
        elif counter.version != version:
            counters.count(counter, version)
        return version

    def _settle_parts(self, pending: PendingWrite, seen: SeenTensor) -> None:
        """Record the writes to a sparse tensor. The Storages belong to the indices and values of the tensor, which share its
        counter."""
        counter = seen.counter
        tensor = None if counter is None else counter.representative()
        version = None if tensor is None else adapter.version_of(tensor)
        if counter is None or version is None:
            return
        self._memory.counters.count(counter, version)
        self._memory.counters.announced.pop(counter.serial, None)
        alive = [part.storage for part in counter.members.values() if part.ref() is not None]
        for storage in {storage.serial: storage for storage in alive if storage is not None}.values():
            changed = self._memory.storages.look_at_contents(storage, written=True)
            begin, end = changed or (0, storage.nbytes)
            bumped = counter.serial if version != pending.version else None
            write = self._tables.writes.add(
                tick=self._tables.tick,
                step=pending.step,
                storage=storage.serial,
                begin=begin,
                end=end,
                tensor=seen.serial,
                operator=pending.operator.name,
                version_counter=bumped,
                version=None if bumped is None else version,
                changed=None if changed is None else begin < end,
                place=pending.place,
            )
            self._saves.written(write, storage, Hit(begin, end), counter)

    def _written(
        self, pending: PendingWrite, storage: SeenStorage, seen: SeenTensor
    ) -> tuple[int, int, tuple[int, int] | None]:
        """Return the range [begin, end) that the operator wrote by its schema, and the range that changed (None if unknown)."""
        if pending.operator.moves:
            begin = 0 if seen.ref() is None else seen.extent[0]
            return begin, begin, (0, 0)
        changed = self._memory.storages.look_at_contents(storage, written=True)
        return *pending.extent, changed if storage.ref() is not None else None

    # --- without an operator ------------------------------------------------------------------------------------------

    def settle_announced(self) -> None:
        """Record writes for counters that changed without an operator, because a foreign kernel called `increment_version`."""
        announced = self._memory.counters.announced
        while announced:
            _, (seen, counter) = announced.popitem()
            if seen.storage is not None:
                self.unseen(seen.storage, self._memory.storages.look_at_contents(seen.storage, written=True), counter)

    def settle_moved(self) -> None:
        """Record Writes for saved Tensors that `.data =` or `set_` moved to other elements. No bytes were written."""
        moved = self._memory.moved
        while moved:
            seen = moved.pop()
            tensor = seen.ref()
            if tensor is None or seen.storage is None or not self._saves.is_saved(seen):
                continue
            begin, end = extent_of(adapter.look_of(tensor))
            write = self._tables.writes.add(
                tick=self._tables.tick,
                step=self._step(),
                storage=seen.storage.serial,
                begin=min(begin, seen.storage.nbytes),
                end=min(end, seen.storage.nbytes),
                tensor=seen.serial,
                operator=None,
                version_counter=None,
                version=None,
                changed=None,
            )
            self._saves.moved(write, tensor, seen.storage)

    def unseen(
        self,
        storage: SeenStorage,
        changed: tuple[int, int] | None,
        counter: SeenCounter | None = None,
        *,
        is_certain: bool = False,
        is_late: bool = False,
    ) -> None:
        """Record a Write without an operator: by NumPy, DLPack, an untyped storage or a foreign kernel.

        `changed` is the range of bytes that differ; None if this range is unknown. `is_certain` means that at least one byte
        differs. `is_late`: the write was noticed when a Node was about to use the bytes, so the step of the write is unknown.
        """
        begin, end = changed or (0, storage.nbytes)
        write = self._tables.writes.add(
            tick=self._tables.tick,
            step=None if is_late else self._step(),
            storage=storage.serial,
            begin=begin,
            end=end,
            tensor=None,
            operator=None,
            version_counter=None if counter is None else counter.serial,
            version=None if counter is None else counter.version,
            changed=None if changed is None else begin < end,
        )
        self._saves.written(write, storage, Hit(begin, end, is_certain=is_certain), counter)
