"""Watches saved tensors: the version with which each was saved, and whether its bytes have changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch

from app.trace.records import Geometry
from app.tracer import adapter
from app.tracer.tensors.layouts import Fingerprint, Layout, extent_of, fingerprint, layout_of, overlap
from app.tracer.tensors.memory import MemoryWatch
from app.tracer.tensors.seen import SeenCounter, SeenStorage, SeenTensor
from app.tracer.trace_writer import Tables

_PACKED = "A saved_tensors_hooks of the snippet packed it; torch checks no version there."
_KEPT = "The Function keeps it as an attribute of its ctx, or names it in its backward; torch checks no version there."
Saves = dict[int, dict[int, "SeenSave"]]
"""The live SavedTensors by number, grouped by Node, Storage, counter or tensor. Inner dicts are used because thousands of Nodes
may save one weight."""
Undecided = Literal["no_bytes", "gone", "unseen"]


class Hit(NamedTuple):
    """Bytes [begin, end) of a storage that a write may have changed."""

    begin: int
    end: int
    look: adapter.Look | None = None
    """The layout of the written tensor. If it is None, the write may have changed every byte of the range."""
    is_certain: bool = False
    """Whether at least one byte of the range has changed; which byte is unknown."""


@dataclass(slots=True, eq=False)
class SeenSave:
    """A live SavedTensor: the layout of the elements (None if sparse), the counter, and the version that torch expects."""

    serial: int
    storage: SeenStorage | None
    _look: adapter.Look
    _extent: tuple[int, int] | None = None
    fingerprint: Fingerprint | None = None
    """The fingerprint of the elements as saved. It is taken only before a write that may reach these elements, or if the
    recorder may miss writes to them (by NumPy or DLPack)."""
    counter: SeenCounter | None = None
    version: int | None = None
    tensor: int | None = None
    outdated: bool = False
    overwritten: int = -1
    """The tick since which the tensor's bytes differ from the saved bytes; -1 if they do not differ."""

    @property
    def layout(self) -> Layout | None:
        return layout_of(self._look)

    @property
    def extent(self) -> tuple[int, int]:
        """The range of bytes [begin, end) of the saved elements. Computed on first use, because most saved tensors are never
        written."""
        if self._extent is None:
            self._extent = extent_of(self._look)
        return self._extent

    def move(self, look: adapter.Look) -> None:
        """Record that the SavedTensor, like its Tensor, now reads other elements."""
        self._look, self._extent = look, None


