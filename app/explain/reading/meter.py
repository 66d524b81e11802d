"""Counts the records that finders read, and limits their number.

The lists and dicts of a `Reading` count each record that is read from them, by index or by iteration. Counting costs about 10
ns per record, because `compress` advances both iterators in C.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from contextlib import contextmanager
from itertools import chain, compress, repeat
from operator import length_hint
from typing import Any, SupportsIndex, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

FEW = 8
"""Lists within a dict that have at most this many records do not count accesses; getting such a list from the dict counts."""


class Spent(Exception):
    """Raised when the budget of record accesses (looks) is used up."""


class _Nothing(Iterator[bool]):
    """An iterator that raises Spent. It follows the last permitted look."""

    def __next__(self) -> bool:
        raise Spent


class Meter:
    """A budget of looks (accesses to records).

    Each finder may use a part of the budget, and building each look-up table uses some of it.
    """

    def __init__(self, most: int) -> None:
        self.left = most
        self.looks: Iterator[bool] = repeat(True)
        """One item for each record that the current finder may still read. Then the iterator raises Spent."""
        self._is_building = False

    @contextmanager
    def at_most(self, count: int) -> Iterator[None]:
        """Limits the looks within the block to `count`, or to the looks that are left if these are fewer. Unused looks are
        returned."""
        outer, given = self.looks, repeat(True, min(count, self.left))
        self.left -= length_hint(given)
        self.looks = chain(given, _Nothing())
        try:
            yield
        finally:
            self.looks = outer
            self.left += length_hint(given)

    def built(self, owner: Any, build: Callable[[Any], T]) -> T:
        """Builds a look-up table that counts accesses to it. Building is charged to all finders together, not to one finder."""
        if self._is_building:
            nested: T = self.counted(build(owner))
            return nested
        self._is_building = True
        try:
            with self.at_most(self.left):
                found = build(owner)
        finally:
            self._is_building = False
        counted: T = self.counted(found)
        return counted

    def counted(self, found: Any) -> Any:
        """A copy of a list or dict that counts accesses; other objects are returned unchanged."""
        if type(found) is list:
            return CountedList(found, self)
        if type(found) is dict:
            rows = {key: CountedList(row, self) if type(row) is list and len(row) > FEW else row for key, row in found.items()}
            return CountedDict(rows, self)
        return found

    def counting(self, records: Iterable[T]) -> Iterator[T]:
        """Iterates over these records and counts each."""
        return compress(records, self.looks)


class CountedList(list[T]):
    """A list that counts each record that is read. A slice counts all its records."""

    __slots__ = ("_meter",)

    def __init__(self, records: Iterable[T], meter: Meter) -> None:
        super().__init__(records)
        self._meter = meter

    def __iter__(self) -> Iterator[T]:
        return compress(super().__iter__(), self._meter.looks)

    def __reversed__(self) -> Iterator[T]:
        return compress(super().__reversed__(), self._meter.looks)

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> T: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[T]: ...
    def __getitem__(self, index: SupportsIndex | slice, /) -> T | list[T]:
        if isinstance(index, slice):
            return list(compress(super().__getitem__(index), self._meter.looks))
        next(self._meter.looks)
        return super().__getitem__(index)


class CountedDict(dict[K, V]):
    """A dict that counts each entry that is read. `in` is free."""

    __slots__ = ("_meter",)

    def __init__(self, entries: dict[K, V], meter: Meter) -> None:
        super().__init__(entries)
        self._meter = meter

    def __getitem__(self, key: K, /) -> V:
        next(self._meter.looks)
        return super().__getitem__(key)

    def get(self, key: K, default: Any = None, /) -> Any:
        next(self._meter.looks)
        return super().get(key, default)

    def __iter__(self) -> Iterator[K]:
        return compress(super().__iter__(), self._meter.looks)

    # dict's own views iterate in C, which would bypass the counting.

    def keys(self) -> KeysView[K]:  # type: ignore[override]
        return KeysView(self)

    def values(self) -> ValuesView[V]:  # type: ignore[override]
        return ValuesView(self)

    def items(self) -> ItemsView[K, V]:  # type: ignore[override]
        return ItemsView(self)
