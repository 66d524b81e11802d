"""Puts functions of ours around calls of torch's, and knows the frames of its calls."""

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
    """Put `wrap` around an attribute of a class or module; returns what undoes it, unless the program has replaced it since."""
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
    """Undoes all of it."""

    def restore() -> None:
        for one in undo:
            one()

    return restore


RecomputationStopped = torch.utils.checkpoint._StopRecomputationError
"""Raised through the function that `checkpoint` runs again, as soon as all that backward needs was saved."""
ENGINE = torch.autograd.graph._engine_run_backward.__code__
"""Torch's own call into the engine."""

MODULE_CALL = torch.nn.Module._wrapped_call_impl.__code__
"""What every call of a module passes, before its hooks and its `forward`."""


def called_module(frame: FrameType) -> Any:
    """The module that this frame of MODULE_CALL calls.

    The snapshot of locals that stays behind holds what the frame holds anyway: its arguments, until it returns.
    """
    return frame.f_locals["self"]


def patch_engine(wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Callable[[], None]:
    """Put `wrap(original)` where every backward passes; returns what undoes it.

    `torch.autograd.backward` and `grad` look the name up in `torch.autograd`, others in `torch.autograd.graph`.
    """
    return together([patch(module, "_engine_run_backward", wrap) for module in (torch.autograd, torch.autograd.graph)])


def patch_swap(around: Callable[[tuple[Any, ...]], AbstractContextManager[None]]) -> Callable[[], None]:
    """Run `torch.utils.swap_tensors` inside `around(tensors)`; returns what undoes it.

    TORCH 2.13: it refuses tensors that have weak references (torch/utils/__init__.py), and the recorder's are such.
    """

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def swap_tensors(*tensors: Any) -> Any:
            with around(tensors):
                return original(*tensors)

        return swap_tensors

    return patch(torch.utils, "swap_tensors", wrap)


class _Lending:
    """Replaces a method of Tensor that exposes memory. A look-up still returns torch's own method."""

    def __init__(self, method: Any, lent: Callable[[torch.Tensor], None]) -> None:
        self._method = method
        self._lent = lent

    @not_compiled
    def __get__(self, tensor: torch.Tensor | None, kind: type | None = None) -> Any:
        if tensor is not None:
            self._lent(tensor)
        return self._method.__get__(tensor, kind)


def patch_lending(name: str, lent: Callable[[torch.Tensor], None]) -> Callable[[], None]:
    """Call `lent(tensor)` before a tensor's method "numpy" or "__dlpack__" is called. Returns a function that undoes it.

    It is called at the look-up, so the method may never be called, or raise: a wrapper around the call would add a frame to its
    tracebacks.
    """
    return patch(torch.Tensor, name, lambda method: _Lending(method, lent))


_HOOKS = {"register_hook": "gradient", "register_post_accumulate_grad_hook": "accumulated", "retain_grad": "retain"}


def patch_hooks(put_on: Callable[[str, torch.Tensor, Any], None]) -> Callable[[], None]:
    """Call `put_on(kind, tensor, function)` after a tensor got a hook or `retain_grad()`. Returns a function that undoes it."""

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
