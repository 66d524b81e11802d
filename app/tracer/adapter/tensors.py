"""Reads attributes of tensors and storages that torch does not show, or whose reading would run code of their classes."""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from app.trace.records import SHAPELESS
from app.tracer.adapter.dispatch import unseen_operators
from app.tracer.tensors.layouts import Fingerprint, Layout


def version_of(tensor: torch.Tensor) -> int | None:
    """Return `tensor._version`; None for an inference tensor, which has no version and raises.

    `is_inference()` is unsuitable, because `.data =` changes its result but not the counter.
    """
    try:
        return tensor._version
    except RuntimeError:
        return None


_TENSOR_DEVICE: Any = torch._C.TensorBase.__dict__["device"]
true_device_of = _TENSOR_DEVICE.__get__
"""Returns the real device of a tensor. `tensor.device` may be a label (`stand_in.py`)."""

_STORAGE_DEVICE: Any = torch._C.StorageBase.__dict__["device"]
kind_of_memory = _STORAGE_DEVICE.__get__
"""Returns the real device of a storage's bytes. `storage.device` may be a label (`stand_in.py`)."""


def on_host(storage: Any) -> Any:
    """Return the storage if the CPU can read its bytes, otherwise a copy on the CPU. The recorder does not observe the copy."""
    if kind_of_memory(storage).type == "cpu":
        return storage
    with unseen_operators():
        return storage.cpu()


_WORDS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_PART = 1 << 22
"""Maximum number of elements that `device_fingerprint` sums at once. Each element needs 8 bytes."""
_SPREAD = 0x9E3779B97F4A7C15 - (1 << 64)
"""2**64 divided by the golden ratio, as a signed number. It spreads small differences over all bits (Knuth, TAOCP 6.4)."""


def device_fingerprint(storage: Any, layout: Layout) -> Fingerprint | None:
    """Return a fingerprint that is computed on the GPU: the sum, modulo 2**64, of the bit patterns of the elements times odd
    weights.

    Each position has a different weight, so that a swap of elements changes the sum. Returns None while a CUDA graph is
    captured, because results cannot be read during the capture.
    """
    shape, stride, first, size = layout
    counts = [1 if step == 0 and count else count for count, step in zip(shape, stride, strict=True)]
    strides = list(stride)
    if size == 16:
        counts, strides, first, size = [*counts, 2], [*(2 * step for step in strides), 1], 2 * first, 8
    if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
        return None
    with unseen_operators(), torch.no_grad():
        words = (
            torch.empty(0, dtype=_WORDS[size], device=kind_of_memory(storage)).set_(storage, first, counts, strides).flatten()
        )
        total = 0
        for begin in range(0, words.numel(), _PART):
            part = words[begin : begin + _PART].to(torch.int64)
            weights = torch.arange(begin, begin + part.numel(), device=part.device).mul_(2).add_(1).mul_(_SPREAD)
            total += int(part.mul_(weights).sum())
    return shape, layout[3], (total % (1 << 64)).to_bytes(8, "little")


_strided = torch.strided
PLAIN = (_Tensor, _Parameter) = (torch.Tensor, torch.nn.Parameter)
"""Classes with torch's own attributes. Reading an attribute of a subclass may run code of the snippet."""

OPAQUE = "opaque"
"""The name of the layout of a tensor whose shape cannot be read, because its class overrides `shape` or a size is symbolic."""

is_symbolic: Callable[[torch.Tensor], bool] = torch._C.TensorBase.__dict__["_has_symbolic_sizes_strides"].__get__
"""Returns whether a size, a stride or the offset is symbolic.

TORCH 2.13: comparing or hashing a SymInt, or converting it to int or bool, sets a guard, which changes what the program traces."""


class _Refused(Exception):
    """Raised if reading an attribute of a tensor would run code of its class."""


