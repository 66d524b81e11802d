"""Explains printed numbers that are addresses: `data_ptr()`, a byte of a Storage, `id()`.

The system reuses addresses, so a number refers to the object that existed when the snippet printed the number.
`static/js/run/naming/pointers.js` does the same look-up.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from math import prod
from operator import attrgetter

from app.narration.message import Message, message
from app.narration.phrases import code, label
from app.trace.dtypes import itemsize
from app.trace.index import Index
from app.trace.naming import written_as
from app.trace.query import value_at
from app.trace.records import Storage, StorageId, Tensor, TensorId, Tick

_NUMBER = re.compile(r"(?<![\w.-])(?:0[xX][0-9a-fA-F]{5,14}|[0-9a-fA-F]{7,15})(?![\w-]|\.\d)", re.ASCII)
"""A number as written by `print`, `hex` or a format. An address has at least seven digits."""
_SURE = 1 << 32
"""A number within a Storage is reported as an address if it is at least this large, or if it is printed in hexadecimal.

Smaller numbers may be counts.
"""
_MOST_BEGINS = 64
"""Maximum number of Storages before an address that are examined, the nearest first, because such a Storage may contain the
address."""
_MOST_TENSORS = 1000
"""Maximum number of Tensors of one Storage that are examined for a first element at the printed address."""
_MOST_NAMES = 4


class Pointers:
    """Finds the objects behind printed addresses in one trace."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def of(self, text: str, tick: Tick, until: Tick) -> Iterator[Message]:
        """One sentence for each number in a printed line that is the address of an object that existed at `tick`.

        `until` is the end of the printing statement. If the statement calls a function, the function's arguments have names
        only from that tick on.
        """
        for number in dict.fromkeys(_NUMBER.findall(text)):
            told = self._of(number, tick, until)
            if told is not None:
                yield told

    def _of(self, text: str, tick: Tick, until: Tick) -> Message | None:
        address = int(text, 10 if text.isdecimal() else 16)
        found = self._storage_at(address, tick) or self._storage_at(address, until)
        if found is None:
            return self._object_at(text, address, tick, until)
        storage, byte = found
        names = self._names_at(storage.id, byte, tick, until)
        if not names and byte != 0 and address < _SURE and text[:2].lower() != "0x":
            return None
        called = [code(written_as("{}.data_ptr()", name)) for name in names[:_MOST_NAMES]]
        if len(names) > _MOST_NAMES:
            called.append(message("phrase-more", count=len(names) - _MOST_NAMES))
        if not called:
            return message("story-pointer-byte", number=text, storage=f"S{storage.id}", byte=byte)
        return message("story-pointer", number=text, names=called, storage=f"S{storage.id}", byte=byte)

    def _object_at(self, text: str, address: int, tick: Tick, until: Tick) -> Message | None:
        tensors = self._objects.get(address, [])
        for moment in (tick, until):
            before = bisect_right(tensors, moment, key=attrgetter("born"))
            if before and _lives(tensors[before - 1].died, moment):
                name = self._name(tensors[before - 1].id, tick, until)
                return message("story-pointer-id", number=text, name=written_as("id({})", name)) if name else None
        return None

    def _storage_at(self, address: int, tick: Tick) -> tuple[Storage, int] | None:
        """The Storage that contains this address at a tick, and the offset in bytes; None if no Storage contains the address."""
        begins, storages = self._begins, self._storages
        near = bisect_right(begins, address)
        for begin in reversed(begins[max(0, near - _MOST_BEGINS) : near]):
            there = storages[begin]
            born = bisect_right(there, tick, key=attrgetter("born"))
            for storage in reversed(there[max(0, born - _MOST_BEGINS) : born]):
                lies = int(value_at(storage.moved, tick) or storage.address, 16) == begin
                reaches = address - begin < (value_at(storage.nbytes, tick) or 0)
                if lies and reaches and _lives(storage.freed, tick):
                    return storage, address - begin
        return None

    def _names_at(self, storage: StorageId, byte: int, tick: Tick, until: Tick) -> list[str]:
        """The names of the Tensors whose first element is at this byte of a Storage, which is their `data_ptr()`."""
        tensors = self._index.tensors_on.get(storage, [])[:_MOST_TENSORS]
        found = (
            self._name(tensor, tick, until)
            for tensor in tensors
            if byte in (self._begins_at(tensor, storage, tick), self._begins_at(tensor, storage, until))
        )
        return [name for name in dict.fromkeys(found) if name]

    def _name(self, tensor: TensorId, tick: Tick, until: Tick) -> str:
        return label(self._index, tensor, tick) or label(self._index, tensor, until)

    def _begins_at(self, tensor: TensorId, storage: StorageId, tick: Tick) -> int | None:
        record = self._index.trace.tensors[tensor]
        geometry = value_at(record.geometry, tick)
        if geometry is None or geometry.storage != storage or not _lives(record.died, tick):
            return None
        if geometry.stride is None or geometry.storage_offset is None or prod(geometry.shape) == 0:  # its `data_ptr()` is 0
            return None
        return geometry.storage_offset * (itemsize(geometry.dtype) or 1)

    @cached_property
    def _storages(self) -> dict[int, list[Storage]]:
        """For each address, the Storages that ever began at this address, in order. A meta Storage has no address."""
        found: dict[int, dict[StorageId, Storage]] = defaultdict(dict)
        for storage in self._index.trace.storages:
            for address in (storage.address, *(address for _, address in storage.moved)):
                found[int(address, 16)][storage.id] = storage
        found.pop(0, None)
        return {address: list(storages.values()) for address, storages in found.items()}

    @cached_property
    def _begins(self) -> list[int]:
        return sorted(self._storages)

    @cached_property
    def _objects(self) -> dict[int, list[Tensor]]:
        """For each address, the Tensors whose Python object ever had this address, in order."""
        found: dict[int, list[Tensor]] = defaultdict(list)
        for tensor in self._index.trace.tensors:
            if tensor.address is not None:
                found[int(tensor.address, 16)].append(tensor)
        return dict(found)


def _lives(gone: Tick | None, tick: Tick) -> bool:
    return gone is None or gone > tick
