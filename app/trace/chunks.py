"""The wire form: chunks of new records and new facts, and the fold that makes a trace of them.

A chunk is what the recorder settled since the last one. Folding the chunks in order gives the trace; a run cut short gives a
whole trace that ends early.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from app.trace.ends import Ended, Interfered
from app.trace.records import (
    Frame,
    FrameUpdate,
    Gradient,
    Header,
    Name,
    NameUpdate,
    Node,
    NodeUpdate,
    Output,
    Record,
    SavedTensor,
    SavedTensorUpdate,
    Source,
    Step,
    StepUpdate,
    Storage,
    StorageUpdate,
    Tensor,
    TensorUpdate,
    VersionCounter,
    VersionCounterUpdate,
    Write,
)


class Chunk(Record, frozen=True, kw_only=True):
    """New records (each table in id order, continuing where the last chunk stopped) and new facts of known records."""

    header: Header | None = None
    steps: list[Step] = []
    frames: list[Frame] = []
    outputs: list[Output] = []
    names: list[Name] = []
    tensors: list[Tensor] = []
    storages: list[Storage] = []
    version_counters: list[VersionCounter] = []
    writes: list[Write] = []
    nodes: list[Node] = []
    saved_tensors: list[SavedTensor] = []
    gradients: list[Gradient] = []
    step_updates: list[StepUpdate] = []
    frame_updates: list[FrameUpdate] = []
    name_updates: list[NameUpdate] = []
    tensor_updates: list[TensorUpdate] = []
    storage_updates: list[StorageUpdate] = []
    version_counter_updates: list[VersionCounterUpdate] = []
    node_updates: list[NodeUpdate] = []
    saved_tensor_updates: list[SavedTensorUpdate] = []
    ended: Ended | None = None


class Trace(Record, frozen=True, kw_only=True):
    """A whole run. `tables[i].id == i` in every table."""

    source: Source
    header: Header
    steps: list[Step] = []
    frames: list[Frame] = []
    outputs: list[Output] = []
    names: list[Name] = []
    tensors: list[Tensor] = []
    storages: list[Storage] = []
    version_counters: list[VersionCounter] = []
    writes: list[Write] = []
    nodes: list[Node] = []
    saved_tensors: list[SavedTensor] = []
    gradients: list[Gradient] = []
    ended: Ended = Interfered(reason="The run has not ended.")


TABLES = (
    "steps",
    "frames",
    "outputs",
    "names",
    "tensors",
    "storages",
    "version_counters",
    "writes",
    "nodes",
    "saved_tensors",
    "gradients",
)


class FoldError(ValueError):
    """A chunk does not continue the trace folded so far. The text says which record and why."""


class Folding:
    """Folds chunks into a Trace, one at a time, in time proportional to what each chunk brings."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._header: Header | None = None
        self._tables: dict[str, list[Any]] = {table: [] for table in TABLES}
        self.ended: Ended | None = None

    def add(self, chunk: Chunk) -> None:
        """Take one more chunk. Raises FoldError when it does not follow on."""
        if self.ended is not None:
            raise FoldError("a chunk arrived after the end of the run")
        if chunk.header is not None:
            if self._header is not None:
                raise FoldError("a second header arrived")
            self._header = chunk.header
        if self._header is None:
            raise FoldError("the first chunk has no header")
        for table in TABLES:
            self._append(table, getattr(chunk, table))
        for table in TABLES:
            updates = getattr(chunk, table[:-1] + "_updates", ())
            for update in updates:
                self._update(table, update)
        self.ended = chunk.ended

    def trace(self, ended: Ended, default_header: Header) -> Trace:
        """The trace folded so far, ended by `ended` unless the run said how it ended itself."""
        return Trace(
            source=self._source,
            header=self._header or default_header,
            ended=self.ended or ended,
            **self._tables,
        )

    def _append(self, table: str, records: Iterable[Any]) -> None:
        rows = self._tables[table]
        for record in records:
            if record.id != len(rows):
                raise FoldError(f"{table}: record {record.id} arrived where {len(rows)} was expected")
            rows.append(record)

    def _update(self, table: str, update: Any) -> None:
        rows = self._tables[table]
        if not 0 <= update.id < len(rows):
            raise FoldError(f"{table}: facts for record {update.id}, but only {len(rows)} are known")
        record = rows[update.id]
        settled: dict[str, Any] = {}
        for field in msgspec.structs.fields(update):
            value = getattr(update, field.name)
            if field.name == "id" or value is None or value == []:
                continue
            known = getattr(record, field.name)
            if isinstance(known, list):
                settled[field.name] = known  # extended below; lists of a folded record belong to the fold
                known.extend(value)
            elif known is not None:
                raise FoldError(f"{table}[{update.id}].{field.name} was settled twice")
            else:
                settled[field.name] = value
        if settled:
            rows[update.id] = msgspec.structs.replace(record, **settled)
