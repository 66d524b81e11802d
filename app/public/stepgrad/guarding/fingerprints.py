"""Fingerprints of a tensor's bytes that depend on their order: XXH3 of memory on the CPU, weighted sums on a CUDA device.

XXH3 reads 4 MB in 64 µs and a small tensor in 1.2 µs. The sums take 290 µs for 4 MB on the CPU, but need no copy from a device.
"""

import threading
from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes
from xxhash import xxh3_64_intdigest

from app.tracer.tensors.layouts import READ_ONLY, memory_at
from app.tracer.tensors.layouts import fingerprint as fingerprint_of_layout

CHUNK: Final = 1 << 20
"""Words that one product reads: 8 MB for the products, and 8 MB for the weights."""
SLOTS: Final = 1 << 14
"""Sums in one table."""
FACTOR: Final = 0x2545F4914F6CDD1D
"""Weight of an earlier chunk in the sum of all chunks. It is odd, so multiplication by it loses nothing modulo 2⁶⁴."""

Fingerprint = Any
"""An int, bytes, or a Slot of Sums. All but Slots are compared with `==`."""

_plain: dict[type, bool] = {}


def is_plain(kind: type[Tensor]) -> bool:
    """Whether tensors of this class have memory of their own, and no code of their own runs when they are read."""
    known = _plain.get(kind)
    if known is None:
        dispatch, function = kind.__torch_dispatch__, kind.__torch_function__
        has_default_function = (
            function is torch._C._disabled_torch_function_impl
            or getattr(function, "__func__", None) is Tensor.__torch_function__.__func__  # type: ignore[attr-defined]
        )
        known = _plain[kind] = dispatch is torch._C._disabled_torch_dispatch_impl and has_default_function
    return known


def fingerprint(tensor: Tensor) -> Fingerprint | None:
    """Return the fingerprint of the elements of a plain tensor; None if its layout or device cannot be read.

    Dense memory is read in place, in any order of its dimensions. Tensors with gaps are copied first. Elements that `expand`
    repeats are read once. Nothing is read beyond the end of a storage, which `untyped_storage().resize_()` may have moved. A tensor
    without memory has the fingerprint 0: an empty one, or a zero tangent of forward-mode AD (`_efficientzerotensor`).
    """
    try:
        if tensor.is_cpu:
            size, address = tensor.nbytes, tensor.data_ptr()
            if tensor.is_contiguous():
                if (size + tensor.storage_offset() * tensor.itemsize) > tensor.untyped_storage().nbytes():
                    return None
                return xxh3_64_intdigest(memory_at(address, size, READ_ONLY)) if address else 0
            return _strided(tensor) if address else 0
        if tensor.is_cuda:
            return sums_of(tensor.device).slot(tensor) if tensor.data_ptr() else 0
    except (RuntimeError, NotImplementedError, TypeError, ValueError, KeyError):
        pass  # a layout without strides or memory: sparse, opaque, wrapped by functorch
    return None


def _strided(tensor: Tensor) -> int | bytes | None:
    storage = tensor.untyped_storage()
    shape, stride, first, itemsize = tuple(tensor.shape), tensor.stride(), int(tensor.storage_offset()), tensor.itemsize
    if is_dense(shape, stride):
        if (first + tensor.numel()) * itemsize > storage.nbytes():
            return None
        return xxh3_64_intdigest(memory_at(tensor.data_ptr(), tensor.nbytes, READ_ONLY))
    memory = memory_at(storage.data_ptr(), storage.nbytes(), READ_ONLY)
    found = fingerprint_of_layout(memory, (shape, stride, first, itemsize))
    return None if found is None else found[2]


def is_dense(shape: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether a tensor of this shape and stride, in elements, reads each element of one piece of memory once."""
    expected = 1
    for step, count in sorted(zip(stride, shape, strict=True)):
        if count == 0:
            return True
        if count != 1:
            if step != expected:
                return False
            expected *= count
    return True


class Sums:
    """Sums of the weighted words of tensors, in a table on their device. Only `differing` waits for the device.

    Weights are odd, so that a change of one word always changes the sum modulo 2⁶⁴. Words have 32 bits: in words of 64 bits, two
    changed signs would cancel, because the sum of two odd weights is even.
    """

    def __init__(self, device: torch.device) -> None:
        generator = torch.Generator().manual_seed(197887)
        weights = torch.randint(-(2**63), 2**63 - 1, (CHUNK,), generator=generator) | 1
        self._weights = weights.to(device)
        self._products = torch.empty(CHUNK, dtype=torch.int64, device=device)
        self._table = torch.empty(SLOTS, dtype=torch.int64, device=device)
        self._free = list(range(SLOTS))
        self._lock = threading.RLock()

    def slot(self, tensor: Tensor) -> "Slot | None":
        """Sum the words of a tensor into a slot; None if every slot is in use. Raises RuntimeError for a layout without strides."""
        with self._lock, torch.no_grad(), _disable_current_modes():
            try:
                slot = Slot(self, self._free.pop())
            except IndexError:
                return None
            place = self._table[slot.index]
            place.zero_()
            words = _words(tensor)
            for begin in range(0, words.numel(), CHUNK):
                part = words[begin : begin + CHUNK]
                products = self._products[: part.numel()]
                torch.mul(part, self._weights[: part.numel()], out=products)
                place.mul_(FACTOR).add_(products.sum())
            return slot

    def differing(self, pairs: Sequence[tuple["Slot", "Slot"]]) -> list[bool]:
        """Whether the sums of each pair differ. Waits for the device once."""
        if self._table.is_cuda:
            torch.cuda.synchronize(self._table.device)
        first, second = (
            torch.tensor([pair[which].index for pair in pairs], device=self._table.device, dtype=torch.int64)
            for which in (0, 1)
        )
        return list((self._table[first] != self._table[second]).tolist())

    def give_back(self, index: int) -> None:
        """Make a slot of the table available to the next tensor."""
        self._free.append(index)


class Slot:
    """The index of one sum in the table. When this object is deleted, another tensor may use the index."""

    __slots__ = ("index", "sums")

    def __init__(self, sums: Sums, index: int) -> None:
        self.sums = sums
        self.index = index

    def __del__(self) -> None:
        self.sums.give_back(self.index)


_sums: dict[tuple[torch.device, int], Sums] = {}


def sums_of(device: torch.device) -> Sums:
    """Return the table for a device and its current stream, because kernels of two streams may overlap."""
    key = device, torch.cuda.current_stream(device).stream_id if device.type == "cuda" else 0
    known = _sums.get(key)
    if known is None:
        known = _sums[key] = Sums(device)
    return known


def _words(tensor: Tensor) -> Tensor:
    """Return the elements of a tensor as integers of 32 bits, or of 8 bits if their number of bytes requires it."""
    if tensor.is_conj():
        tensor = tensor.conj()  # reads the same memory
    if tensor.is_neg():
        tensor = tensor._neg_view()
    shape, stride = tuple(tensor.shape), tensor.stride()
    if is_dense(shape, stride):
        flat = tensor.as_strided((tensor.numel(),), (1,))
    else:
        once = [1 if step == 0 and count else count for count, step in zip(shape, stride, strict=True)]
        flat = tensor.as_strided(once, stride).reshape(-1)
    itemsize = tensor.itemsize
    is_wide = flat.numel() * itemsize % 4 == 0 and flat.storage_offset() * itemsize % 4 == 0
    return flat.view(torch.int32 if is_wide else torch.uint8)
