"""Watches tensors, storages and version counters: who looks at which bytes, and who counts whose writes."""

import weakref
from collections.abc import Callable
from itertools import islice
from typing import Any

import torch

from app.trace.codec import clip
from app.trace.dtypes import itemsize
from app.trace.records import Contents, Geometry, Limits, Summary, Unknown
from app.tracer import adapter, values
from app.tracer.tables import Table, Tables
from app.tracer.threads import ThreadWatch

_READABLE = ("cpu", "cuda")
"""Memory whose bytes can be read, from CUDA by way of a copy."""
_ASKED = 64
"""Tensors on one counter that are asked for the one a SavedTensor looks like; the oldest first."""
_UNSEEN: Any = object()
"""Nothing was recorded yet."""
WATCHED_BYTES = 1 << 18
"""NumPy may write the bytes it shares at any time: of a storage up to this size they are compared after every statement."""


class SeenStorage:
    """What was last recorded of one UntypedStorage. Holds it weakly."""

    __slots__ = (
        "address",
        "before",
        "counters",
        "dtype",
        "has_cells",
        "is_compared",
        "is_shared",
        "nbytes",
        "raw",
        "ref",
        "serial",
        "shown",
    )

    def __init__(self, serial: int, ref: "weakref.ref[Any]", dtype: str, address: int) -> None:
        self.serial = serial
        self.ref = ref
        self.dtype = dtype
        self.nbytes = -1
        self.address = address
        self.has_cells = False
        """Its bytes are in this process and so few that every element is kept."""
        self.is_shared = False
        """An array of NumPy, or another storage, lies over its bytes."""
        self.is_compared = False
        """Its bytes are compared whenever somebody looks: it has cells, or is shared and not too large."""
        self.shown: Contents | None = None
        """The Summary recorded last."""
        self.raw: bytes | None = None
        self.before: bytes | None = None
        """The bytes before they last changed; None where either was not kept."""
        self.counters: list[SeenCounter] = []


class SeenCounter:
    """One version counter: its last known version, and the live tensors that were seen to hang on it, oldest first."""

    __slots__ = ("members", "serial", "version")

    def __init__(self, serial: int) -> None:
        self.serial = serial
        self.version = -1
        self.members: dict[int, SeenTensor] = {}

    def representative(self, but: torch.Tensor | None = None) -> torch.Tensor | None:
        """A live tensor on this counter other than `but`."""
        for seen in list(islice(self.members.values(), 2)):  # a list at once: members go whenever one is collected
            tensor = seen.ref()
            if tensor is not None and tensor is not but:
                return tensor
        return None


class SeenTensor:
    """What was last recorded of one Tensor object. Holds it weakly."""

    __slots__ = (
        "address",
        "base",
        "counter",
        "counter_fact",
        "grad",
        "grad_fn",
        "is_leaf",
        "look",
        "ref",
        "requires_grad",
        "serial",
        "storage",
        "version",
    )

    def __init__(self, serial: int, ref: "weakref.ref[torch.Tensor]") -> None:
        self.serial = serial
        self.ref = ref
        self.look: tuple[Any, ...] | None = None
        self.storage: SeenStorage | None = None
        self.counter_fact: Any = _UNSEEN
        """What was recorded of its counter: the id, None for none, or a text why that cannot be known."""
        self.counter: SeenCounter | None = None
        self.version: int | None = None
        """The version at which everything about it was looked at, its Node included."""
        self.address = 0
        """Of its first element then."""
        self.requires_grad: Any = _UNSEEN
        self.is_leaf: Any = _UNSEEN
        self.base: Any = _UNSEEN
        self.grad: Any = _UNSEEN
        self.grad_fn: Any = _UNSEEN


