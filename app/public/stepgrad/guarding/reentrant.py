"""Compares the parameters of a reentrant checkpoint, whose first run saves no tensors, with those of its second run."""

from collections.abc import Iterable, Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from .fingerprints import Fingerprint, fingerprint, is_plain

DEPTH: Final = 4
"""Levels of functions and lists that are searched for parameters."""


class Read(NamedTuple):
    """A leaf, with its fingerprint and version before the function first ran."""

    leaf: Tensor
    before: Fingerprint | None
    version: int


def read_parameters(function: object) -> list[Read]:
    """Return the leaves on the CPU that a function may read, with their fingerprints."""
    leaves = {id(leaf): leaf for leaf in _leaves_in(function, DEPTH) if is_plain(type(leaf)) and leaf.is_cpu}
    return [Read(leaf, fingerprint(leaf), leaf._version) for leaf in leaves.values() if not leaf.is_inference()]


def first_changed(read: Iterable[Read], used: Iterable[Tensor]) -> Tensor | None:
    """Return the first leaf whose bytes changed since it was read, of those that the function uses; None if there is none.

    `used` are the leaves of the graph of the second run. Other leaves that require gradients are not compared: an optimizer may
    have written them. A frozen leaf is in no graph; it is compared if its version counter is the same as before.
    """
    is_used = set(map(id, used))
    for leaf, before, version in read:
        is_compared = id(leaf) in is_used or (not leaf.requires_grad and leaf._version == version)
        if is_compared and before is not None and fingerprint(leaf) not in (before, None):
            return leaf
    return None


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
