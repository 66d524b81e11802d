"""The last record of each tensor, storage and version counter. Holds them weakly."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from app.trace.records import Contents, Unknown

_UNSEEN: Any = object()
"""The value of a fact that is not recorded yet."""


class WatchedRef(weakref.ref[Any]):
    """A weak reference with an id, so that its callback can be `append` of a list.

    No Python function may run inside a C++ destructor, because a trace function would see it.
    """

    __slots__ = ("key", "serial")

    key: int
    """The `id` of the object that it refers to."""
    serial: int


def watch(watched: object, serial: int, callback: Callable[[Any], None]) -> WatchedRef:
    """Return a weak reference to `watched` with this id. The callback is called when `watched` dies."""
    ref = WatchedRef(watched, callback)
    ref.key, ref.serial = id(watched), serial
    return ref


@dataclass(slots=True, eq=False)
class SeenStorage:
    """The facts that were last recorded of one UntypedStorage."""

    serial: int
    ref: "weakref.ref[Any]"
    dtype: str
    address: int
    nbytes: int = -1
    is_on_host: bool = False
    """Whether the CPU can read the bytes without a copy."""
    is_readable: bool = False
    """Whether the bytes can be read, if necessary from a copy."""
    has_cells: bool = False
    """Whether the storage is so small that every element is recorded."""
    is_shared: bool = False
    """Whether a NumPy array or another storage uses the same bytes."""
    is_compared: bool = False
    """Whether the bytes are compared at each reading: the storage has cells, or it is shared and not too large."""
    shown: Contents | None = None
    """The last recorded Summary."""
    raw: bytes | None = None
    before: bytes | None = None
    """The bytes before their last change; None if these were not kept."""
    counters: "list[SeenCounter]" = field(default_factory=list)


@dataclass(slots=True, eq=False)
class SeenCounter:
    """One version counter: its last known version, and the tensors that share it, oldest first.

    Tensors that died since the last `note_deaths` are still included.
    """

    serial: int
    version: int = -1
    members: "dict[int, SeenTensor]" = field(default_factory=dict)

    def representative(self, but: torch.Tensor | None = None) -> torch.Tensor | None:
        """Return a live tensor with this counter, other than `but`; None if there is none."""
        for seen in self.members.values():
            tensor = seen.ref()
            if tensor is not None and tensor is not but:
                return tensor
        return None


@dataclass(slots=True, eq=False)
class SeenTensor:
    """The facts that were last recorded of one Tensor object."""

    serial: int
    ref: "weakref.ref[torch.Tensor]"
    look: tuple[Any, ...] | None = None
    extent: tuple[int, int] = (0, 0)
    """The range of bytes [begin, end) of its storage between its first and its last element; empty if it is not strided."""
    storage: SeenStorage | None = None
    counter_fact: Any = _UNSEEN
    """The recorded fact about the tensor's counter: its id, None if there is no counter, or the reason why the counter is
    unknown."""
    counter: SeenCounter | None = None
    version: int | None = None
    """The tensor's version when all facts of the tensor, including its Node, were last read."""
    address: int = 0
    """The address of the tensor's first element when `version` was read."""
    requires_grad: Any = _UNSEEN
    is_leaf: Any = _UNSEEN
    base: Any = _UNSEEN
    grad: Any = _UNSEEN
    grad_fn: Any = _UNSEEN


def refused(refusal: RuntimeError) -> Unknown:
    """Return an Unknown with torch's error message as the reason."""
    return Unknown(reason=str(refusal).split("\n", 1)[0][:300])
