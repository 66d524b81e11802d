"""Watches tensors, storages and version counters: who looks at which bytes, and who counts whose writes."""

import weakref
from collections.abc import Callable
from typing import Any

import torch

from app.trace.records import (
    Contents,
    Geometry,
    Limits,
    Storage,
    Tensor,
    Unknown,
    VersionCounter,
)
from app.tracer import adapter, values
from app.tracer.tables import Tables

_PLAIN = (torch.Tensor, torch.nn.Parameter)


class SeenStorage:
    """What was last recorded of one UntypedStorage. Holds it weakly."""

    __slots__ = ("before", "counters", "dtype", "nbytes", "raw", "ref", "serial")

    def __init__(self, serial: int, ref: "weakref.ref[Any]", dtype: str) -> None:
        self.serial = serial
        self.ref = ref
        self.dtype = dtype
        self.nbytes = -1
        self.raw: bytes | None = None
        self.before: bytes | None = None
        """The bytes before they last changed; None where either was not kept."""
        self.counters: list[SeenCounter] = []


class SeenCounter:
    """One version counter: its last known version and, weakly, the tensors that were seen to hang on it."""

    __slots__ = ("members", "serial", "version")

    def __init__(self, serial: int) -> None:
        self.serial = serial
        self.version = -1
        self.members: list[weakref.ref[torch.Tensor]] = []

    def representative(self, but: torch.Tensor | None = None) -> torch.Tensor | None:
        """A live tensor on this counter other than `but`; forgets dead ones on the way."""
        self.members = [ref for ref in self.members if ref() is not None]
        return next(
            (tensor for ref in self.members if (tensor := ref()) is not None and tensor is not but),
            None,
        )


class SeenTensor:
    """What was last recorded of one Tensor object. Holds it weakly."""

    __slots__ = ("counter", "facts", "geometry", "ref", "serial", "storage")

    def __init__(self, serial: int, ref: "weakref.ref[torch.Tensor]") -> None:
        self.serial = serial
        self.ref = ref
        self.geometry: tuple[Any, ...] | None = None
        self.storage: SeenStorage | None = None
        self.counter: SeenCounter | None = None
        self.facts: dict[str, Any] = {}


