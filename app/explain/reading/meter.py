"""Counts the records that finders read, and limits them.

The containers count, not their readers: iterating over a list or dict of a `Reading`, or taking an item, counts. It costs about
10 ns per record, because `compress` pulls both iterators in C.
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
"""A list in a dict of at most so many records is not counted: to have taken it from there has been."""


class Spent(Exception):
    """So many records as may be looked at have been."""


class _Nothing(Iterator[bool]):
    """Where a budget ends."""

    def __next__(self) -> bool:
        raise Spent


class Meter:
    """A budget of looks, of which parts are given out: one for each finder, and one for each look-up that is built."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.looks: Iterator[bool] = repeat(True)
        """One entry for each record that the present finder may still read; after the last it raises Spent."""
        self._is_building = False

    @contextmanager
    def at_most(self, count: int) -> Iterator[None]:
        """Within, so many looks are free, if so many are left."""
        outer, given = self.looks, repeat(True, min(count, self.left))
        self.left -= length_hint(given)
        self.looks = chain(given, _Nothing())
        try:
            yield
        finally:
            self.looks = outer
            self.left += length_hint(given)

    def built(self, owner: Any, build: Callable[[Any], T]) -> T:
        """A look-up table for all finders, charged to none of them, that counts its readings."""
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
        """The same list or dict, but that looks are counted; anything else as it is."""
        if type(found) is list:
            return CountedList(found, self)
        if type(found) is dict:
            rows = {key: CountedList(row, self) if type(row) is list and len(row) > FEW else row for key, row in found.items()}
            return CountedDict(rows, self)
        return found

    def counting(self, records: Iterable[T]) -> Iterator[T]:
        """Each of these, counted as it is looked at."""
        return compress(records, self.looks)


class CountedList(list[T]):
    """A list that counts each record that is taken from it. A slice counts as all that is in it."""

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
    """A dict that counts each entry that is taken from it. Whether a key is there costs nothing."""

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

    # The views of a dict itself are made in C, around what counts.

    def keys(self) -> KeysView[K]:  # type: ignore[override]
        return KeysView(self)

    def values(self) -> ValuesView[V]:  # type: ignore[override]
        return ValuesView(self)

    def items(self) -> ItemsView[K, V]:  # type: ignore[override]
        return ItemsView(self)
