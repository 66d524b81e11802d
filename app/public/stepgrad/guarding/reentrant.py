"""Reentrant checkpoints, whose first run saves nothing: the parameters of their function are compared before it runs again."""

from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Final

import torch
from torch import Tensor

from .fingerprints import Fingerprint, fingerprint, is_plain

DEPTH: Final = 4
"""Levels of functions and lists that are searched for parameters."""

Read = list[tuple[Tensor, Fingerprint]]


def read_parameters(function: object) -> Read:
    """Return the leaves on the CPU that a function may read, with their fingerprints."""
    leaves = {id(leaf): leaf for leaf in _leaves_in(function, DEPTH) if leaf.is_cpu and is_plain(type(leaf))}
    return [(leaf, fingerprint(leaf)) for leaf in leaves.values()]


def first_changed(read: Read) -> Tensor | None:
    """Return the first leaf whose bytes are not as read; None if there is none."""
    return next((leaf for leaf, before in read if before is not None and fingerprint(leaf) not in (before, None)), None)


def _leaves_in(value: object, depth: int) -> Iterator[Tensor]:
    """Yield the parameters of modules, and the leaves, that a value holds or a function names."""
    if isinstance(value, torch.nn.Module):
        yield from value.parameters()
    elif isinstance(value, Tensor):
        if value.requires_grad and not value._is_view() and value.is_leaf:
            yield value
    elif depth:
        for held in _held_by(value):
            yield from _leaves_in(held, depth - 1)


def _held_by(value: object) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        return cells + [value.__globals__[name] for name in value.__code__.co_names if name in value.__globals__]
    return []


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def reading(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Return `CheckpointFunction.forward` so that it reads parameters first."""

    def forward_read(ctx: Any, run_function: Any, *args: Any) -> Any:
        ctx.read_by_stepgrad = read_parameters(run_function)
        return forward(ctx, run_function, *args)

    return forward_read


def comparing(backward: Callable[..., Any], tell: Callable[[Tensor], None]) -> Callable[..., Any]:
    """Return `CheckpointFunction.backward` so that it compares parameters first, and calls `tell` for a changed one."""

    def backward_compared(ctx: Any, *gradients: Any) -> Any:
        changed = first_changed(getattr(ctx, "read_by_stepgrad", []))
        if changed is not None:
            tell(changed)
        return backward(ctx, *gradients)

    return backward_compared
