"""Chunks of new records and new facts, and the fold that combines chunks into a trace.

A chunk contains the records and facts since the previous chunk. Folding all chunks in order produces the trace. If a run is cut
short, the chunks so far form a valid trace that ends early.
"""

from typing import Any, Final

import msgspec

from app.trace import records
from app.trace.ends import Ended, Interfered
from app.trace.records import Record

NOT_ENDED: Final = Interfered(reason="The run has not ended.")


class Chunk(Record, frozen=True, kw_only=True):
    """A part of a trace: new records, and new facts of known records. Each table continues the table of the previous chunk."""

    header: records.Header | None = None
    files: list[records.File] = []
    steps: list[records.Step] = []
    frames: list[records.Frame] = []
    outputs: list[records.Output] = []
    names: list[records.Name] = []
    variables: list[records.Variable] = []
    tensors: list[records.Tensor] = []
    storages: list[records.Storage] = []
    version_counters: list[records.VersionCounter] = []
    writes: list[records.Write] = []
    modules: list[records.Module] = []
    nodes: list[records.Node] = []
    saved_tensors: list[records.SavedTensor] = []
    gradients: list[records.Gradient] = []
    hooks: list[records.Hook] = []
    step_updates: list[records.StepFacts] = []
    frame_updates: list[records.FrameFacts] = []
    name_updates: list[records.NameFacts] = []
    variable_updates: list[records.VariableFacts] = []
    tensor_updates: list[records.TensorFacts] = []
    storage_updates: list[records.StorageFacts] = []
    version_counter_updates: list[records.VersionCounterFacts] = []
    node_updates: list[records.NodeFacts] = []
    saved_tensor_updates: list[records.SavedTensorFacts] = []
    ended: Ended | None = None


class Trace(Record, frozen=True, kw_only=True):
    """A whole run. In every table of a Trace, the record at index i has the id i."""

    source: records.Source
    header: records.Header
    files: list[records.File] = []
    steps: list[records.Step] = []
    frames: list[records.Frame] = []
    outputs: list[records.Output] = []
    names: list[records.Name] = []
    variables: list[records.Variable] = []
    tensors: list[records.Tensor] = []
    storages: list[records.Storage] = []
    version_counters: list[records.VersionCounter] = []
    writes: list[records.Write] = []
    modules: list[records.Module] = []
    nodes: list[records.Node] = []
    saved_tensors: list[records.SavedTensor] = []
    gradients: list[records.Gradient] = []
    hooks: list[records.Hook] = []
    ended: Ended = NOT_ENDED


TABLES = tuple(field for field in Trace.__struct_fields__ if field not in ("source", "header", "ended"))


class FoldError(ValueError):
    """Raised if a chunk does not continue the trace that was folded so far. The message names the record and the reason."""


class Folding:
    """Folds chunks into a Trace, one at a time. The time for a chunk is proportional to its size."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._header: records.Header | None = None
        self._tables: dict[str, list[Any]] = {table: [] for table in TABLES}
        self.ended: Ended | None = None

    def add(self, chunk: Chunk) -> None:
        """Add a chunk. If the chunk does not continue the trace, raise FoldError and change nothing."""
        updates = self._checked(chunk)
        self._header = self._header or chunk.header
        for table in TABLES:
            self._tables[table].extend(getattr(chunk, table))
        for table, update in updates:
            self._settle(self._tables[table], update)
        self.ended = chunk.ended

    def trace(self, ended: Ended, default_header: records.Header) -> Trace:
        """Return the trace that was folded so far. `ended` is the trace's end if no chunk had an end.

        The trace shares its lists with this object; therefore call this method after the last chunk.
        """
        return Trace(
            source=self._source,
            header=self._header or default_header,
            ended=self.ended or ended,
            **self._tables,
        )

    def _checked(self, chunk: Chunk) -> list[tuple[str, Any]]:
        """Return all updates of `chunk`, each with its table. Raise FoldError if the chunk does not continue the trace."""
        if self.ended is not None:
            raise FoldError("a chunk arrived after the end of the run")
        if (self._header is None) == (chunk.header is None):
            raise FoldError("the first chunk has no header" if self._header is None else "a second header arrived")
        updates = []
        for table in TABLES:
            known: list[Any] = self._tables[table]
            new: list[Any] = getattr(chunk, table)
            for expected, record in enumerate(new, len(known)):
                if record.id != expected:
                    raise FoldError(f"{table}: record {record.id} arrived where {expected} was expected")
            settled = set()
            for update in getattr(chunk, table[:-1] + "_updates", ()):
                if update.id >= len(known) + len(new):
                    raise FoldError(f"{table}: facts for record {update.id}, but only {len(known) + len(new)} are known")
                record = known[update.id] if update.id < len(known) else new[update.id - len(known)]
                for field in update.__struct_fields__:
                    if field == "id" or isinstance(getattr(update, field), list | None):
                        continue
                    if getattr(record, field) is not None or (update.id, field) in settled:
                        raise FoldError(f"{table}[{update.id}].{field} was settled twice")
                    settled.add((update.id, field))
                updates.append((table, update))
        return updates

    @staticmethod
    def _settle(rows: list[Any], update: Any) -> None:
        settled: dict[str, Any] = {}
        for field in update.__struct_fields__:
            value = getattr(update, field)
            if isinstance(value, list):
                getattr(rows[update.id], field).extend(value)  # only this Folding changes these lists
            elif value is not None and field != "id":
                settled[field] = value
        if settled:
            rows[update.id] = msgspec.structs.replace(rows[update.id], **settled)