class MemoryWatch:
    """Observes tensors one at a time and records what changed since the last look."""

    def __init__(self, tables: Tables, limits: Limits, threads: ThreadWatch) -> None:
        self._tables = tables
        self._threads = threads
        self._limits = limits
        self._tensors: dict[int, SeenTensor] = {}
        self._storages: dict[int, SeenStorage] = {}
        self._large_written: dict[int, SeenStorage] = {}
        self.announced: dict[int, tuple[SeenTensor, SeenCounter]] = {}
        """By counter: counters that moved although no operator was seen to write, and the tensor that showed it."""
        self.moved: list[SeenTensor] = []
        """Tensors whose geometry is not what it was at first sight: what saved them may now look at other elements."""
        self.died: list[int] = []
        """Every tensor that died, in order."""
        self.ended: list[tuple[Table, int, str]] = []
        """(table, id, field) of what died since the last `bury`. Callbacks run inside C++ destructors: they only append."""

    def bury(self) -> None:
        """Record the deaths noticed since the last time, at the present tick."""
        while self.ended:
            table, serial, field = self.ended.pop()
            table.mark(serial, field, self._tables.tick)

    def doubted(self) -> list[torch.Tensor]:
        """Every known Tensor that lives. What was too large to compare is summarised anew."""
        for storage in self._storages.values():
            if not storage.is_compared:
                self.look_at_contents(storage, written=True)
        return [tensor for seen in list(self._tensors.values()) if (tensor := seen.ref()) is not None]

    def known(self, tensor: torch.Tensor) -> SeenTensor | None:
        seen = self._tensors.get(id(tensor))
        return seen if seen is not None and seen.ref() is tensor else None

    def is_unchanged(self, tensor: torch.Tensor, seen: SeenTensor) -> bool:
        """Whether a look would find what the last one found, but for the bytes. What has no counter is looked at every time."""
        counter = seen.counter
        return (
            counter is not None
            and seen.version is not None
            and type(tensor) in adapter.PLAIN
            and tensor._version == seen.version == counter.version
            and seen.requires_grad is tensor.requires_grad
            and self._is_in_place(tensor, seen)
            and seen.grad == self._grad_of(tensor)
        )

    def remember(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        """Everything about this tensor was looked at just now. A view that is a leaf becomes a Function's output unwritten."""
        settled = seen.is_leaf is not True or not tensor._is_view()
        if settled and seen.counter is not None and seen.storage is not None and type(tensor) in adapter.PLAIN:
            seen.version, seen.address = seen.counter.version, tensor.data_ptr()
        else:
            seen.version = None

    def is_quiet(self, seen: SeenTensor) -> bool:
        """Whether a tensor has nothing new to what changes most: a cheap `is_unchanged` that overlooks another stride.

        What NumPy may write never is.
        """
        tensor = seen.ref()
        return tensor is None or (
            seen.version is not None
            and tensor._version == seen.version
            and tensor.requires_grad is seen.requires_grad
            and tensor.data_ptr() == seen.address
            and not adapter.is_shared(tensor.untyped_storage())
            and (seen.is_leaf is not True or (tensor.grad is None) is (seen.grad is None))
        )

    def _grad_of(self, tensor: torch.Tensor) -> int | None:
        """The id of its gradient, which is -1 while that is not known; None for none."""
        grad = adapter.grad_of(tensor)
        known = None if grad is None else self.known(grad)
        return -1 if grad is not None and known is None else None if known is None else known.serial

    def observe(self, tensor: torch.Tensor, made_by: int | None = None) -> SeenTensor:
        """Record what is new about a tensor: geometry, storage, counter, version, flags, base and grad. Not `grad_fn`."""
        if type(tensor) in adapter.PLAIN:
            return self._observe(tensor, made_by)
        with torch._C.DisableTorchFunction():
            return self._observe(tensor, made_by)

    def let_go(self, tensor: torch.Tensor) -> SeenTensor | None:
        """Drop every weak reference to a tensor, for a caller that refuses tensors with any; `take_up` puts it back."""
        seen = self._tensors.pop(id(tensor), None)
        if seen is None:
            return None
        if seen.counter is not None:
            seen.counter.members.pop(seen.serial, None)
        seen.counter = seen.version = None
        del seen.ref
        return seen

    def take_up(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        """Watch a tensor again after `let_go`. What it is made of may have changed: its counter is asked for anew."""
        key = id(tensor)
        seen.ref = weakref.ref(tensor, self._mourner(key, seen.serial))
        self._tensors[key] = seen

    def forget(self) -> None:
        """Drop every weak reference, for good."""
        for tensor in self._tensors.values():
            del tensor.ref
        for storage in self._storages.values():
            del storage.ref

    def glance(self, tensor: torch.Tensor, made_by: int | None = None) -> SeenTensor:
        """Record what may be read below autograd: geometry, storage, counter, version.

        `is_leaf` and `grad_fn` of a view whose base was written re-derive its Node, which must not happen within an operator.
        """
        if type(tensor) in adapter.PLAIN:
            return self._glance(tensor, made_by)
        with torch._C.DisableTorchFunction():
            return self._glance(tensor, made_by)

    def _glance(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        seen = self.known(tensor) or self._first_sight(tensor, made_by)
        if not self._is_in_place(tensor, seen):
            self._look_at_geometry(tensor, seen)
        self._look_at_counter(tensor, seen)
        return seen

    def _is_in_place(self, tensor: torch.Tensor, seen: SeenTensor) -> bool:
        """Whether a tensor still looks at the same elements of the same bytes."""
        storage = seen.storage
        if storage is None or seen.version is None:
            return False
        bytes_now = tensor.untyped_storage()
        return storage.ref() is bytes_now and storage.nbytes == bytes_now.nbytes() and seen.look == adapter.look_of(tensor)

    def _observe(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        seen = self._glance(tensor, made_by)
        tensors, tick = self._tables.tensors, self._tables.tick
        requires_grad = tensor.requires_grad
        if seen.requires_grad is not requires_grad:
            seen.requires_grad = requires_grad
            tensors.fact(seen.serial, "requires_grad", tick, requires_grad)
        try:
            is_leaf: bool | Unknown = tensor.is_leaf
        except RuntimeError as refusal:
            is_leaf = refused(refusal)
        if seen.is_leaf != is_leaf:
            seen.is_leaf = is_leaf
            tensors.fact(seen.serial, "is_leaf", tick, is_leaf)
        base = tensor._base if tensor._is_view() else None
        base_serial = None if base is None else (self.known(base) or self._observe(base, made_by)).serial
        if seen.base != base_serial:
            seen.base = base_serial
            tensors.fact(seen.serial, "base", tick, base_serial)
        grad = adapter.grad_of(tensor)
        grad_serial = None if grad is None else self.observe(grad, made_by).serial
        if seen.grad != grad_serial:
            seen.grad = grad_serial
            tensors.fact(seen.serial, "grad", tick, grad_serial)
        return seen

    def _first_sight(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        tables = self._tables
        serial = tables.tensors.add(born=tables.tick, type=clip(adapter.type_of(tensor)), made_by=made_by)
        key = id(tensor)
        seen = SeenTensor(serial, weakref.ref(tensor, self._mourner(key, serial)))
        self._tensors[key] = seen
        return seen

    def _mourner(self, key: int, serial: int) -> Callable[[object], None]:
        ended, died, tensors, death = self.ended, self.died, self._tensors, (self._tables.tensors, serial, "died")

        def callback(ref: object) -> None:
            ended.append(death)
            died.append(serial)
            known = tensors.get(key)
            if known is not None and known.ref is ref:
                del tensors[key]
                if known.counter is not None:
                    known.counter.members.pop(serial, None)

        return callback

    # --- geometry and storage ---------------------------------------------------------------------------------------

    def _look_at_geometry(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        storage = self.storage_of(tensor)
        look = adapter.look_of(tensor)
        if seen.look == look and seen.storage is storage:
            return
        seen.look = look
        if storage is not None and seen.counter is not None and seen.counter not in storage.counters:
            storage.counters.append(seen.counter)  # `.data =` and `set_` move a tensor, and its counter with it
        if seen.storage is not None:
            self.moved.append(seen)
        seen.storage = storage
        geometry = self.geometry_of(tensor, storage)
        self._tables.tensors.fact(seen.serial, "geometry", self._tables.tick, geometry)
        if storage is not None and storage.dtype != geometry.dtype:
            self._read_as(storage, geometry.dtype)

    def _read_as(self, storage: SeenStorage, dtype: str) -> None:
        """Read a storage as this dtype from now on, unless a live tensor reads it as before.

        A deep copy fills a storage through a tensor of bytes, which is gone when the tensor it is for comes.
        """
        members = (member.ref() for counter in storage.counters for member in list(counter.members.values()))
        if not any(adapter.dtype_name(member.dtype) == storage.dtype for member in members if member is not None):
            storage.dtype = dtype
            self._measure(storage)
            storage.raw = None
            self.look_at_contents(storage, written=True)
            storage.before = None

    def geometry_of(self, tensor: torch.Tensor, storage: SeenStorage | None) -> Geometry:
        layout, dtype, shape, stride, storage_offset, is_conj, is_neg = adapter.look_of(tensor)
        return Geometry(
            dtype=adapter.dtype_name(dtype),
            device=adapter.device_of(tensor),
            layout="strided" if layout is torch.strided else layout,
            shape=list(map(int, shape)),
            stride=None if stride is None else list(map(int, stride)),
            storage_offset=storage_offset,
            storage=None if storage is None else storage.serial,  # type: ignore[arg-type]
            is_conj=is_conj,
            is_neg=is_neg,
        )

    def storage_of(self, tensor: torch.Tensor) -> SeenStorage | None:
        """The storage a tensor looks at, recorded at first sight; None when torch shows none."""
        try:
            storage = torch.Tensor.untyped_storage(tensor)
            nbytes = storage.nbytes()
        except (RuntimeError, NotImplementedError):  # sparse, functorch, fake: torch refuses
            return None
        seen = self._storages.get(id(storage))
        if seen is None or seen.ref() is not storage:
            try:
                # A fake tensor's storage, on no device, warns of being asked where its bytes are.
                address = 0 if storage.device.type == "meta" else storage.data_ptr()
            except (RuntimeError, NotImplementedError):
                return None
            seen = self._first_sight_of(storage, address, tensor)
        if seen.nbytes != nbytes:
            seen.nbytes = nbytes
            self._measure(seen)
            self._tables.storages.fact(seen.serial, "nbytes", self._tables.tick, nbytes)
            seen.raw = None
            self.look_at_contents(seen, written=True)
            seen.before = None
        return seen

    def _first_sight_of(self, storage: Any, address: int, tensor: torch.Tensor) -> SeenStorage:
        tables, storages, ended, key = self._tables, self._storages, self.ended, id(storage)
        serial = tables.storages.add(born=tables.tick, device=adapter.device_name(storage.device), address=hex(address))

        def callback(ref: object) -> None:
            ended.append((tables.storages, serial, "freed"))
            known = storages.get(key)
            if known is not None and known.ref is ref:
                del storages[key]

        seen = SeenStorage(serial, weakref.ref(storage, callback), adapter.dtype_name(tensor.dtype), address)
        if adapter.is_shared(storage):
            seen.is_shared = True
            end = address + storage.nbytes()
            for other in list(storages.values()):  # `from_numpy` twice, `from_dlpack`
                if not other.is_shared and other.address < end and address < other.address + other.nbytes:
                    self._lend(other)
        storages[key] = seen
        return seen

    def _measure(self, seen: SeenStorage) -> None:
        storage, size = seen.ref(), itemsize(seen.dtype) or 1
        memory = None if storage is None else adapter.kind_of_memory(storage).type
        seen.has_cells = memory in _READABLE and seen.nbytes <= self._limits.cells * size
        seen.is_compared = seen.has_cells or (memory == "cpu" and seen.is_shared and seen.nbytes <= WATCHED_BYTES)

    def _lend(self, seen: SeenStorage) -> None:
        seen.is_shared = True
        self._measure(seen)
        if not seen.has_cells:
            self.look_at_contents(seen, written=True)
            seen.before = None

    def expose(self, tensor: torch.Tensor) -> None:
        """DLPack is about to hand this tensor's address out, which leaves no mark that `is_shared` could find."""
        storage = self.storage_of(tensor)
        if storage is not None and not storage.is_shared:
            self._lend(storage)

    def was_lent(self, seen: SeenStorage) -> bool:
        """Whether a storage whose bytes were not compared was lent to NumPy since the last look, and has other values now."""
        storage = seen.ref()
        if storage is None or adapter.kind_of_memory(storage).type != "cpu":
            return False
        self._note_address(storage.data_ptr(), seen)
        if seen.is_shared or not adapter.is_shared(storage):
            return False
        before = None if seen.serial in self._large_written else seen.shown
        self._lend(seen)
        return isinstance(before, Summary) and before != self._summary(storage, seen)

    def _note_address(self, address: int, seen: SeenStorage) -> None:
        if address != seen.address:
            seen.address = address
            self._tables.storages.fact(seen.serial, "moved", self._tables.tick, hex(address))

    def look_at_contents(self, seen: SeenStorage, written: bool) -> tuple[int, int] | None:
        """Record the contents of a storage if they differ; returns the range of bytes [begin, end) that changed.

        None for a storage too large to compare: it is summarised at the end of the statement if it was written.
        """
        if not seen.is_compared:
            if written:
                self._large_written[seen.serial] = seen
            seen.raw = None
            return None
        storage = seen.ref()
        if storage is None:
            return 0, 0
        self._note_address(storage.data_ptr(), seen)
        raw = values.read_bytes(adapter.on_host(storage).data_ptr(), seen.nbytes)
        before = seen.raw
        if before == raw:
            return 0, 0
        seen.before, seen.raw = before, raw
        if seen.has_cells:
            self._keep(seen, values.cells(raw, seen.dtype))
        else:
            self._large_written[seen.serial] = seen
        return (0, seen.nbytes) if before is None else values.difference(before, raw)

    def summarise_written(self) -> None:
        """Record the shape of the values of every large storage written since the last time."""
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
        if memory.type not in _READABLE:
            return Unknown(reason=f"Values on {memory} are not read.")
        if seen.is_shared and not seen.is_compared:
            return Unknown(
                reason="Not only torch may write these bytes, and they are too many to compare after every statement."
            )
        # What is too large to summarise is not copied for it either: `summary` says so without a look.
        size = itemsize(seen.dtype) or 0
        host = adapter.on_host(storage) if seen.nbytes <= values.SUMMARISED_ELEMENTS * size else storage
        return values.summary(host.data_ptr(), seen.nbytes, seen.dtype)

    # --- version counters -------------------------------------------------------------------------------------------

    def _look_at_counter(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        counter = seen.counter
        if counter is None and torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            self._without_counter(seen, "Inside torch.func, version counters are not to be trusted.")
            return
        version = adapter.version_of(tensor)
        if version is None:
            if counter is not None:
                counter.members.pop(seen.serial, None)
                seen.counter = None
            self._without_counter(seen, None)
            return
        if counter is not None and counter.version == version:
            return
        if counter is None and self._threads.crowded:
            # Asking who shares a counter moves it for a moment, in which another thread may write.
            self._without_counter(seen, "Other threads run: whose counter this is will be asked later.")
            return
        if counter is None or self._has_moved(tensor, version, counter):
            counter = self._join(tensor, seen, self.counter_of(tensor, seen.storage))
        if counter.version not in (-1, version):
            self.announced[counter.serial] = seen, counter
        self.count(counter, version)

    def _without_counter(self, seen: SeenTensor, why: str | None) -> None:
        """Record, once, that a tensor has no counter (None) or that it cannot be known which (the reason)."""
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

    def counter_of(self, tensor: torch.Tensor, storage: SeenStorage | None) -> SeenCounter:
        """The counter this tensor hangs on, found by asking one representative of each counter known on its storage."""
        counters = storage.counters if storage is not None else []
        for counter in counters:
            other = counter.representative(but=tensor)
            if other is not None and adapter.version_of(other) is not None and adapter.shares_counter(tensor, other):
                return counter
        counter = SeenCounter(self._tables.version_counters.add())
        counters[:] = [known for known in counters if known.members]
        counters.append(counter)
        return counter

    def counter_of_saved(self, tensor: torch.Tensor, storage: SeenStorage | None) -> SeenCounter:
        """The same for a tensor that a Node holds and that is not known. It is asked for its counter as long as it lives."""
        counter = self.counter_of(tensor, storage)
        if not counter.members:
            members, key = counter.members, -1 - counter.serial
            members[key] = SeenTensor(key, weakref.ref(tensor, lambda _: members.pop(key, None)))
        return counter

    def looking_at(self, tensor: torch.Tensor, counter: SeenCounter | None) -> int | None:
        """A known tensor that looks at the same elements with the same counter: what a SavedTensor is a copy of the view of."""
        if counter is None:
            return None
        look = adapter.look_of(tensor)
        for seen in list(islice(counter.members.values(), _ASKED)):
            if seen.look is not None and seen.look[:4] == look[:4] and look[0] is torch.strided and seen.ref() is not None:
                return seen.serial
        return None

    def count(self, counter: SeenCounter, version: int) -> None:
        """Record the version of a counter if it moved."""
        if counter.version != version:
            counter.version = version
            self._tables.version_counters.fact(counter.serial, "version", self._tables.tick, version)

    def lose(self, counter: SeenCounter) -> None:
        """It was bumped, and what hung on it was gone before it could be asked: `h.data.mul_(2)` writes through a temporary."""
        counter.version = -1
        unread = Unknown(reason="Nothing that hangs on this counter was left to be asked.")
        self._tables.version_counters.fact(counter.serial, "version", self._tables.tick, unread)


def refused(refusal: RuntimeError) -> Unknown:
    """The refusal is the fact."""
    return Unknown(reason=str(refusal).split("\n", 1)[0][:300])
