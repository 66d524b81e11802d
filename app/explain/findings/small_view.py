"""A small view that keeps a big storage alive."""

from collections import defaultdict
from itertools import pairwise
from math import prod

from app.explain.finding import MOST_FINDINGS, Finding
from app.explain.findings.making import make_finding
from app.explain.reading.ending import size
from app.explain.reading.reading import Reading
from app.trace.dtypes import itemsize
from app.trace.query import END, MODULE, value_at
from app.trace.records import Geometry, StepId, StorageId, TensorId, Tick

FEWEST_BYTES = 1 << 20
"""Of a storage that is worth a word."""

TIMES = 100
"""So many times what is looked at is lost."""


def find_small_view(reading: Reading) -> list[Finding]:
    """A hint for each big storage of which, at the end, the names reach only small views."""
    looks: dict[StorageId, list[tuple[TensorId, Geometry]]] = defaultdict(list)
    for name in reading.trace.names:
        tensor = value_at(name.tensor, END)
        geometry = None if tensor is None else value_at(reading.trace.tensors[tensor].geometry, END)
        if tensor is not None and geometry is not None and geometry.storage is not None and name.frame == MODULE:
            looks[geometry.storage].append((tensor, geometry))
    saved = {saved.geometry.storage for saved in reading.trace.saved_tensors if saved.released is None}
    findings: list[Finding] = []
    for storage, seen in looks.items():
        nbytes = value_at(reading.trace.storages[storage].nbytes, END) or 0
        looked = sum(prod(geometry.shape) * (itemsize(geometry.dtype) or nbytes) for _, geometry in seen)
        tensor = seen[0][0]
        maker = reading.trace.tensors[tensor].made_by
        called = reading.name_of(tensor)
        is_big = nbytes >= FEWEST_BYTES and looked * TIMES <= nbytes and storage not in saved
        if is_big and maker is not None and called and len(findings) < MOST_FINDINGS:
            arguments: dict[str, str | int] = {
                "name": called,
                "looked": size(looked),
                "kept": size(nbytes),
                "line": reading.line_of(maker) or 0,
            }
            left = _left(reading, storage, {tensor for tensor, _ in seen}, maker)
            findings.append(make_finding(reading, "small_view", [maker, left], [tensor], arguments, fixes=[]))
    return findings


def _left(reading: Reading, storage: StorageId, kept: set[TensorId], maker: StepId) -> StepId | None:
    """The statement after `maker` in which the last name let go of a storage, but those of what is kept."""
    trace = reading.trace
    ticks = [Tick(0)]
    for name in trace.names:
        for (_, tensor), (tick, _) in pairwise(name.tensor):
            geometry = None if tensor is None or tensor in kept else value_at(trace.tensors[tensor].geometry, tick)
            if geometry is not None and geometry.storage == storage:
                ticks.append(tick)
    made = trace.steps[maker].ended
    later = [
        step.id for step in trace.steps if step.kind == "statement" and made is not None and made < step.began <= max(ticks)
    ]
    return later[-1] if later else None
