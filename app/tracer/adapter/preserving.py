"""Keeps copies of what autograd saves, in the place of the saved tensors themselves."""

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
"""What `saved_tensors_hooks` reads, ours included. Not wrapped: it is asked for every operator."""

# As they were before the program ran, which may put others in their place.
_detach, _clone, _as_strided, _stride, _numel = (
    getattr(torch._C.TensorBase, name) for name in ("detach", "clone", "as_strided", "stride", "numel")
)

MOST_GAPS = 2
"""A copy keeps the strides, so gaps are copied, too: so many times the elements at most. A column of a matrix is copied alone."""

_IMMUTABLE = (bool, int, float, complex, str, bytes, type(None), torch.Size, torch.dtype, torch.device, torch.layout)
MOST_ITEMS = 1000
"""Of what a Function keeps looked through; one that keeps more may keep anything."""


class Copy:
    """What stands in a Node's slot: a tensor as it was when it was saved."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


@contextmanager
def preserved_saves() -> Iterator[None]:
    """Within it every tensor that autograd saves on this thread is saved as a copy, so later writes do not reach it.

    Two things stay as they are: what hooks of the program pack, which lie inside these, and tensors of a class with own code.
    """
    _push(_pack, _unpack)
    try:
        yield
    finally:
        while (hooks := _top(True)) is not None:  # the program may have left its own hooks, or removed these
            _pop()
            if hooks[0] is _pack:
                break


def saved_tensors_hooks(ignores_mode: bool) -> Any:
    """The program's active pair of `saved_tensors_hooks`, or None. With True, also pairs that `make_fx` sets aside while
    tracing."""
    hooks = _top(ignores_mode)
    return None if hooks is not None and hooks[0] is _pack else hooks


def is_copy(saved: Any) -> bool:
    """Whether a Node's SavedTensor is a copy of ours."""
    return type(saved.data) is Copy


def keeps_mutable(node: Any) -> bool:
    """Whether this is the Node of a `torch.autograd.Function` whose backward may read values that can change after the save:
    attributes of its ctx, or a tensor that its code reaches by name."""
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
    """The tensors that the code of a Function's backward names: variables of its module, and of functions around it."""
    for name in ("backward", "vjp"):
        code = next((vars(kind)[name] for kind in type.mro(function) if name in vars(kind)), None) if function else None
        code = code.__func__ if type(code) is staticmethod else code
        if type(code) is types.FunctionType:
            named = [code.__globals__.get(each) for each in code.__code__.co_names]
            cells = [cell.cell_contents for cell in code.__closure__ or () if cell != types.CellType()]  # an empty one raises
            yield from (each for each in (*named, *cells) if isinstance(each, torch.Tensor))


def _pack(tensor: torch.Tensor) -> Any:
    if type(tensor) not in PLAIN or is_symbolic(tensor):
        return tensor
    # Modes and handlers are of the program, or of the recorder; to neither of them is this an operator.
    with unseen_operators(), torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():
        return Copy(_copy(_detach(tensor)))


def _unpack(kept: Any) -> torch.Tensor:
    """A new copy: a backward that writes its unpacked tensors and runs twice would otherwise see its own writes."""
    if type(kept) is not Copy:
        return kept  # type: ignore[no-any-return]
    with unseen_operators(), torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction(), torch.no_grad():
        return _copy(kept.tensor)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """The same elements with the same strides, also where they overlap: kernels choose their way by strides, and so round."""
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.is_quantized:
        return _clone(tensor)  # type: ignore[no-any-return]
    shape, strides, count = tensor.shape, _stride(tensor), _numel(tensor)
    span = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if count == 0 or span > MOST_GAPS * count:
        return _clone(tensor)  # type: ignore[no-any-return]
    return _as_strided(_clone(_as_strided(tensor, (span,), (1,))), shape, strides, 0)  # type: ignore[no-any-return]
