"""Installs the hooks of guards, and replaces functions of torch for backward, checkpoints and torch.func while one is active."""

import contextlib
import functools
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor
from torch._compile import _disable_dynamo as disable_dynamo
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils import checkpoint

from .fingerprints import Fingerprint, Slot, fingerprint, is_plain
from .non_finite import leaves_of
from .reentrant import Read, first_changed, read_parameters
from .saved_tensors import Hooks, Seen, is_exempt, recomputed
from .user_lines import user_line

if TYPE_CHECKING:
    from .guards import Guard


class _Armed:
    """The number of active guards on all threads, and callbacks that restore the replaced functions of torch."""

    count = 0
    lock = threading.RLock()
    undo = contextlib.ExitStack()


class _Thread(threading.local):
    """State of a thread: its active guards (innermost last), whether a backward runs, and parameters of a running checkpoint."""

    def __init__(self) -> None:
        self.guards: list[Guard] = []
        self.is_in_backward = False
        self.read: Sequence[Read] = ()


_thread = _Thread()
_autograd: Any = torch._C._autograd
_warned: set[str] = set()
DISABLED: Final = "saved-tensor hooks are disabled, as within torch.func"


def arm(guard: "Guard") -> None:
    """Add a guard to the active guards of this thread. The first active guard replaces functions of torch."""
    with _Armed.lock:
        _Armed.count += 1
        if _Armed.count == 1:
            _install()
    _thread.guards.append(guard)


def disarm(guard: "Guard") -> None:
    """Remove a guard from the active guards of this thread. The last active guard restores torch."""
    if guard in _thread.guards:
        _thread.guards.remove(guard)
    with _Armed.lock:
        _Armed.count -= 1
        if _Armed.count == 0:
            _Armed.undo.close()


def is_armed(guard: "Guard") -> bool:
    """Whether the guard is active on this thread."""
    return guard in _thread.guards


def innermost() -> "Guard | None":
    """The innermost guard of this thread."""
    return _thread.guards[-1] if _thread.guards else None


def push(hooks: Hooks) -> None:
    """Install the saved-tensor hooks of a guard on this thread. Within torch.func or other hooks, warn once instead."""
    if _autograd._saved_tensors_hooks_get_disabled_error_message() is not None:
        _warn(DISABLED)
        return
    top = _top()
    if top is not None and _guard_of(top) is None:
        _warn("other saved-tensor hooks are in use around it")
        return
    _autograd._push_saved_tensors_default_hooks(*hooks)


def remove(hooks: Hooks) -> None:
    """Remove a guard's innermost hooks from this thread, also if others were added later. Does nothing if there are none."""
    above = []
    while (top := _top()) is not None and top[0] is not hooks[0]:
        above.append(top)
        _autograd._pop_saved_tensors_default_hooks()
    if top is not None:
        _autograd._pop_saved_tensors_default_hooks()
    for pair in reversed(above):
        _autograd._push_saved_tensors_default_hooks(*pair)


def _top() -> tuple[Any, Any] | None:
    top: tuple[Any, Any] | None = _autograd._top_saved_tensors_default_hooks(True)
    return top


def _guard_of(hooks: tuple[Any, Any]) -> "Guard | None":
    return getattr(hooks[0], "guard", None)


def _warn(why: str) -> None:
    if why not in _warned:
        _warned.add(why)
        warnings.warn(f"stepgrad.guard() checks no saved tensors here, because {why}.", stacklevel=3)


def _install() -> None:
    _Armed.undo.enter_context(
        _replaced(torch.autograd, "_engine_run_backward", _run_backward(torch.autograd.graph._engine_run_backward))
    )
    _Armed.undo.enter_context(_replaced(checkpoint._checkpoint_hook, "__enter__", _enter_checkpoint))
    _Armed.undo.enter_context(
        _replaced(_autograd, "_saved_tensors_hooks_disable", _disabling_hooks(_autograd._saved_tensors_hooks_disable))
    )
    function: Any = checkpoint.CheckpointFunction
    for name, replacement in (
        ("forward", _reading(function.forward)),
        ("backward", _comparing(function.backward)),
    ):
        _Armed.undo.enter_context(_replaced(function, name, staticmethod(replacement)))
    for handle in (
        register_optimizer_step_pre_hook(disable_dynamo(_optimizer_begins)),
        register_optimizer_step_post_hook(disable_dynamo(_optimizer_ended)),
    ):
        _Armed.undo.callback(handle.remove)


@contextlib.contextmanager
def _replaced(place: Any, name: str, value: Any) -> Iterator[None]:
    before = vars(place).get(name)
    setattr(place, name, value)
    try:
        yield
    finally:
        if before is None:
            delattr(place, name)
        else:
            setattr(place, name, before)


