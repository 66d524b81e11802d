"""The last record of each tensor, storage and version counter. Holds them weakly."""

import weakref
from collections.abc import Callable
from typing import Any

import torch

from app.trace.records import Contents, Unknown

_UNSEEN: Any = object()
"""Nothing was recorded yet."""


class WatchedRef(weakref.ref[Any]):
    """A weak reference that stores its own number, so that its callback is `append` of a list: no Python code may run inside a
    C++ destructor, because a trace function would see it."""

    __slots__ = ("key", "serial")

    key: int
    """`id` of its referent."""
    serial: int


def watch(watched: object, serial: int, callback: Callable[[Any], None]) -> WatchedRef:
    """A weak reference to `watched` with this number, and a callback for its death."""
    ref = WatchedRef(watched, callback)
    ref.key, ref.serial = id(watched), serial
    return ref


class SeenStorage:
    """The last record of one UntypedStorage."""

    __slots__ = (
        "address",
        "before",
        "counters",
        "dtype",
        "has_cells",
        "is_compared",
        "is_on_host",
        "is_readable",
        "is_shared",
        "nbytes",
        "raw",
        "ref",
        "serial",
        "shown",
    )

    def __init__(self, serial: int, ref: "weakref.ref[Any]", dtype: str, address: int) -> None:
        self.serial = serial
        self.ref = ref
        self.dtype = dtype
        self.nbytes = -1
        self.address = address
        self.is_on_host = False
        """Its bytes are where the CPU can read them."""
        self.is_readable = False
        """Its bytes can be read, if by a copy."""
        self.has_cells = False
        """Its bytes are in this process and so few that every element is kept."""
        self.is_shared = False
        """An array of NumPy, or another storage, lies over its bytes."""
        self.is_compared = False
        """Its bytes are compared whenever somebody looks: it has cells, or is shared and not too large."""
        self.shown: Contents | None = None
        """The Summary recorded last."""
        self.raw: bytes | None = None
        self.before: bytes | None = None
        """The bytes before they last changed; None where either was not kept."""
        self.counters: list[SeenCounter] = []


class SeenCounter:
    """One version counter: its last known version, and the tensors that share it, oldest first.

    Tensors that died since the last `note_deaths` are still included.
    """

    __slots__ = ("members", "serial", "version")

    def __init__(self, serial: int) -> None:
        self.serial = serial
        self.version = -1
        self.members: dict[int, SeenTensor] = {}

    def representative(self, but: torch.Tensor | None = None) -> torch.Tensor | None:
        """A live tensor on this counter other than `but`."""
        for seen in self.members.values():
            tensor = seen.ref()
            if tensor is not None and tensor is not but:
                return tensor
        return None


class SeenTensor:
    """The last record of one Tensor object."""

    __slots__ = (
        "address",
        "base",
        "counter",
        "counter_fact",
        "extent",
        "grad",
        "grad_fn",
        "is_leaf",
        "look",
        "ref",
        "requires_grad",
        "serial",
        "storage",
        "version",
    )

    def __init__(self, serial: int, ref: "weakref.ref[torch.Tensor]") -> None:
        self.serial = serial
        self.ref = ref
        self.look: tuple[Any, ...] | None = None
        self.extent = (0, 0)
        """The range of bytes [begin, end) of its storage between its first and its last element; empty if it is not strided."""
        self.storage: SeenStorage | None = None
        self.counter_fact: Any = _UNSEEN
        """Its recorded counter: the id, None for none, or a text that says why it is unknown."""
        self.counter: SeenCounter | None = None
        self.version: int | None = None
        """The version at which everything about it was looked at, its Node included."""
        self.address = 0
        """Of its first element then."""
        self.requires_grad: Any = _UNSEEN
        self.is_leaf: Any = _UNSEEN
        self.base: Any = _UNSEEN
        self.grad: Any = _UNSEEN
        self.grad_fn: Any = _UNSEEN


def refused(refusal: RuntimeError) -> Unknown:
    """The refusal is the fact."""
    return Unknown(reason=str(refusal).split("\n", 1)[0][:300])
