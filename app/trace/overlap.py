"""Computes which bytes of a Storage a Tensor reads or a Write changes, and whether two sets of bytes have a common byte."""

from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple

from app.trace.chunks import Trace
from app.trace.dtypes import itemsize
from app.trace.query import value_at
from app.trace.records import Geometry, Write

MOST_WORK = 4_096
"""Maximum number of blocks that are compared for one answer, which takes 5 ms (measured). The tensors of real programs need
fewer than ten blocks."""


class _Block(NamedTuple):
    """A set of bytes: `run` bytes from `begin`, repeated along dimensions (count, step in bytes), the largest step first."""

    begin: int
    dimensions: tuple[tuple[int, int], ...]
    run: int

    @property
    def end(self) -> int:
        return self.begin + self.run + sum((count - 1) * step for count, step in self.dimensions)

    def inner(self, by: int) -> "_Block":
        """Return the first repetition along the dimension with the largest step, moved by `by` bytes."""
        return _Block(self.begin + by, self.dimensions[1:], self.run)


def _block(geometry: Geometry) -> _Block | None:
    """Return the bytes that a non-empty Tensor reads; None if it has no strides, no Storage or an unknown dtype."""
    size = itemsize(geometry.dtype)
    if size is None or geometry.stride is None or geometry.storage_offset is None or geometry.storage is None:
        return None
    run = size
    outer: list[tuple[int, int]] = []
    for count, stride in sorted(zip(geometry.shape, geometry.stride, strict=True), key=itemgetter(1)):
        if count > 1 and stride:
            if stride * size <= run and not outer:  # repetitions that touch or overlap form one longer run
                run += (count - 1) * stride * size
            else:
                outer.append((count, stride * size))
    return _Block(geometry.storage_offset * size, tuple(reversed(outer)), run)


def hull(geometry: Geometry) -> range | None:
    """Return the range from the first to the last byte that a Tensor reads; None if unknown."""
    block = _block(geometry)
    return None if block is None else range(0) if 0 in geometry.shape else range(block.begin, block.end)


def extent(geometry: Geometry, most: int = 1 << 16) -> list[range] | None:
    """Return the bytes that a Tensor reads from its Storage, as ascending ranges that neither touch nor overlap.

    Empty if the Tensor has no elements. The ranges may exceed the Storage, because `untyped_storage().resize_(0)` is legal. None if
    the bytes are unknown, or if there are more than `most` ranges.
    """
    block = _block(geometry)
    if block is None:
        return None
    if 0 in geometry.shape:
        return []
    begins = [block.begin]
    for count, step in reversed(block.dimensions):
        if len(begins) * count > most:
            return None
        begins = [start + index * step for start in begins for index in range(count)]
    return _joined(sorted(begins), block.run)


def _joined(begins: list[int], run: int) -> list[range]:
    """Return the ranges of `run` bytes from each of the ascending `begins`; ranges that touch are joined."""
    pieces: list[range] = []
    first = last = begins[0]
    for begin in begins[1:]:
        if begin > last + run:
            pieces.append(range(first, last + run))
            first = begin
        last = begin
    pieces.append(range(first, last + run))
    return pieces


def reaches(trace: Trace, write: Write, geometry: Geometry | None) -> bool | None:
    """Return whether a Write may have changed a byte that a Tensor reads; None if that takes more than MOST_WORK.

    An operator's Write changes the elements of its Tensor. A Write without a Tensor may have changed every byte of its range.
    """
    if geometry is None or geometry.storage != write.storage:
        return False
    block = _block(geometry)
    if block is None or 0 in geometry.shape:
        return False
    written = _Block(write.begin, (), write.end - write.begin)
    through = None if write.tensor is None else value_at(trace.tensors[write.tensor].geometry, write.tick)
    if through is not None and through.storage == write.storage and 0 not in through.shape:
        exact = _block(through)
        if exact is not None and (exact.begin, exact.end) == (write.begin, write.end):
            written = exact
    return _meet(block, written)


def _meet(one: _Block, other: _Block) -> bool | None:
    """Whether two blocks have a common byte; None if that takes more than MOST_WORK. Only blocks with overlapping hulls are
    compared."""
    waiting, work = [(one, other)], 0
    while waiting:
        one, other = waiting.pop()
        if one.begin >= other.end or other.begin >= one.end:
            continue
        if not (one.dimensions or other.dimensions):
            return True
        for pair in _repetitions(one, other):
            work += 1
            if work > MOST_WORK:
                return None
            waiting.append(pair)
    return False


def _repetitions(one: _Block, other: _Block) -> Iterator[tuple[_Block, _Block]]:
    """Yield pairs of parts with overlapping hulls. The blocks have a common byte if and only if a pair has a common byte."""
    if not one.dimensions or (other.dimensions and other.dimensions[0][1] > one.dimensions[0][1]):
        one, other = other, one
    count, step = one.dimensions[0]
    part = one.inner(0)
    least = 0
    if other.dimensions and other.dimensions[0][1] == step:
        # If both blocks repeat with the same step, only the distance between two repetitions matters.
        least, other = 1 - other.dimensions[0][0], other.inner(0)
    first = max(least, (other.begin - part.end) // step + 1)
    last = min(count - 1, -((part.begin - other.end) // step) - 1)
    for index in range(first, last + 1):
        yield one.inner(index * step), other