def _disabling_hooks(disable: Callable[..., None]) -> Callable[..., None]:
    """Return a replacement for `_saved_tensors_hooks_disable`, which torch.func calls first. It accepts the hooks of a guard."""

    @functools.wraps(disable)
    def disable_hooks(error_message: str, fail_if_non_empty: bool = True) -> None:
        is_disabled = _autograd._saved_tensors_hooks_get_disabled_error_message() is not None
        top = None if is_disabled else _top()
        is_guards = top is not None and _guard_of(top) is not None
        if is_guards and fail_if_non_empty:
            _warn(DISABLED)
        disable(error_message, fail_if_non_empty and not is_guards and not is_disabled)

    return disable_hooks


def _run_backward(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a replacement for `_engine_run_backward`, which `backward` and `autograd.grad` call. It calls the active guards."""

    @functools.wraps(run)
    def run_guarded(outputs: Any, *args: Any, **kwargs: Any) -> Any:
        guards = [each for each in dict.fromkeys(_thread.guards) if each.is_checking]
        if not guards or torch._C._functorch.peek_interpreter_stack() is not None:
            return run(outputs, *args, **kwargs)
        if _thread.is_in_backward:
            _compare_read(guards[-1], outputs)
            return run(outputs, *args, **kwargs)
        leaves = leaves_of(outputs)
        _thread.is_in_backward = True
        try:
            results = run(outputs, *args, **kwargs)
        except BaseException:
            for guard in guards:
                guard.backward_failed()
            raise
        finally:
            _thread.is_in_backward = False
        for guard in reversed(guards):
            guard.backward_ended(outputs, leaves, results)
        return results

    return run_guarded


def _reading(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Return a replacement for `CheckpointFunction.forward`. It first computes fingerprints of the function's parameters."""

    def forward_read(ctx: Any, run_function: Any, *args: Any) -> Any:
        if any(each.is_checking for each in _thread.guards):
            ctx.read_by_stepgrad = read_parameters(run_function)
        return forward(ctx, run_function, *args)

    return forward_read


def _comparing(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Return a replacement for `CheckpointFunction.backward`. The backward that it starts compares the parameters."""

    def backward_compared(ctx: Any, *gradients: Any) -> Any:
        outer, _thread.read = _thread.read, getattr(ctx, "read_by_stepgrad", ())
        try:
            return backward(ctx, *gradients)
        finally:
            _thread.read = outer

    return backward_compared


def _compare_read(guard: "Guard", outputs: Any) -> None:
    """Tell the guard if a parameter of a reentrant checkpoint changed since its function first ran."""
    changed = first_changed(_thread.read, leaves_of(outputs)) if _thread.read else None
    if changed is not None:
        guard.tell(recomputed(guard, None, ("", None, changed.dtype, tuple(changed.shape))))


def _optimizer_begins(optimizer: Any, *_: object) -> None:
    for guard in dict.fromkeys(reversed(_thread.guards)):
        guard.optimizer_begins(optimizer)


def _optimizer_ended(optimizer: Any, *_: object) -> None:
    line = user_line(sys._getframe(1))
    for guard in dict.fromkeys(_thread.guards):
        guard.optimizer_ended(optimizer, line)


def _enter_checkpoint(self: Any) -> None:
    """Install the hooks of a checkpoint. Directly within a guard, they also compare bytes."""
    top = None if _autograd._saved_tensors_hooks_get_disabled_error_message() is not None else _top()
    guard = None if top is None else _guard_of(top)
    hooks = (self.pack_hook, self.unpack_hook)
    _autograd._push_saved_tensors_default_hooks(*(hooks if guard is None else _checked(guard, *hooks)))


_Held = tuple[Any, Fingerprint | None, Seen]
_UNREAD = torch.empty(0)


def _checked(guard: "Guard", pack: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]) -> tuple[Any, Any]:
    """Return hooks that call those of a checkpoint, and compare the bytes of each recomputed tensor with those of the first run.

    On a device only leaves are compared, because the order of additions in a kernel may differ between two runs.
    """

    def pack_checked(tensor: Tensor) -> _Held:
        is_compared = is_plain(type(tensor)) and (tensor.is_cpu or (not tensor._is_view() and tensor.is_leaf))
        seen = fingerprint(tensor) if is_compared else None
        return pack(tensor), seen, ("", user_line(sys._getframe(1)), tensor.dtype, tuple(tensor.shape))

    def unpack_checked(held: _Held) -> Tensor:
        if guard.asked.unpacked is not None:
            guard.asked.unpacked.append(held)
            return _UNREAD
        holder, before, seen = held
        tensor = unpack(holder)
        now = fingerprint(tensor) if before is not None and is_plain(type(tensor)) else None
        if now is None or (type(now) is not Slot and now == before) or is_exempt(guard, held, is_recomputed=True):
            return tensor
        finding = recomputed(guard, held, seen)
        if type(now) is Slot and type(before) is Slot:
            guard.compared_later.append((before, now, lambda: finding))
        else:
            guard.tell(finding)
        return tensor

    return pack_checked, unpack_checked
