"""Determines which tensors share a version counter, and records the values of counters."""

import weakref
from itertools import islice

import torch

from app.trace.records import Unknown, VersionCounter
from app.tracer import adapter
from app.tracer.tensors.seen import SeenCounter, SeenStorage, SeenTensor
from app.tracer.threads import ThreadWatch
from app.tracer.trace_writer import Tables

_ASKED = 64
"""Maximum number of tensors on a counter, the oldest first, that are compared with a SavedTensor."""


class CounterWatch:
    """Finds the version counter of each tensor, and records changed versions."""

    def __init__(self, tables: Tables, threads: ThreadWatch) -> None:
        self._tables = tables
        self._threads = threads
        self.announced: dict[int, tuple[SeenTensor, SeenCounter]] = {}
        """The version counters, by id, that changed although no operator was observed to write, each with a tensor that showed
        the change."""

        self._of_sparse: list[SeenCounter] = []
        """Counters of sparse tensors, which have no Storage. The indices and values of a sparse tensor share its counter."""

    def look_at(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        """Record the counter of a tensor, and its version."""
        counter = seen.counter
        if counter is None and torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            self._without(seen, "Inside torch.func, version counters are not reliable.")
            return
        version = adapter.version_of(tensor)
        if version is None:
            if counter is not None:
                counter.members.pop(seen.serial, None)
                seen.counter = None
            self._without(seen, None)
            return
        if counter is not None and counter.version == version:
            return
        if counter is None and self._threads.others_run:
            # The check whether tensors share a counter changes the counter for a moment, in which another thread may write.
            self._without(seen, "Other threads are running, so the counter of this tensor is determined later.")
            return
        if counter is None or self._has_moved(tensor, version, counter):
            counter = self._join(tensor, seen, self.counter_of(tensor, seen.storage, version))
        if counter.version not in (-1, version):
            self.announced[counter.serial] = seen, counter
        self.count(counter, version)

    def join_new(self, tensor: torch.Tensor, seen: SeenTensor, version: int) -> SeenCounter:
        """Return the counter of a plain tensor at first sight. The caller records the fact."""
        seen.counter = counter = self.counter_of(tensor, seen.storage, version)
        seen.counter_fact = counter.serial
        counter.members[seen.serial] = seen
        if counter.version != version:
            if counter.version != -1:
                self.announced[counter.serial] = seen, counter
            self.count(counter, version)
        return counter

    def _without(self, seen: SeenTensor, why: str | None) -> None:
        """Record that a tensor has no counter (None), or why its counter is unknown. Does nothing if this fact is already
        recorded."""
        if seen.counter_fact != why:
            seen.counter_fact = why
            fact = None if why is None else Unknown(reason=why)
            self._tables.tensors.fact(seen.serial, "version_counter", self._tables.tick, fact)

    def _join(self, tensor: torch.Tensor, seen: SeenTensor, counter: SeenCounter) -> SeenCounter:
        if seen.counter is not None:
            seen.counter.members.pop(seen.serial, None)
        seen.counter = counter
        counter.members[seen.serial] = seen
        if seen.counter_fact != counter.serial:
            seen.counter_fact = counter.serial
            self._tables.tensors.fact(seen.serial, "version_counter", self._tables.tick, counter.serial)
        return counter

    def _has_moved(self, tensor: torch.Tensor, version: int, counter: SeenCounter) -> bool:
        other = counter.representative(but=tensor)
        return other is not None and adapter.version_of(other) != version

    def counter_of(self, tensor: torch.Tensor, storage: SeenStorage | None, version: int) -> SeenCounter:
        """Return the counter of a tensor, found by comparing it with one tensor of each known counter on its storage.

        If no counter matches, create one with this version.
        """
        counters = self._of_sparse if storage is None else storage.counters
        counter = _shared(tensor, counters) if counters else None
        if counter is not None:
            return counter
        if storage is not None and self._of_sparse:
            counter = _shared(tensor, self._of_sparse[-_ASKED:])
        elif storage is None and not adapter.is_sparse(tensor):
            counters = []
        if counter is None:
            counter = self._new(version)
        if counters:
            counters[:] = [known for known in counters if known.representative() is not None]
        counters.append(counter)
        return counter

    def _new(self, version: int) -> SeenCounter:
        table, tick = self._tables.version_counters, self._tables.tick
        counter = SeenCounter(table.count)
        counter.version = version
        table.append(VersionCounter(id=counter.serial, version=[(tick, version)]), facts=1)  # type: ignore[arg-type]
        return counter

    def counter_of_saved(self, tensor: torch.Tensor, storage: SeenStorage | None, version: int) -> SeenCounter:
        """Return the counter of a saved tensor that is not recorded itself. If the counter has no live tensor, this tensor
        represents the counter as long as it lives."""
        counter = self.counter_of(tensor, storage, version)
        if counter.representative() is None:
            key = -1 - counter.serial
            counter.members[key] = SeenTensor(key, weakref.ref(tensor))
        return counter

    def looking_at(self, look: adapter.Look, counter: SeenCounter | None) -> int | None:
        """Return a known tensor that reads the same elements with the same counter as a SavedTensor; None if there is none."""
        if counter is None or look[0] is not torch.strided:
            return None
        alive = (seen for seen in counter.members.values() if seen.ref() is not None)
        for seen in islice(alive, _ASKED):
            if seen.look is not None and seen.look[:4] == look[:4]:
                return seen.serial
        return None

    def count(self, counter: SeenCounter, version: int) -> None:
        """Record the version of a counter if it changed."""
        if counter.version != version:
            counter.version = version
            self._tables.version_counters.fact(counter.serial, "version", self._tables.tick, version)

    def mark_unknown(self, counter: SeenCounter) -> None:
        """Record that a counter was incremented but its version cannot be read, because all its tensors have died.

        For example, `h.data.mul_(2)` writes through a temporary tensor.
        """
        counter.version = -1
        unread = Unknown(reason="No tensor with this version counter was left to read it from.")
        self._tables.version_counters.fact(counter.serial, "version", self._tables.tick, unread)


def _shared(tensor: torch.Tensor, counters: list[SeenCounter]) -> SeenCounter | None:
    for counter in counters:
        other = counter.representative(but=tensor)
        if other is not None and adapter.version_of(other) is not None and adapter.shares_counter(tensor, other):
            return counter
    return None
