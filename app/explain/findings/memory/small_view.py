"""Finds a small view that keeps a large storage alive."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import prod
from operator import attrgetter

from app.explain.finding import Finding, finder
from app.explain.reading.end_arguments import size
from app.explain.reading.reading import Reading
from app.trace.dtypes import itemsize
from app.trace.query import END, MODULE, value_at
from app.trace.records import Geometry, StepId, StorageId, TensorId, Tick

FEWEST_BYTES = 1 << 20
"""The minimum size of a reported storage, in bytes."""

TIMES = 100
"""The minimum ratio of the unused bytes of a reported storage to its used bytes."""


@finder(needs_the_end=True)
def find_small_view(reading: Reading) -> Iterator[Finding]:
    """A hint for each large storage of which only small views have names at the end."""
    looks: dict[StorageId, list[tuple[TensorId, Geometry]]] = defaultdict(list)
    for name in reading.trace.names:
        tensor = value_at(name.tensor, END)
        geometry = reading.geometry_at(tensor, END)
        # A tensor on the meta device has no memory, and may have more elements than a shape in the trace shows.
        is_there = geometry is not None and geometry.device != "meta" and name.frame == MODULE
        if tensor is not None and geometry is not None and geometry.storage is not None and is_there:
            looks[geometry.storage].append((tensor, geometry))
    saved = {saved.geometry.storage for saved in reading.trace.saved_tensors if saved.released is None}
    lost: dict[StorageId, dict[TensorId, Tick]] | None = None
    for storage, seen in looks.items():
        nbytes = value_at(reading.trace.storages[storage].nbytes, END) or 0
        looked = sum(prod(geometry.shape) * (itemsize(geometry.dtype) or nbytes) for _, geometry in seen)
        tensor = seen[0][0]
        maker = reading.trace.tensors[tensor].made_by
        called = reading.name_of(tensor)
        is_big = nbytes >= FEWEST_BYTES and looked * TIMES <= nbytes and storage not in saved
        if is_big and maker is not None and called:
            arguments: dict[str, str | int] = {
                "name": called,
                "looked": size(looked),
                "kept": size(nbytes),
                "line": reading.line_of(maker) or 0,
            }
            lost = lost if lost is not None else _lost(reading)
            left = _left(reading, lost.get(storage, {}), {tensor for tensor, _ in seen}, maker)
            yield reading.finding("small_view", [maker, left], [tensor], arguments)


def _lost(reading: Reading) -> dict[StorageId, dict[TensorId, Tick]]:
    """For each Storage, the Tensors that lost a name, each with the tick at which the last of its names ended."""
    found: dict[StorageId, dict[TensorId, Tick]] = defaultdict(dict)
    for name in reading.trace.names:
        for (_, tensor), (tick, _) in pairwise(name.tensor):
            geometry = reading.geometry_at(tensor, tick)
            if tensor is not None and geometry is not None and geometry.storage is not None:
                found[geometry.storage][tensor] = max(tick, found[geometry.storage].get(tensor, tick))
    return dict(found)


def _left(reading: Reading, lost: dict[TensorId, Tick], kept: set[TensorId], maker: StepId) -> StepId | None:
    """The statement after `maker` in which the last name of a storage disappeared, not counting names of the kept tensors."""
    last = max((tick for tensor, tick in lost.items() if tensor not in kept), default=Tick(0))
    made, begun = reading.trace.steps[maker].ended, reading.begun
    place = bisect_right(begun, last, key=attrgetter("began"))
    return begun[place - 1].id if place and made is not None and made < begun[place - 1].began else None
