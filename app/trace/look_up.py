"""Look-up tables that are built on first use."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
K = TypeVar("K")


class Builds(Protocol):
    """A class whose instances own look-up tables. A subclass can override `built`, for example to return tables that count
    accesses."""

    def built(self, build: Callable[[Any], T]) -> T:
        """Return the table that `build` creates for this owner."""
        ...


def look_up(build: Callable[[Any], T]) -> cached_property[T]:
    """Decorator: a property whose value the owner's `built` creates on first access."""

    def value(owner: Builds) -> T:
        return owner.built(build)

    value.__doc__ = build.__doc__
    return cached_property(value)


def grouped(records: Iterable[T], by: Callable[[T], K]) -> dict[K, list[T]]:
    """Group records by the key that `by` returns, in order."""
    found: dict[K, list[T]] = defaultdict(list)
    for record in records:
        found[by(record)].append(record)
    return dict(found)
