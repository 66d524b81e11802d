"""Look-ups that are built once, when they are first asked for; and what most of them are made by."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
K = TypeVar("K")


class Builds(Protocol):
    """An owner of look-up tables, and how it builds them: an index that counts its readers returns counting tables."""

    def built(self, build: Callable[[Any], T]) -> T:
        """What `build` makes of it."""
        ...


def look_up(build: Callable[[Any], T]) -> cached_property[T]:
    """A property whose value is built once by its owner's `built`."""

    def value(owner: Builds) -> T:
        return owner.built(build)

    value.__doc__ = build.__doc__
    return cached_property(value)


def grouped(records: Iterable[T], by: Callable[[T], K]) -> dict[K, list[T]]:
    """Records by what each of them is about, in order."""
    found: dict[K, list[T]] = defaultdict(list)
    for record in records:
        found[by(record)].append(record)
    return dict(found)
