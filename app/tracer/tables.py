"""Owns the recorder's side of the trace: the clock, the serial ids, and the chunks sent on the way."""

from collections.abc import Callable
from typing import Any

from app.trace.chunks import TABLES, Chunk
from app.trace.codec import clip, encode_chunk
from app.trace.ends import Ended
from app.trace.records import (
    FrameUpdate,
    Header,
    NameUpdate,
    NodeUpdate,
    Record,
    SavedTensorUpdate,
    StepUpdate,
    StorageUpdate,
    TensorUpdate,
    Tick,
    VersionCounterUpdate,
)

MOST_CHARACTERS = 4096
MOST_TEXT = 1 << 20
"""What the wire takes of a name, and of a text (`records.Word`, `records.Text`)."""

_UPDATES: dict[str, type[Record]] = {
    "steps": StepUpdate,
    "frames": FrameUpdate,
    "names": NameUpdate,
    "tensors": TensorUpdate,
    "storages": StorageUpdate,
    "version_counters": VersionCounterUpdate,
    "nodes": NodeUpdate,
    "saved_tensors": SavedTensorUpdate,
}


class Tables:
    """Collects records and facts, and emits them as encoded chunks. Holds no tensor and imports no torch."""

    def __init__(self, header: Header, emit: Callable[[bytes], None]) -> None:
        self.tick = Tick(0)
        self.bytes_emitted = 0
        self._emit = emit
        self._header: Header | None = header
        self._counts = dict.fromkeys(TABLES, 0)
        self.unsent = 0
        """Records and facts that no chunk has taken yet."""
        self._new: dict[str, list[Record]] = {}
        self._facts: dict[str, dict[int, dict[str, Any]]] = {}

    def advance(self) -> Tick:
        """The next tick."""
        self.tick = Tick(self.tick + 1)
        return self.tick

    def count(self, table: str) -> int:
        return self._counts[table]

    def add(self, table: str, record_type: type[Record], **fields: Any) -> int:
        """A new record; returns its id."""
        for field, value in fields.items():
            if type(value) is str and len(value) > MOST_CHARACTERS:
                fields[field] = clip(value, MOST_TEXT if field in ("text", "message") else MOST_CHARACTERS)
        serial = self._counts[table]
        self._counts[table] = serial + 1
        self.unsent += 1
        self._new.setdefault(table, []).append(record_type(id=serial, **fields))
        return serial

    def last_unsent(self, table: str) -> Record | None:
        """The newest record of a table, as long as no chunk has taken it."""
        rows = self._new.get(table)
        return rows[-1] if rows else None

    def replace_last(self, table: str, record: Record) -> None:
        self._new[table][-1] = record

    def fact(self, table: str, serial: int, field: str, value: Any) -> None:
        """From the present tick on, `field` of the record holds `value`."""
        facts = self._facts.setdefault(table, {}).setdefault(serial, {}).setdefault(field, [])
        if facts and facts[-1][0] == self.tick:
            facts.pop()
        facts.append((self.tick, value))
        self.unsent += 1

    def settle(self, table: str, serial: int, field: str) -> None:
        """`field` happens now, once: ended, died, freed, released."""
        self._facts.setdefault(table, {}).setdefault(serial, {})[field] = self.tick

    def flush(self, ended: Ended | None = None) -> None:
        """Emit everything settled so far. With `ended`, this is the last chunk."""
        if not (self._new or self._facts or self._header or ended):
            return
        fields: dict[str, Any] = dict(self._new)
        for table, rows in self._facts.items():
            update = _UPDATES[table]
            fields[table[:-1] + "_updates"] = [update(id=serial, **facts) for serial, facts in rows.items()]
        payload = encode_chunk(Chunk(header=self._header, ended=ended, **fields))
        self._header = None
        self._new = {}
        self._facts = {}
        self.unsent = 0
        self.bytes_emitted += len(payload)
        self._emit(payload)
