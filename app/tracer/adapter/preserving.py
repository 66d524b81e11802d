"""Makes autograd save copies of tensors instead of the tensors themselves."""

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from app.tracer.adapter.dispatch import unseen_operators
from app.tracer.adapter.tensors import PLAIN, is_symbolic

_push: Any = torch._C._autograd._push_saved_tensors_default_hooks
_pop: Any = torch._C._autograd._pop_saved_tensors_default_hooks
_top: Any = torch._C._autograd._top_saved_tensors_default_hooks
top_hooks = _top
"""Returns the innermost pair of saved_tensors_hooks, including the recorder's. This is torch's own function, without a Python
wrapper, because the recorder calls it for every operator."""

# These methods are read before the program runs, because the program may replace them.
_detach, _clone, _as_strided, _stride, _numel = (
    getattr(torch._C.TensorBase, name) for name in ("detach", "clone", "as_strided", "stride", "numel")
)

MOST_GAPS = 2
"""A copy keeps strides that leave gaps between elements if its memory is at most this many times the memory of the elements."""

_IMMUTABLE = (bool, int, float, complex, str, bytes, type(None), torch.Size, torch.dtype, torch.device, torch.layout)
MOST_ITEMS = 1000
"""Maximum number of values of one Function that are examined. If a Function has more values, the rest counts as mutable."""


class Copy:
    """What the pack hook returns for a saved tensor: a copy of it."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


@contextmanager
def preserved_saves() -> Iterator[None]:
    """A context in which autograd saves copies on this thread, so that later writes do not change saved tensors.

    Tensors that hooks of the program pack, and tensors of subclasses, are not copied.
    """
    _push(_pack, _unpack)
    try:
        yield
    finally:
        while (hooks := _top(True)) is not None:  # the program may have left its own hooks, or removed the recorder's
            _pop()
            if hooks[0] is _pack:
                break


def saved_tensors_hooks(ignores_mode: bool) -> Any:
    """Return the program's active pair of `saved_tensors_hooks`, or None.

    With `ignores_mode`, also return a pair that `make_fx` has set aside while it traces.
    """
    hooks = _top(ignores_mode)
    return None if hooks is not None and hooks[0] is _pack else hooks


def is_copy(saved: Any) -> bool:
    """Whether a SavedTensor is a copy by the recorder."""
    return type(saved.data) is Copy


def keeps_mutable(node: Any) -> bool:
    """Whether this is the Node of a `torch.autograd.Function` with a backward that may read mutable values that it did not save.

    Such values are attributes of the Node's ctx, and tensors that the code of backward reaches by name.
    """
    if not isinstance(node, torch.autograd.function.BackwardCFunction):
        return False
    waiting = [*object.__getattribute__(node, "__dict__").values(), *_reached(vars(type(node)).get("_forward_cls"))]
    for _ in range(MOST_ITEMS):
        if not waiting:
            return False
        kept = waiting.pop()
        if type(kept) is tuple:
            waiting.extend(kept)
        elif type(kept) not in _IMMUTABLE:
            return True
    return True


def _reached(function: Any) -> Iterator[Any]:
    """The tensors that the code of a Function's backward names: global variables, and variables of enclosing functions."""
    for name in ("backward", "vjp"):
        code = next((vars(kind)[name] for kind in type.mro(function) if name in vars(kind)), None) if function else None
        code = code.__func__ if type(code) is staticmethod else code
        if type(code) is types.FunctionType:
            named = [code.__globals__.get(each) for each in code.__code__.co_names]
            cells = [cell.cell_contents for cell in code.__closure__ or () if cell != types.CellType()]  # an empty cell raises
            yield from (each for each in (*named, *cells) if isinstance(each, torch.Tensor))


def _pack(tensor: torch.Tensor) -> Any:
    if type(tensor) not in PLAIN or is_symbolic(tensor):
        return tensor
    # Neither modes of the program nor the recorder may observe these operators.
    with unseen_operators(), torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():
        return Copy(_copy(_detach(tensor)))


def _unpack(kept: Any) -> torch.Tensor:
    """Return a new copy, because a backward that writes its unpacked tensors may run twice."""
    if type(kept) is not Copy:
        return kept  # type: ignore[no-any-return]
    with unseen_operators(), torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction(), torch.no_grad():
        return _copy(kept.tensor)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """Copy a tensor with its strides, even if elements overlap, because strides affect the choice of kernels and thus
    rounding."""
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_quantized:
        return _clone(tensor)  # type: ignore[no-any-return]
    shape, strides, count = tensor.shape, _stride(tensor), _numel(tensor)
    span = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if count == 0 or span > MOST_GAPS * count:
        return _clone(tensor)  # type: ignore[no-any-return]
    return _as_strided(_clone(_as_strided(tensor, (span,), (1,))), shape, strides, 0)  # type: ignore[no-any-return]