class MemoryWatch:
    """Observes tensors one at a time and records what changed since the last look."""

    def __init__(self, tables: Tables, limits: Limits) -> None:
        self._tables = tables
        self._limits = limits
        self._tensors: dict[int, SeenTensor] = {}
        self._storages: dict[int, SeenStorage] = {}
        self._large_written: dict[int, SeenStorage] = {}
        self.announced: dict[int, tuple[SeenTensor, SeenCounter]] = {}
        """By counter: counters that moved although no operator was seen to write, and the tensor that showed it."""
        self.moved: list[SeenTensor] = []
        """Tensors whose geometry is not what it was at first sight: what saved them may now look at other elements."""
        self.ended: list[tuple[str, int, str]] = []
        """(table, id, field) of what died since the last `bury`. Callbacks run inside C++ destructors: they only append."""

    def bury(self) -> None:
        """Record the deaths noticed since the last time, at the present tick."""
        while self.ended:
            self._tables.settle(*self.ended.pop())

    def known(self, tensor: torch.Tensor) -> SeenTensor | None:
        seen = self._tensors.get(id(tensor))
        return seen if seen is not None and seen.ref() is tensor else None

    def observe(self, tensor: torch.Tensor, made_by: int | None = None) -> SeenTensor:
        """Record what is new about a tensor: geometry, storage, counter, version, flags, base and grad. Not `grad_fn`."""
        if type(tensor) in _PLAIN:
            return self._observe(tensor, made_by)
        # A subclass's `__torch_function__` would run for a mere `.shape`.
        with torch._C.DisableTorchFunction():
            return self._observe(tensor, made_by)

    def let_go(self, tensor: torch.Tensor) -> SeenTensor | None:
        """Drop every weak reference to a tensor, for a caller that refuses tensors with any; `take_up` puts it back."""
        seen = self._tensors.pop(id(tensor), None)
        if seen is None:
            return None
        if seen.counter is not None:
            seen.counter.members = [ref for ref in seen.counter.members if ref() is not tensor]
        seen.counter = None
        del seen.ref
        return seen

    def take_up(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        """Watch a tensor again after `let_go`. What it is made of may have changed: its counter is asked for anew."""
        key = id(tensor)
        seen.ref = weakref.ref(tensor, self._mourner(self._tensors, key, ("tensors", seen.serial, "died")))
        self._tensors[key] = seen

    def glance(self, tensor: torch.Tensor, made_by: int | None = None) -> SeenTensor:
        """Record what may be read below autograd: geometry, storage, counter, version.

        `is_leaf` and `grad_fn` of a view whose base was written re-derive its Node, which must not happen in the middle of an operator.
        """
        with torch._C.DisableTorchFunction():
            seen = self.known(tensor) or self._first_sight(tensor, made_by)
            self._look_at_geometry(tensor, seen)
            self._look_at_counter(tensor, seen)
        return seen

    def set_fact(self, seen: SeenTensor, field: str, value: Any) -> None:
        """Record `value` if it differs from what was last recorded of this tensor."""
        if field not in seen.facts or seen.facts[field] != value:
            seen.facts[field] = value
            self._tables.fact("tensors", seen.serial, field, value)

    def _observe(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        seen = self.glance(tensor, made_by)
        self.set_fact(seen, "requires_grad", tensor.requires_grad)
        is_leaf = _asked(lambda: tensor.is_leaf)
        self.set_fact(seen, "is_leaf", is_leaf)
        base = tensor._base if tensor._is_view() else None
        self.set_fact(
            seen,
            "base",
            None if base is None else (self.known(base) or self._observe(base, made_by)).serial,
        )
        grad = tensor.grad if is_leaf is True or tensor.retains_grad else adapter.grad_of(tensor)
        self.set_fact(seen, "grad", None if grad is None else self.observe(grad, made_by).serial)
        return seen

    def _first_sight(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        serial = self._tables.add(
            "tensors",
            Tensor,
            born=self._tables.tick,
            type=type(tensor).__name__,
            made_by=made_by,
        )
        key = id(tensor)
        seen = SeenTensor(
            serial,
            weakref.ref(tensor, self._mourner(self._tensors, key, ("tensors", serial, "died"))),
        )
        self._tensors[key] = seen
        return seen

    def _mourner(self, seen: dict[int, Any], key: int, death: tuple[str, int, str]) -> Callable[[object], None]:
        ended = self.ended

        def callback(ref: object) -> None:
            ended.append(death)
            known = seen.get(key)
            if known is not None and known.ref is ref:
                del seen[key]

        return callback

    # --- geometry and storage ---------------------------------------------------------------------------------------

    def _look_at_geometry(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        storage = self.storage_of(tensor)
        layout = adapter.layout_of(tensor)
        sizes = adapter.sizes_of(tensor, layout)
        now = (layout, sizes, tensor.dtype, storage, tensor.is_conj(), tensor.is_neg())
        if seen.geometry == now:
            return
        seen.geometry = now
        if storage is not None and seen.counter is not None and seen.counter not in storage.counters:
            storage.counters.append(seen.counter)  # `.data =` and `set_` move a tensor, and its counter with it
        if seen.storage is not None:
            self.moved.append(seen)
        seen.storage = storage
        geometry = self.geometry_of(tensor, storage)
        self._tables.fact("tensors", seen.serial, "geometry", geometry)
        if storage is not None and storage.dtype != geometry.dtype:
            self._read_as(storage, geometry.dtype)

    def _read_as(self, storage: SeenStorage, dtype: str) -> None:
        """Read a storage as this dtype from now on, unless a live tensor reads it as before.

        A deep copy fills a storage through a tensor of bytes, which is gone when the tensor it is for comes.
        """
        members = (ref() for counter in storage.counters for ref in counter.members)
        if not any(str(member.dtype).removeprefix("torch.") == storage.dtype for member in members if member is not None):
            storage.dtype = dtype
            storage.raw = None
            self.look_at_contents(storage, written=True)
            storage.before = None

    def geometry_of(self, tensor: torch.Tensor, storage: SeenStorage | None) -> Geometry:
        layout = adapter.layout_of(tensor)
        shape, stride, storage_offset = adapter.sizes_of(tensor, layout)
        return Geometry(
            dtype=str(tensor.dtype).removeprefix("torch."),
            device=str(tensor.device),
            layout=layout,
            shape=[int(size) for size in shape],
            stride=None if stride is None else [int(step) for step in stride],
            storage_offset=storage_offset,
            storage=None if storage is None else storage.serial,  # type: ignore[arg-type]
            is_conj=tensor.is_conj(),
            is_neg=tensor.is_neg(),
        )

    def storage_of(self, tensor: torch.Tensor) -> SeenStorage | None:
        """The storage a tensor looks at, recorded at first sight; None when torch shows none."""
        try:
            storage = tensor.untyped_storage()
            address, nbytes = storage.data_ptr(), storage.nbytes()
        except (
            RuntimeError,
            NotImplementedError,
        ):  # sparse, functorch, fake: torch refuses
            return None
        seen = self._storages.get(id(storage))
        if seen is None or seen.ref() is not storage:
            serial = self._tables.add(
                "storages",
                Storage,
                born=self._tables.tick,
                device=str(tensor.device),
                address=hex(address),
            )
            key = id(storage)
            ref = weakref.ref(
                storage,
                self._mourner(self._storages, key, ("storages", serial, "freed")),
            )
            seen = SeenStorage(serial, ref, str(tensor.dtype).removeprefix("torch."))
            self._storages[key] = seen
        if seen.nbytes != nbytes:
            seen.nbytes = nbytes
            self._tables.fact("storages", seen.serial, "nbytes", nbytes)
            seen.raw = None
            self.look_at_contents(seen, written=True)
            seen.before = None
        return seen

    def is_small(self, storage: SeenStorage) -> bool:
        size = values.itemsize(storage.dtype)
        return size is not None and storage.nbytes <= self._limits.cells * size

    def look_at_contents(self, seen: SeenStorage, written: bool) -> tuple[int, int] | None:
        """Record the contents of a storage if they differ; returns the range of bytes [begin, end) that changed.

        None for a storage too large to compare: it is summarised at the end of the statement if it was written.
        """
        storage = seen.ref()
        if storage is None:
            return 0, 0
        if not self.is_small(seen) or storage.device.type != "cpu":
            if written:
                self._large_written[seen.serial] = seen
            seen.raw = None
            return None
        raw = values.read_bytes(storage.data_ptr(), seen.nbytes)
        if seen.raw == raw:
            return 0, 0
        before, seen.raw = seen.raw, raw
        seen.before = before
        self._tables.fact("storages", seen.serial, "contents", values.cells(raw, seen.dtype))
        return (0, seen.nbytes) if before is None else _difference(before, raw)

    def summarise_written(self) -> None:
        """Record the shape of the values of every large storage written since the last time."""
        for seen in self._large_written.values():
            storage = seen.ref()
            if storage is not None:
                self._tables.fact("storages", seen.serial, "contents", self._summary(storage, seen))
        self._large_written.clear()

    def _summary(self, storage: Any, seen: SeenStorage) -> Contents:
        if storage.device.type == "meta":
            return Unknown(reason="A meta storage has no values.")
        if storage.device.type != "cpu":
            return Unknown(reason=f"Values on {storage.device} are not read.")
        return values.summary(storage.data_ptr(), seen.nbytes, seen.dtype)

    # --- version counters -------------------------------------------------------------------------------------------

    def _look_at_counter(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            self.set_fact(
                seen,
                "version_counter",
                Unknown(reason="Inside torch.func, version counters are not to be trusted."),
            )
            return
        version = adapter.version_of(tensor)
        if version is None:
            seen.counter = None
            self.set_fact(seen, "version_counter", None)
            return
        if seen.counter is None or self._has_moved(tensor, version, seen.counter):
            seen.counter = self.counter_of(tensor, seen.storage)
            self.set_fact(seen, "version_counter", seen.counter.serial)
        if seen.counter.version not in (-1, version):
            self.announced[seen.counter.serial] = seen, seen.counter
        self.count(seen.counter, version)

    def _has_moved(self, tensor: torch.Tensor, version: int, counter: SeenCounter) -> bool:
        if counter.version == version:
            return False
        other = counter.representative(but=tensor)
        return other is not None and adapter.version_of(other) != version

    def counter_of(self, tensor: torch.Tensor, storage: SeenStorage | None) -> SeenCounter:
        """The counter this tensor hangs on, found by asking one representative of each counter known on its storage."""
        counters = storage.counters if storage is not None else []
        for counter in counters:
            other = counter.representative(but=tensor)
            if other is not None and adapter.version_of(other) is not None and adapter.shares_counter(tensor, other):
                break
        else:
            counter = SeenCounter(self._tables.add("version_counters", VersionCounter))
            counters[:] = [known for known in counters if known.representative() is not None]
            counters.append(counter)
        counter.members.append(weakref.ref(tensor))
        return counter

    def looking_at(self, tensor: torch.Tensor, counter: SeenCounter | None) -> int | None:
        """A known tensor that looks at the same elements with the same counter: what a SavedTensor is a copy of the view of."""
        if counter is None:
            return None
        for ref in counter.members:
            other = ref()
            seen = None if other is None or other is tensor else self.known(other)
            if seen is not None and other is not None and _same_elements(other, tensor):
                return seen.serial
        return None

    def count(self, counter: SeenCounter, version: int) -> None:
        """Record the version of a counter if it moved."""
        if counter.version != version:
            counter.version = version
            self._tables.fact("version_counters", counter.serial, "version", version)

    def lose(self, counter: SeenCounter) -> None:
        """It was bumped, and what hung on it was gone before it could be asked: `h.data.mul_(2)` writes through a temporary."""
        counter.version = -1
        unread = Unknown(reason="Nothing that hangs on this counter was left to be asked.")
        self._tables.fact("version_counters", counter.serial, "version", unread)


def _asked(read: Callable[[], Any]) -> Any:
    """What torch answers, or Unknown with its refusal: the refusal is the fact."""
    try:
        return read()
    except RuntimeError as refusal:
        return Unknown(reason=str(refusal).split("\n", 1)[0][:300])


def _same_elements(one: torch.Tensor, other: torch.Tensor) -> bool:
    layouts = adapter.layout_of(one), adapter.layout_of(other)
    sizes = adapter.sizes_of(one, layouts[0]), adapter.sizes_of(other, layouts[1])
    return layouts == ("strided", "strided") and sizes[0] == sizes[1] and one.dtype == other.dtype


def _difference(before: bytes, after: bytes) -> tuple[int, int]:
    """The smallest range [begin, end) outside which two equally long byte strings agree."""
    begin = next(index for index, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)
    end = next(index for index in range(len(after), 0, -1) if before[index - 1] != after[index - 1])
    return begin, end