class _Refusing(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise _Refused

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # TORCH 2.13: otherwise the first use imports torch._dynamo, which takes 1.7 s


_refusing = _Refusing()  # type: ignore[no-untyped-call]
_base: Any = torch._C.TensorBase


def _past_its_class(tensor: torch.Tensor, read: Callable[[], Any]) -> Any:
    """Return the result of `read` for a tensor of a subclass; None if that would run code of the class.

    A wrapper subclass may redirect even `.shape` to its `__torch_dispatch__` (`_make_wrapper_subclass`). Torch calls active
    modes before the class; `_refusing` is such a mode, and raises.
    """
    if type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__:
        return read()
    try:
        with _refusing:
            return read()
    except _Refused:
        return None


def layout_of(tensor: torch.Tensor) -> str:
    """Return `tensor.layout` without its prefix, "nested", "uninitialized" or OPAQUE.

    "nested" is a nested tensor, whose `layout` may be strided. "uninitialized" is a lazy module's parameter that has no shape yet.
    """
    if type(tensor) in PLAIN:
        layout = "nested" if tensor.is_nested else str(tensor.layout).removeprefix("torch.")
        return OPAQUE if is_symbolic(tensor) else layout
    if torch.nn.parameter.is_lazy(tensor):
        return "uninitialized"
    if _base.is_nested.__get__(tensor):
        return "nested"
    if is_symbolic(tensor):
        return OPAQUE

    def read() -> str:
        layout = str(_base.layout.__get__(tensor)).removeprefix("torch.")
        # These are the sizes that the program sees: the class may define them; otherwise they are the tensor's own.
        shape, stride, storage_offset = sizes_of(tensor, layout)
        sizes = (*shape, *(stride or ()), storage_offset or 0)
        return layout if all(type(size) is int for size in sizes) else OPAQUE

    return _past_its_class(tensor, read) or OPAQUE


_SPARSE = {torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc}


def is_sparse(tensor: torch.Tensor) -> bool:
    """Whether a tensor's elements are in other tensors (indices and values), which share its version counter."""
    return type(tensor) in PLAIN and tensor.layout in _SPARSE


def type_of(tensor: torch.Tensor) -> str:
    """Return the name of a tensor's class. For a lazy module's parameter, return the class name that it will have after the first
    input."""
    kind = type(tensor)
    return getattr(kind, "cls_to_become", kind).__name__ if layout_of(tensor) == "uninitialized" else kind.__name__


def device_of(tensor: torch.Tensor) -> str:
    """Return `str(tensor.device)`; "" if that would run code of the tensor's class."""
    if type(tensor) in PLAIN:
        return device_name(tensor.device)
    device = _past_its_class(tensor, lambda: _base.device.__get__(tensor))
    return "" if device is None else str(device)


Look = tuple[Any, ...]
"""How a tensor reads its storage: (layout, dtype, shape, stride, storage_offset, is_conj, is_neg)."""


def look_of(tensor: torch.Tensor) -> Look:
    """Return the current Look of a tensor."""
    kind = type(tensor)
    if (kind is _Tensor or kind is _Parameter) and tensor.layout is _strided and not (tensor.is_nested or is_symbolic(tensor)):
        dtype = tensor.dtype
        is_conj = dtype.is_complex and tensor.is_conj()
        return _strided, dtype, tensor.shape, tensor.stride(), tensor.storage_offset(), is_conj, tensor.is_neg()
    layout = layout_of(tensor)
    return (layout, tensor.dtype, *sizes_of(tensor, layout), tensor.is_conj(), tensor.is_neg())


@functools.cache
def dtype_name(dtype: torch.dtype) -> str:
    """Return the name of a dtype without "torch.": "float32"."""
    return str(dtype).removeprefix("torch.")


@functools.cache
def device_name(device: torch.device) -> str:
    """Return the name of a device: "cuda:0"."""
    return str(device)


def sizes_of(tensor: torch.Tensor, layout: str) -> tuple[tuple[int, ...], tuple[int, ...] | None, int | None]:
    """Return (shape, stride, storage_offset) in elements. Sparse tensors have no strides; SHAPELESS tensors have no shape
    either."""
    if layout in SHAPELESS:
        return (), None, None
    if type(tensor) in PLAIN:
        if layout != "strided":
            return tuple(tensor.shape), None, None
        return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()  # type: ignore[return-value]
    shape = tuple(_base.shape.__get__(tensor))
    if layout != "strided":
        return shape, None, None
    return shape, _base.stride(tensor), _base.storage_offset(tensor)


_SILENCE = [("ignore", None, Warning, None, 0)]


def grad_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return `tensor.grad` without torch's warning for a non-leaf without a gradient.

    The list of filters is replaced instead of changed, so that Python remembers which warnings it has shown (Python/_warnings.c).
    """
    filters = warnings.filters
    warnings.filters = _SILENCE
    try:
        return tensor.grad
    finally:
        warnings.filters = filters


def is_shared(storage: torch.UntypedStorage) -> bool:
    """Whether these bytes were exposed to NumPy, or come from other code (`from_numpy`, `from_dlpack`, `frombuffer`).

    TORCH 2.13: a shared storage is not resizable (torch/csrc/utils/tensor_numpy.cpp, `set_resizable`).
    """
    return not is_unshared(storage)


is_unshared: Callable[[torch.UntypedStorage], bool] = torch._C.StorageBase.__dict__["resizable"]
"""The opposite of `is_shared`. This is torch's own property, without a Python wrapper, because it is read for every large
storage after every statement."""


_MARK = 2**31 - 7
"""A value for a version counter that no program reaches, because the counter has 32 bits and counts writes."""


def shares_counter(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether both tensors have the same version counter.

    Sets the counter of `one` to a mark, checks whether `other` shows the mark, and restores the counter
    (torch/csrc/autograd/python_variable.cpp, `_unsafe_set_version_counter`). No other code sees the mark, because none runs in
    between.
    """
    before = one._version
    if before != other._version:
        return False
    set_version = torch._C._autograd._unsafe_set_version_counter
    set_version((one,), (_MARK,))
    try:
        return bool(other._version == _MARK)
    finally:
        set_version((one,), (before,))


TENSOR_TYPE = torch._C.TensorBase.type
"""The original `tensor.type()`, which is used while `torch.Tensor.type` is replaced."""
