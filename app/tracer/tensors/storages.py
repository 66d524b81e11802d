"""Watches the addresses and contents of storages, and whether other code may write the storages."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import torch

from app.trace.codec import LARGEST
from app.trace.dtypes import itemsize
from app.trace.records import Contents, Limits, Storage, Summary, Tick, Unknown
from app.tracer import adapter
from app.tracer.tensors import layouts, values
from app.tracer.tensors.layouts import Fingerprint, Layout
from app.tracer.tensors.seen import SeenStorage, WatchedRef, watch
from app.tracer.trace_writer import Tables

READABLE = ("cpu", "cuda")
"""Types of devices whose memory the recorder can read. Bytes on a CUDA device are read from a copy."""
WATCHED_BYTES = 1 << 18
"""Shared storages of at most this size are compared after every statement, because NumPy may write them at any time."""
MOST_LOOKED_AT = 8
"""Maximum number of tensors of a storage that are examined for an image."""


class Lent(NamedTuple):
    """A storage that was, or may have been, exposed during a step that has not ended."""

    storage: SeenStorage
    step: int | None
    is_doubtful: bool
    """`is_shared` determines after the step whether the storage was exposed."""
    whole: Fingerprint | None
    """The fingerprint of all bytes before the exposure; None if the bytes themselves are compared."""


class StorageWatch:
    """Records storages at first sight, and their contents after changes."""

    def __init__(self, tables: Tables, limits: Limits) -> None:
        self._tables = tables
        self._limits = limits
        self._storages: dict[int, SeenStorage] = {}
        self._large_written: dict[int, SeenStorage] = {}
        self.dead: list[WatchedRef] = []
        """References to storages that died since the last `flush_deaths`."""
        self.exposed: list[SeenStorage] = []
        """Storages that code outside torch may write and that were not passed to `SaveWatch.note_exposed` yet."""
        self.lent: dict[int, Lent] = {}
        """Storages that were exposed by steps that have not ended, by id."""

    def forget(self) -> None:
        """Drop every weak reference, permanently."""
        for storage in self._storages.values():
            del storage.ref

    def storage_of(self, tensor: torch.Tensor) -> SeenStorage | None:
        """Return the storage of a tensor, which is recorded at first sight; None if torch does not show the storage or its
        size."""
        try:
            storage = torch.Tensor.untyped_storage(tensor)
            nbytes = storage.nbytes()
        except (RuntimeError, NotImplementedError):  # sparse, functorch, fake: torch refuses
            return None
        if type(nbytes) is not int:  # symbolic
            return None
        nbytes = min(nbytes, LARGEST)
        seen = self._storages.get(id(storage))
        if seen is None or seen.ref() is not storage:
            try:
                # The storage of a fake tensor warns when its address is read.
                address = 0 if storage.device.type == "meta" else storage.data_ptr()
            except (RuntimeError, NotImplementedError):
                return None
            return self._first_sight_of(storage, address, nbytes, tensor.dtype)
        if seen.nbytes != nbytes:
            seen.nbytes = nbytes
            self._measure(seen, storage)
            self._tables.storages.fact(seen.serial, "nbytes", self._tables.tick, nbytes)
            seen.raw = None
            self.look_at_contents(seen, written=True)
            seen.before = None
        return seen

    def _first_sight_of(self, storage: Any, address: int, nbytes: int, dtype: torch.dtype) -> SeenStorage:
        tables, tick = self._tables, self._tables.tick
        serial = tables.storages.count
        seen = SeenStorage(serial, watch(storage, serial, self.dead.append), adapter.dtype_name(dtype), address)
        seen.nbytes, seen.is_shared = nbytes, adapter.is_shared(storage)
        self._measure(seen, storage)
        contents: list[tuple[Tick, Contents]] = []
        if seen.has_cells and seen.is_on_host:
            seen.raw = raw = values.read_bytes(address, nbytes)
            contents = [(tick, cells := values.cells(raw, seen.dtype))]
            tables.value_bytes += values.wire_bytes(cells)
        record = Storage(
            id=serial,  # type: ignore[arg-type]
            born=tick,
            device=adapter.device_name(storage.device),
            address=hex(address),
            nbytes=[(tick, nbytes)],
            contents=contents,
        )
        tables.storages.append(record, facts=1 + len(contents))
        if seen.is_shared:
            self._mark_overlapping(address, address + nbytes)
        self._storages[id(storage)] = seen
        if not contents:
            self.look_at_contents(seen, written=True)
        return seen

    def _mark_overlapping(self, begin: int, end: int) -> None:
        """Mark storages that use the same bytes as a shared storage, for example after two `from_numpy` of one array."""
        for other in list(self._storages.values()):
            overlaps = other.address < end and begin < other.address + other.nbytes
            if overlaps and not other.is_shared and other.ref() is not None:
                self._mark_shared(other)

    def flush_deaths(self) -> None:
        """Record the deaths since the last call, at the current tick."""
        dead, storages = self.dead, self._storages
        while dead:
            ref = dead.pop()
            known = storages.get(ref.key)
            if known is not None and known.ref is ref:
                del storages[ref.key]
            self._tables.storages.mark(ref.serial, "freed", self._tables.tick)

    def _measure(self, seen: SeenStorage, storage: Any) -> None:
        """Determine how the bytes of a storage are read. `storage` is the observed object; None if this object died."""
        size = itemsize(seen.dtype) or 1
        memory = None if storage is None else adapter.kind_of_memory(storage).type
        seen.is_on_host = memory == "cpu"
        seen.is_readable = memory in READABLE
        seen.has_cells = seen.is_readable and seen.nbytes <= self._limits.cells * size
        seen.is_compared = seen.has_cells or (seen.is_on_host and seen.is_shared and seen.nbytes <= WATCHED_BYTES)

    def read_as(self, storage: SeenStorage, dtype: str) -> None:
        """Read a storage as this dtype from now on, unless a live tensor still reads it as the earlier dtype.

        A deep copy fills a storage through a byte tensor, which no longer exists when the actual tensor is created.
        """
        members = (member.ref() for counter in storage.counters for member in counter.members.values())
        if not any(adapter.dtype_name(member.dtype) == storage.dtype for member in members if member is not None):
            storage.dtype = dtype
            self._measure(storage, storage.ref())
            storage.raw = None
            self.look_at_contents(storage, written=True)
            storage.before = None

    def _mark_shared(self, seen: SeenStorage) -> None:
        seen.is_shared = True
        self.exposed.append(seen)
        self._measure(seen, seen.ref())
        if not seen.has_cells:
            self.look_at_contents(seen, written=True)
            seen.before = None

    def lend(self, tensor: torch.Tensor, step: int | None, *, is_marked: bool) -> None:
        """Note that this tensor's memory is about to be exposed during this step.

        `is_marked`: torch marks the storage if its memory is really exposed, as by `numpy()`. DLPack leaves no mark.
        """
        storage = self.storage_of(tensor)
        if storage is None:
            return
        known = self.lent.get(storage.serial)
        if known is not None:
            self.lent[storage.serial] = known._replace(is_doubtful=known.is_doubtful and is_marked)
            return
        is_doubtful = is_marked and not storage.is_shared
        if not storage.is_shared:
            self._mark_shared(storage)
        self.lent[storage.serial] = Lent(storage, step, is_doubtful, self._whole(storage))

    def lies_over(self, tensor: torch.Tensor) -> bool:
        """Whether a known storage holds this tensor's first element, found without asking the tensor for its storage."""
        try:
            address = tensor.data_ptr()
        except (RuntimeError, NotImplementedError):
            return False
        return any(each.address <= address < each.address + each.nbytes for each in list(self._storages.values()))

    def _whole(self, seen: SeenStorage) -> Fingerprint | None:
        """Return the fingerprint of all bytes; None if the storage is compared, or too large to summarise."""
        if seen.is_compared or seen.nbytes > values.SUMMARISED_ELEMENTS * (itemsize(seen.dtype) or 1):
            return None
        return self.fingerprint(seen, ((seen.nbytes,), (1,), 0, 1))

    def returned(self, step: int) -> Iterator[SeenStorage]:
        """At the end of a step, yield the storages that were exposed during this step and that other code may have written."""
        for lent in list(self.lent.values()):
            if lent.step is not None and lent.step < step:
                continue
            storage = lent.storage
            del self.lent[storage.serial]
            held = storage.ref()
            if held is None:
                continue
            if lent.is_doubtful and adapter.is_unshared(held):
                self._unmark_shared(storage)
            elif storage.is_compared or (lent.whole is not None and lent.whole != self._whole(storage)):
                yield storage

    def _unmark_shared(self, seen: SeenStorage) -> None:
        """Record that torch did not expose the storage after all."""
        seen.is_shared = False
        self._measure(seen, seen.ref())
        if not seen.has_cells:
            self.look_at_contents(seen, written=True)
            seen.before = None

    def was_shared_and_written(self, seen: SeenStorage) -> bool:
        """Whether a storage that is not compared was shared with NumPy since the last check, and has changed since then."""
        storage = seen.ref()
        if storage is None or not seen.is_on_host:
            return False
        address = storage.data_ptr()
        if address != seen.address:
            self._note_address(address, seen)
        if seen.is_shared or adapter.is_unshared(storage):
            return False
        before = None if seen.serial in self._large_written else seen.shown
        has_changed = isinstance(before, Summary) and not _has_same_values(before, self._summary(storage, seen))
        self._mark_shared(seen)
        return has_changed

    def _note_address(self, address: int, seen: SeenStorage) -> None:
        seen.address = address
        self._tables.storages.fact(seen.serial, "moved", self._tables.tick, hex(address))

    def look_at_contents(self, seen: SeenStorage, written: bool) -> tuple[int, int] | None:
        """Record the contents of a storage if they changed, and return the range of bytes [begin, end) that changed.

        None for a storage that is too large to compare. A large storage is summarised at the end of the statement if it was
        written.
        """
        if not seen.is_compared:
            if written:
                self._large_written[seen.serial] = seen
                if (
                    seen.serial in self.lent
                ):  # If torch wrote the storage, a difference does not prove that other code wrote it.
                    self.lent[seen.serial] = self.lent[seen.serial]._replace(whole=None)
            seen.raw = None
            return None
        storage = seen.ref()
        if storage is None:
            return 0, 0
        address = storage.data_ptr()
        if address != seen.address:
            self._note_address(address, seen)
        if seen.is_on_host:
            raw = values.read_bytes(address, seen.nbytes)
        else:
            host = adapter.on_host(storage)  # possibly a copy, which must stay alive until it is read
            raw = values.read_bytes(host.data_ptr(), seen.nbytes)
        before = seen.raw
        if before == raw:
            return 0, 0
        seen.before, seen.raw = before, raw
        if seen.has_cells:
            self._keep(seen, values.cells(raw, seen.dtype))
        else:
            self._large_written[seen.serial] = seen
        return (0, seen.nbytes) if before is None else values.difference(before, raw)

    def fingerprint(self, seen: SeenStorage, layout: Layout) -> Fingerprint | None:
        """Return the fingerprint of the elements in this layout; None if the elements cannot be read or extend beyond the
        storage."""
        if seen.raw is not None:
            return layouts.fingerprint(seen.raw, layout)
        storage = seen.ref()
        if storage is None or not seen.is_readable or not seen.nbytes:
            return None
        if seen.is_on_host:
            return layouts.fingerprint(layouts.memory_at(storage.data_ptr(), seen.nbytes, layouts.READ_ONLY), layout)
        return adapter.device_fingerprint(storage, layout)

    def has_other_values(self, one: SeenStorage, other: SeenStorage) -> bool:
        """Whether the summaries of two storages prove that their values differ. The first storage may have died."""
        storage = other.ref()
        if storage is None or not isinstance(one.shown, Summary):
            return False
        summary = self._summary(storage, other)
        return isinstance(summary, Summary) and not _has_same_values(one.shown, summary)

    def summarise_all(self) -> None:
        """Summarise again each storage that is too large to compare, because other threads may have written it."""
        for storage in self._storages.values():
            if not storage.is_compared:
                self.look_at_contents(storage, written=True)

    def summarise_written(self) -> None:
        """Record a summary of each large storage that was written since the last call."""
        if not self._large_written:
            return
        for seen in self._large_written.values():
            storage = seen.ref()
            contents = None if storage is None else self._summary(storage, seen)
            if contents is not None and contents != seen.shown:
                seen.shown = contents
                self._keep(seen, contents)
        self._large_written.clear()

    def _keep(self, seen: SeenStorage, contents: Contents) -> None:
        self._tables.storages.fact(seen.serial, "contents", self._tables.tick, contents)
        self._tables.value_bytes += values.wire_bytes(contents)

    def _summary(self, storage: Any, seen: SeenStorage) -> Contents:
        memory = adapter.kind_of_memory(storage)
        if memory.type == "meta":
            return Unknown(reason="A meta storage has no values.")
        if memory.type not in READABLE:
            return Unknown(reason=f"Values on {memory} are not read.")
        if seen.is_shared and not seen.is_compared:
            return Unknown(
                reason="Code outside torch may write these bytes, and they are too many to compare after every statement."
            )
        # A storage that is too large to summarise is not copied, because `summary` does not read it.
        size = itemsize(seen.dtype) or 0
        host = adapter.on_host(storage) if seen.nbytes <= values.SUMMARISED_ELEMENTS * size else storage
        return values.summary(host.data_ptr(), seen.nbytes, seen.dtype, _image_in(seen))


def _has_same_values(one: Summary, other: Contents) -> bool:
    """Whether two summaries are equal except for the image, which also depends on the tensors of the storage."""
    return isinstance(other, Summary) and msgspec.structs.replace(one, image=other.image) == other


def _image_in(seen: SeenStorage) -> values.Pixels | None:
    """Return the image in a storage, if one of its first tensors has the shape of images."""
    members = (member for counter in seen.counters for member in counter.members.values())
    for look in (member.look for member in islice(members, MOST_LOOKED_AT)):
        if look is not None and look[0] is torch.strided and adapter.dtype_name(look[1]) == seen.dtype:
            found = values.pixels(*look[2:5])
            if found is not None:
                return found
    return None
