"""Watches the geometry, storage, version counter and other facts of tensors."""

import torch

from app.trace.clipping import clip
from app.trace.codec import LARGEST
from app.trace.records import Geometry, Limits, Tensor, Unknown
from app.tracer import adapter
from app.tracer.tensors.counters import CounterWatch
from app.tracer.tensors.layouts import extent_of
from app.tracer.tensors.seen import SeenStorage, SeenTensor, WatchedRef, refused, watch
from app.tracer.tensors.storages import StorageWatch
from app.tracer.threads import ThreadWatch
from app.tracer.trace_writer import Tables

_is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor


class MemoryWatch:
    """Reads tensors and records changes since the last reading."""

    def __init__(self, tables: Tables, limits: Limits, threads: ThreadWatch) -> None:
        self._tables = tables
        self._threads = threads
        self.tensors: dict[int, SeenTensor] = {}
        """The recorded tensors by `id`. The weak reference of an entry shows whether the object with this `id` is still the
        same."""
        self.moved: list[SeenTensor] = []
        """Tensors with a geometry that changed. SavedTensors that hold such a Tensor may now read other elements."""
        self.died: list[int] = []
        """The ids of the tensors that died, in order of detection."""
        self.dead: list[WatchedRef] = []
        """References to dead tensors that are not processed yet. Callbacks run inside C++ destructors, so they only append here."""
        self.unmarked = 0
        """The number of last entries of `died` that are not recorded yet."""
        self.storages = StorageWatch(tables, limits)
        self.counters = CounterWatch(tables, threads)

    def note_deaths(self) -> None:
        """Forget the tensors that died since the last call, and remove these tensors from their counters."""
        dead, tensors = self.dead, self.tensors
        while dead:
            ref = dead.pop()
            self.died.append(ref.serial)
            self.unmarked += 1
            known = tensors.get(ref.key)
            if known is not None and known.ref is ref:
                del tensors[ref.key]
                if known.counter is not None:
                    known.counter.members.pop(ref.serial, None)

    def flush_deaths(self) -> None:
        """Record the deaths since the last call, at the current tick."""
        if self.dead:
            self.note_deaths()
        if self.unmarked:
            table, tick = self._tables.tensors, self._tables.tick
            for serial in self.died[-self.unmarked :]:
                table.mark(serial, "died", tick)
            self.unmarked = 0
        self.storages.flush_deaths()

    def all_alive(self) -> list[torch.Tensor]:
        """Return every known Tensor that is alive. Summarises again the storages that are too large to compare."""
        self.storages.summarise_all()
        return [tensor for seen in list(self.tensors.values()) if (tensor := seen.ref()) is not None]

    def known(self, tensor: torch.Tensor) -> SeenTensor | None:
        seen = self.tensors.get(id(tensor))
        return seen if seen is not None and seen.ref() is tensor else None

    def is_unchanged(self, tensor: torch.Tensor, seen: SeenTensor) -> bool:
        """Whether reading the tensor again would give the recorded facts, apart from its bytes.

        False for tensors without a counter. A recorded write may have given a tensor a Node, unless the tensor is still a leaf
        and not a view.
        """
        counter, version, requires_grad = seen.counter, seen.version, seen.requires_grad
        if counter is None or version is None or type(tensor) not in adapter.PLAIN:
            return False
        now = tensor._version
        if now != counter.version or tensor.requires_grad is not requires_grad or tensor._is_view() is (seen.base is None):
            return False
        if now != version and (seen.base is not None or seen.grad_fn is not None or not tensor.is_leaf):
            return False
        if not _is_in_place(tensor, seen):
            return False
        # A leaf becomes a non-leaf only by a write, and torch warns only about the `.grad` of non-leaves.
        grad = tensor.grad if seen.is_leaf is True or not requires_grad else adapter.grad_of(tensor)
        if grad is None or seen.grad is None:
            if grad is not seen.grad:
                return False
        else:
            known = self.tensors.get(id(grad))
            if known is None or known.ref() is not grad or known.serial != seen.grad:
                return False
        seen.version = now
        return True

    def remember(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        """Remember that every fact of this tensor was just read.

        A view that is a leaf may become the output of a Function without a write. Such an output requires a gradient. Therefore
        a view that does not require a gradient is still a leaf.
        """
        counter, look = seen.counter, seen.look
        may_become_output = seen.is_leaf is True and seen.requires_grad and tensor._is_view()
        settled = not may_become_output and look is not None and look[0] is torch.strided and type(tensor) in adapter.PLAIN
        if settled and counter is not None and seen.storage is not None:
            seen.version, seen.address = counter.version, tensor.data_ptr()
        else:
            seen.version = None

    def seems_unchanged(self, seen: SeenTensor) -> bool:
        """A cheap version of `is_unchanged` for the facts that change most often; a new stride is missed.

        False for tensors that NumPy may write.
        """
        tensor = seen.ref()
        return tensor is None or (
            seen.version is not None
            and tensor._version == seen.version
            and tensor.requires_grad is seen.requires_grad
            and not adapter.is_symbolic(tensor)
            and tensor.data_ptr() == seen.address
            and adapter.is_unshared(tensor.untyped_storage())
            and (seen.is_leaf is not True or (tensor.grad is None) is (seen.grad is None))
        )

    def observe(self, tensor: torch.Tensor, made_by: int | None = None, *, with_node: bool = False) -> SeenTensor:
        """Record changes of a tensor: geometry, storage, counter, version, flags, base and grad.

        The Node is not recorded. With `with_node`, records that the tensor has no Node, if this is known without reading
        `grad_fn`.
        """
        if type(tensor) in adapter.PLAIN:
            seen = self.tensors.get(id(tensor))
            is_new = seen is None or seen.ref() is not tensor
            return (is_new and self._at_once(tensor, made_by, with_node)) or self._observe(tensor, made_by)
        with torch._C.DisableTorchFunction():
            return self._observe(tensor, made_by)

    def release_weakrefs(self, tensor: torch.Tensor) -> SeenTensor | None:
        """Drop every weak reference to a tensor before a call of a function that refuses tensors with weak references. See
        `restore_weakrefs`."""
        seen = self.known(tensor)
        if seen is None:
            return None
        del self.tensors[id(tensor)]
        if seen.counter is not None:
            seen.counter.members.pop(seen.serial, None)
        seen.counter = seen.version = None
        del seen.ref
        return seen

    def restore_weakrefs(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        """Watch a tensor again after `release_weakrefs`. The counter is read again, because the tensor's contents may have been
        replaced."""
        seen.ref = watch(tensor, seen.serial, self.dead.append)
        self.tensors[id(tensor)] = seen

    def forget(self) -> None:
        """Drop every weak reference, permanently."""
        for tensor in self.tensors.values():
            del tensor.ref
        self.storages.forget()

    def observe_shallow(self, tensor: torch.Tensor, made_by: int | None = None) -> SeenTensor:
        """Record the facts that may be read below autograd: geometry, storage, counter, version.

        Reading `is_leaf` or `grad_fn` of a view whose base was written creates a Node. This must not happen within an operator.
        """
        if type(tensor) in adapter.PLAIN:
            return self._observe_shallow(tensor, made_by)
        with torch._C.DisableTorchFunction():
            return self._observe_shallow(tensor, made_by)

    def _observe_shallow(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        seen = self.tensors.get(id(tensor))
        if seen is None or seen.ref() is not tensor:
            seen = self._first_sight(tensor, made_by)
        if seen.version is None or not _is_in_place(tensor, seen):
            self._look_at_geometry(tensor, seen)
        counter = seen.counter
        # A remembered tensor is not an inference tensor, so it has a version.
        version = adapter.version_of(tensor) if seen.version is None else tensor._version
        if counter is None or version != counter.version:
            self.counters.look_at(tensor, seen)
        return seen

    def _observe(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        seen = self._observe_shallow(tensor, made_by)
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
        base_serial = None if base is None else (self.known(base) or self.observe(base, made_by)).serial
        if seen.base != base_serial:
            if seen.base is None and seen.counter is not None:
                # Under a dispatch mode that the snippet enters, such as that of `make_fx`, torch turns a result into a view
                # only after the recorder's operator ends.
                seen.counter.members.pop(seen.serial, None)
                seen.counter = None
                self.counters.look_at(tensor, seen)
            seen.base = base_serial
            tensors.fact(seen.serial, "base", tick, base_serial)
        grad = adapter.grad_of(tensor)
        grad_serial = None if grad is None else self.observe(grad, made_by).serial
        if seen.grad != grad_serial:
            seen.grad = grad_serial
            tensors.fact(seen.serial, "grad", tick, grad_serial)
        return seen

    # The method is long because it records almost every tensor of a program, and function calls take time.
    def _at_once(self, tensor: torch.Tensor, made_by: int | None, with_node: bool) -> SeenTensor | None:
        """Record all facts of a tensor at first sight at once; return None if this is not possible.

        This needs 12 calls of Python functions instead of 70 (measured).
        """
        look = adapter.look_of(tensor)
        layout, dtype, shape, stride, storage_offset, is_conj, is_neg = look
        if layout is not torch.strided or self._threads.others_run:
            return None
        if _is_wrapped(tensor) or max((*shape, *stride, storage_offset)) > LARGEST:
            return None
        storage = self.storages.storage_of(tensor)
        if storage is None:
            return None
        base = tensor._base if tensor._is_view() else None
        known_base = None if base is None else self.known(base)
        if base is not None and known_base is None:
            return None  # the record refers to the base, which must be recorded first
        try:
            version, requires_grad, is_leaf = tensor._version, tensor.requires_grad, tensor.is_leaf
        except RuntimeError:  # an inference tensor has no version; a view may have a Node
            return None
        # Torch warns only about the `.grad` of a non-leaf tensor that requires a gradient.
        if (adapter.grad_of(tensor) if requires_grad and not is_leaf else tensor.grad) is not None:
            return None  # the record refers to the gradient, which must be recorded, too
        tables, key = self._tables, id(tensor)
        tick, serial = tables.tick, tables.tensors.count
        name = adapter.dtype_name(dtype)
        if storage.dtype != name:
            self.storages.read_as(storage, name)
        geometry = Geometry(
            dtype=name,
            device=adapter.device_name(tensor.device),
            layout="strided",
            shape=list(shape),
            stride=list(stride),
            storage_offset=storage_offset,
            storage=storage.serial,  # type: ignore[arg-type]
            is_conj=is_conj,
            is_neg=is_neg,
        )
        seen = self.tensors[key] = SeenTensor(serial, watch(tensor, serial, self.dead.append))
        seen.look, seen.extent, seen.storage = look, extent_of(look), storage
        seen.requires_grad, seen.is_leaf, seen.grad = requires_grad, is_leaf, None
        seen.base = base_serial = None if known_base is None else known_base.serial
        counter = self.counters.join_new(tensor, seen, version)
        has_no_node = with_node and base is None and not requires_grad
        if has_no_node:
            seen.grad_fn = None
        tables.tensors.append(
            Tensor(
                id=serial,  # type: ignore[arg-type]
                born=tick,
                type=type(tensor).__name__,
                made_by=made_by,  # type: ignore[arg-type]
                address=hex(key),
                geometry=[(tick, geometry)],
                version_counter=[(tick, counter.serial)],  # type: ignore[list-item]
                requires_grad=[(tick, requires_grad)],
                is_leaf=[(tick, is_leaf)],
                base=[(tick, base_serial)],  # type: ignore[list-item]
                grad=[(tick, None)],
                grad_fn=[(tick, None)] if has_no_node else [],
            ),
            facts=6 + has_no_node,
        )
        return seen

    def _first_sight(self, tensor: torch.Tensor, made_by: int | None) -> SeenTensor:
        tables = self._tables
        key = id(tensor)
        serial = tables.tensors.add(born=tables.tick, type=clip(adapter.type_of(tensor)), made_by=made_by, address=hex(key))
        seen = self.tensors[key] = SeenTensor(serial, watch(tensor, serial, self.dead.append))
        return seen

    # --- geometry ---------------------------------------------------------------------------------------------------

    def _look_at_geometry(self, tensor: torch.Tensor, seen: SeenTensor) -> None:
        storage = self.storages.storage_of(tensor)
        look = adapter.look_of(tensor)
        if seen.look == look and seen.storage is storage:
            return
        seen.look, seen.extent = look, extent_of(look)
        if storage is not None and seen.counter is not None and seen.counter not in storage.counters:
            storage.counters.append(seen.counter)  # `.data =` and `set_` change the storage, but not the counter
        if seen.storage is not None:
            self.moved.append(seen)
        seen.storage = storage
        geometry = self.geometry_of(tensor, look, storage)
        self._tables.tensors.fact(seen.serial, "geometry", self._tables.tick, geometry)
        if storage is not None and storage.dtype != geometry.dtype:
            self.storages.read_as(storage, geometry.dtype)

    def geometry_of(self, tensor: torch.Tensor, look: adapter.Look, storage: SeenStorage | None) -> Geometry:
        """Return the Geometry of a tensor with this look."""
        layout, dtype, shape, stride, storage_offset, is_conj, is_neg = look
        if max((*shape, *(stride or ()), storage_offset or 0)) > LARGEST:
            layout, shape, stride, storage_offset = adapter.OPAQUE, (), None, None
        return Geometry(
            dtype=adapter.dtype_name(dtype),
            device=adapter.device_of(tensor),
            layout="strided" if layout is torch.strided else layout,
            shape=list(shape),
            stride=None if stride is None else list(stride),
            storage_offset=storage_offset,
            storage=None if storage is None else storage.serial,  # type: ignore[arg-type]
            is_conj=is_conj,
            is_neg=is_neg,
        )


def _is_in_place(tensor: torch.Tensor, seen: SeenTensor) -> bool:
    """Whether a remembered plain tensor still reads the same elements of the same storage.

    This function may be called only for strided tensors that are not nested: `.data =` accepts no others (`set_data`,
    variable.cpp).
    """
    storage, bytes_now = seen.storage, tensor.untyped_storage()
    assert storage is not None and seen.look is not None
    if storage.ref() is not bytes_now or adapter.is_symbolic(tensor) or storage.nbytes != bytes_now.nbytes():
        return False
    _, dtype, shape, stride, storage_offset, is_conj, is_neg = seen.look
    return (
        tensor.dtype is dtype
        and tensor.shape == shape
        and tensor.stride() == stride
        and tensor.storage_offset() == storage_offset
        and tensor.is_neg() is is_neg
        and (not dtype.is_complex or tensor.is_conj() is is_conj)
    )