class SaveWatch:
    """Records the tensors that Nodes save, and whether a write outdates or overwrites them."""

    def __init__(self, tables: Tables, memory: MemoryWatch) -> None:
        self._tables = tables
        self._memory = memory
        self._of_node: Saves = {}
        self._on_storage: Saves = {}
        self._on_counter: Saves = {}
        self._of_tensor: Saves = {}
        """The SavedTensors of each Tensor. Torch saves an operator's input as the same Tensor, so `.data =` moves the
        SavedTensor too (saved_variable.cpp)."""
        self._empty_slots: dict[int, set[str]] = {}
        self._keeping: set[int] = set()
        """Nodes of Functions for which it is recorded that they keep values other than saved tensors."""
        self.just_written: dict[int, tuple[int, int]] = {}
        """For each counter that the current operator wrote: the version before the operator, and the operator's first Write."""

    # --- what a Node saves --------------------------------------------------------------------------------------------

    def record_all(self, node: Any, serial: int) -> None:
        """Record those saved tensors of a Node that are not recorded yet."""
        try:
            slots = list(adapter.raw_saved(node))
        except RuntimeError:  # the saved tensors were released before this Node was first seen
            return
        awaited = self._empty_slots.pop(serial, None)
        empty = set()
        for name, saved in slots:
            if awaited is not None and name not in awaited:
                continue
            if saved.unpack_hook is not None:
                if not adapter.is_copy(saved):
                    self._record_unavailable(serial, name, _PACKED)
            elif saved.data is not None:
                self._record(node, serial, name, saved.data)
            else:
                empty.add(name)  # the tensor is not saved yet, or is a missing optional argument
        if empty:
            self._empty_slots[serial] = empty

    def awaits(self, node: int) -> bool:
        """Whether some attributes of the Node for saved tensors (its slots) were still empty when they were last read.

        Torch saves the output of an operator after it has set `grad_fn`. To save the output, torch detaches it, which is an
        event in the middle of the operator.
        """
        return node in self._empty_slots

    def _record(self, node: Any, of_node: int, name: str, tensor: torch.Tensor) -> None:
        memory, tables = self._memory, self._tables
        look = adapter.look_of(tensor)
        storage = memory.storages.storage_of(tensor)
        version = adapter.version_of(tensor)
        known = memory.known(tensor)
        counter = known.counter if known is not None else None
        if counter is None and version is not None:
            counter = memory.counters.counter_of_saved(tensor, storage, version)
        if counter is not None and version is not None:
            memory.counters.count(counter, version)
        # An operator saves its inputs before it writes them: `b.mul_(b)` overwrites its own saved tensor.
        own_write = self.just_written.get(counter.serial) if counter is not None and self.just_written else None
        if own_write is not None and adapter.is_refused(node, name):
            version = own_write[0]
        else:
            own_write = None
        serial = tables.saved_tensors.add(
            node=of_node,
            name=name,
            tick=tables.tick,
            tensor=known.serial if known is not None else memory.counters.looking_at(look, counter),
            geometry=memory.geometry_of(tensor, look, storage),
            version_counter=None if counter is None else counter.serial,
            version=version,
        )
        save = SeenSave(serial, storage, look)
        save.counter, save.version = counter, version
        save.tensor = None if known is None else known.serial
        if storage is not None and storage.is_shared and not storage.is_compared and save.layout is not None:
            save.fingerprint = memory.storages.fingerprint(storage, save.layout)
        if own_write is not None:
            save.outdated = True
            tables.saved_tensors.fact(serial, "outdated", tables.tick, own_write[1])
            self._overwrite(save, own_write[1])
        _keep(self._of_node, of_node, save)
        for saves, key in self._places_of(save):
            _keep(saves, key, save)

    def _places_of(self, save: SeenSave) -> Iterator[tuple[Saves, int]]:
        """Yield the tables that contain a saved tensor, except `_of_node`, each with the key of the saved tensor in it."""
        if save.storage is not None:
            yield self._on_storage, save.storage.serial
        if save.counter is not None:
            yield self._on_counter, save.counter.serial
        if save.tensor is not None:
            yield self._of_tensor, save.tensor

    def record_kept(self, node: int) -> None:
        """Record that the backward of a Function may read tensors that it did not save and that therefore cannot be copied."""
        if node not in self._keeping:
            self._keeping.add(node)
            self._record_unavailable(node, "ctx", _KEPT)

    def _record_unavailable(self, node: int, name: str, reason: str) -> None:
        empty = Geometry(
            dtype="",
            device="",
            layout="",
            shape=[],
            stride=None,
            storage_offset=None,
            storage=None,
        )
        self._tables.saved_tensors.add(
            node=node,
            name=name,
            tick=self._tables.tick,
            tensor=None,
            geometry=empty,
            version_counter=None,
            version=None,
            available=False,
            reason=reason,
        )

    def release(self, node: int) -> None:
        """Record that a Node released its saved tensors."""
        saves = self._of_node.pop(node, None)
        for save in () if saves is None else saves.values():
            self._tables.saved_tensors.mark(save.serial, "released", self._tables.tick)
            for others, key in self._places_of(save):
                _remove(others, key, save)

    def forget_node(self, node: int) -> None:
        """Forget a Node that died, and its saved tensors."""
        self.release(node)
        self._empty_slots.pop(node, None)

    # --- writes to saved tensors -------------------------------------------------------------------------------------------

    def prepare(self, storage: SeenStorage, look: adapter.Look | None) -> None:
        """Take the fingerprints of the saved tensors that a write to a tensor of this layout may reach, before the write."""
        saves = self._on_storage.get(storage.serial)
        if saves and not storage.is_compared:
            layout = None if look is None else layout_of(look)
            self._fingerprint([save for save in saves.values() if _reaches(save, layout)], storage)

    def note_exposed(self) -> None:
        """Take the fingerprints of saved tensors on storages that NumPy or DLPack can write now, unless these storages are
        compared."""
        exposed = self._memory.storages.exposed
        while exposed:
            storage = exposed.pop()
            saves = self._on_storage.get(storage.serial)
            if saves and not storage.is_compared:
                self._fingerprint(saves.values(), storage)

    def _fingerprint(self, saves: Any, storage: SeenStorage) -> None:
        """Take the fingerprint of each saved tensor that has no fingerprint, once per layout."""
        taken: dict[Layout, Fingerprint | None] = {}
        for save in saves:
            if save.fingerprint is None and save.overwritten < 0 and (layout := save.layout) is not None:
                if layout not in taken:
                    taken[layout] = self._memory.storages.fingerprint(storage, layout)
                save.fingerprint = taken[layout]

    def written(self, write: int, storage: SeenStorage, hit: Hit, counter: SeenCounter | None) -> None:
        """Record which saved tensors a write has outdated, overwritten or restored. The write may have changed bytes of
        `storage`."""
        on_counter = None if counter is None else self._on_counter.get(counter.serial)
        for save in () if on_counter is None else on_counter.values():
            if not save.outdated and counter is not None and counter.version != save.version:
                save.outdated = True
                self._tables.saved_tensors.fact(save.serial, "outdated", self._tables.tick, write)
        on_storage = self._on_storage.get(storage.serial)
        if not on_storage:
            return
        layout = None if storage.is_compared or hit.look is None else layout_of(hit.look)
        now: dict[Layout, Fingerprint | None] = {}
        for save in on_storage.values():
            begin, end = save.extent
            if hit.begin < end and begin < hit.end and _reaches(save, layout):
                self._compare(save, write, now, hit.is_certain)

    def _compare(self, save: SeenSave, write: int, now: dict[Layout, Fingerprint | None], is_certain: bool) -> None:
        """Record whether a saved tensor still reads the saved bytes. `now` caches the fingerprints of the current bytes."""
        storage, layout = save.storage, save.layout
        if storage is None or layout is None:
            return
        if layout not in now:
            now[layout] = self._memory.storages.fingerprint(storage, layout)
        before = save.fingerprint
        if before is None and storage.before is not None and storage.is_compared:
            before = fingerprint(storage.before, layout)
        if before is not None and before == now[layout]:
            self._restore(save)
        elif before is not None or (is_certain and _is_whole(save, storage)):
            save.fingerprint = before
            self._overwrite(save, write)
        else:
            self._overwrite(save, write, "unseen" if storage.is_readable else "no_bytes")

    def before_use(self, node: int) -> Iterator[SeenStorage]:
        """Before a Node runs, yield the storages in which its saved tensors may have changed without a recorded Write. Record
        the saved tensors whose saved bytes were restored."""
        saves = self._of_node.get(node)
        for save in () if saves is None else saves.values():
            storage = save.storage
            if storage is None or not (storage.is_shared or save.overwritten >= 0) or (layout := save.layout) is None:
                continue
            if storage.is_compared:
                yield storage
            if save.fingerprint is not None:
                is_same = self._memory.storages.fingerprint(storage, layout) == save.fingerprint
                if is_same:
                    self._restore(save)
                elif save.overwritten < 0:
                    yield storage

    def is_saved(self, seen: SeenTensor) -> bool:
        """Whether a live SavedTensor holds this Tensor object."""
        return bool(self._of_tensor.get(seen.serial))

    def moved(self, write: int, tensor: torch.Tensor, storage: SeenStorage) -> None:
        """Record that a Tensor, and therefore its SavedTensors, read other elements than at the save."""
        storages, seen = self._memory.storages, self._memory.known(tensor)
        look = adapter.look_of(tensor)
        layout = layout_of(look)
        for save in list(self._of_tensor.get(-1 if seen is None else seen.serial, {}).values()):
            left, was = save.storage, save.layout
            if left is None or was is None or layout is None:
                continue
            before = save.fingerprint
            if before is None and save.overwritten < 0:
                before = storages.fingerprint(left, was)
            now = storages.fingerprint(storage, layout)
            is_whole = _is_whole(save, left)
            _remove(self._on_storage, left.serial, save)
            save.storage, save.fingerprint = storage, before
            save.move(look)
            _keep(self._on_storage, storage.serial, save)
            if before is None and not (is_whole and _is_whole(save, storage) and storages.has_other_values(left, storage)):
                self._overwrite(save, write, "gone")
            elif before is None or before != now:
                self._overwrite(save, write)
            else:
                self._restore(save)

    def _overwrite(self, save: SeenSave, write: int, undecided: Undecided | None = None) -> None:
        if save.overwritten >= 0:
            return
        save.overwritten = self._tables.tick
        self._tables.saved_tensors.fact(save.serial, "overwritten", self._tables.tick, write)
        if undecided is not None:
            self._tables.saved_tensors.mark(save.serial, "undecided", undecided)

    def _restore(self, save: SeenSave) -> None:
        """Record that a saved tensor reads the saved bytes again. If it was overwritten at the current tick, the next check
        records the restoration."""
        if 0 <= save.overwritten < self._tables.tick:
            save.overwritten = -1
            self._tables.saved_tensors.fact(save.serial, "overwritten", self._tables.tick, None)


def _reaches(save: SeenSave, layout: Layout | None) -> bool:
    """Whether a write to a tensor of this layout may change a byte of the saved tensor. A layout of None means a write to any
    byte."""
    return layout is None or save.layout is None or overlap(layout, save.layout)


def _is_whole(save: SeenSave, storage: SeenStorage) -> bool:
    """Whether the saved tensor reads every byte of the storage."""
    layout = save.layout
    if layout is None or save.extent != (0, storage.nbytes):
        return False
    shape, _, _, size = layout
    count = size
    for each in shape:
        count *= each
    return count == storage.nbytes


def _keep(saves: Saves, key: int, save: SeenSave) -> None:
    present = saves.get(key)
    if present is None:
        saves[key] = {save.serial: save}
    else:
        present[save.serial] = save


def _remove(saves: Saves, key: int, save: SeenSave) -> None:
    present = saves.get(key, {})
    present.pop(save.serial, None)
    if not present:
        saves.pop(key, None)
