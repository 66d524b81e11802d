"""Wraps functions of torch, and identifies the frames of its calls."""

import functools
import types
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

import torch
import torch.utils.checkpoint

from app.tracer.adapter.compilers import not_compiled


def patch(owner: Any, name: str, wrap: Callable[[Callable[..., Any]], Any]) -> Callable[[], None]:
    """Wrap an attribute of a class or module. Returns a function that restores the attribute, unless the program has replaced
    it since."""
    attribute = vars(owner).get(name)
    original = getattr(owner, name)
    is_method = isinstance(original, types.MethodDescriptorType) or isinstance(attribute, types.FunctionType)
    wrapped = wrap(original)
    ours = wrapped if is_method or not isinstance(owner, type) else staticmethod(wrapped)
    setattr(owner, name, ours)

    def undo() -> None:
        if vars(owner).get(name) is not ours:
            return
        if attribute is None:
            delattr(owner, name)
        else:
            setattr(owner, name, attribute)

    return undo


def together(undo: list[Callable[[], None]]) -> Callable[[], None]:
    """Return a function that calls every function of `undo`."""

    def restore() -> None:
        for one in undo:
            one()

    return restore


RecomputationStopped = torch.utils.checkpoint._StopRecomputationError
"""The exception with which `torch.utils.checkpoint` ends a recomputation as soon as all tensors that backward needs are saved."""
ENGINE = torch.autograd.graph._engine_run_backward.__code__
"""The code object of the function in torch that starts the autograd engine. It identifies the frames of that function."""

MODULE_CALL = torch.nn.Module._wrapped_call_impl.__code__
"""The code object of the method that every call of a module runs first, before the module's hooks and `forward`."""


def called_module(frame: FrameType) -> Any:
    """Return the called module, given a frame that runs MODULE_CALL.

    Reading `f_locals` leaves a snapshot in the frame, which keeps the frame's objects alive until the frame returns.
    """
    return frame.f_locals["self"]


def patch_engine(wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Callable[[], None]:
    """Wrap the function through which every backward runs. Returns a function that restores the original function.

    `torch.autograd.backward` and `grad` look up the function in `torch.autograd`, other callers in `torch.autograd.graph`.
    """
    return together([patch(module, "_engine_run_backward", wrap) for module in (torch.autograd, torch.autograd.graph)])


def patch_swap(around: Callable[[tuple[Any, ...]], AbstractContextManager[None]]) -> Callable[[], None]:
    """Run `torch.utils.swap_tensors` inside the context `around(tensors)`. Returns a function that restores `swap_tensors`.

    TORCH 2.13: `swap_tensors` refuses tensors with weak references (torch/utils/__init__.py), such as those of the recorder.
    """

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def swap_tensors(*tensors: Any) -> Any:
            with around(tensors):
                return original(*tensors)

        return swap_tensors

    return patch(torch.utils, "swap_tensors", wrap)


class _Lending:
    """Replaces a method of Tensor by a descriptor that reports each look-up. The look-up still returns torch's own method."""

    def __init__(self, method: Any, lent: Callable[[torch.Tensor], None]) -> None:
        self._method = method
        self._lent = lent

    @not_compiled
    def __get__(self, tensor: torch.Tensor | None, kind: type | None = None) -> Any:
        if tensor is not None:
            self._lent(tensor)
        return self._method.__get__(tensor, kind)


def patch_lending(name: str, lent: Callable[[torch.Tensor], None]) -> Callable[[], None]:
    """Make Python call `lent(tensor)` when a tensor's method "numpy" or "__dlpack__" is looked up, before it is called. Returns
    a function that restores the method.

    The look-up of the method calls `lent`, because a wrapper of the method would add a frame to tracebacks. A look-up does not
    prove an exposure: the program may not call the method, or the method may raise.
    """
    return patch(torch.Tensor, name, lambda method: _Lending(method, lent))


_HOOKS = {"register_hook": "gradient", "register_post_accumulate_grad_hook": "accumulated", "retain_grad": "retain"}


def patch_hooks(put_on: Callable[[str, torch.Tensor, Any], None]) -> Callable[[], None]:
    """Make torch call `put_on(kind, tensor, function)` after a hook was registered on a tensor, or `retain_grad()` was called.
    Returns a function that restores torch's methods."""

    def wrapping(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(original)
            def put(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
                given = original(self, *args, **kwargs)
                put_on(kind, self, next(iter((*args, *kwargs.values())), None))
                return given

            return put

        return wrap

    return together([patch(torch.Tensor, name, wrapping(kind)) for name, kind in _HOOKS.items()])
