"""Writes the trace during a run: owns the clock, the serial ids and the chunks."""

from collections.abc import Callable, Iterator
from typing import Any, get_args, get_type_hints

from msgspec.structs import force_setattr

from app.trace.chunks import TABLES, Chunk
from app.trace.codec import MAX_CHUNK_BYTES, encode_chunk
from app.trace.ends import Ended
from app.trace.heads import Head
from app.trace.records import Header, Record, Tick

MOST_BYTES = 192 << 10
"""Approximate size of a chunk. Small chunks are decoded without blocking."""
_ROW_BYTES = 160
"""Approximate encoded size of a record or an update without values of elements (measured: 60 to 250)."""
_FACT_BYTES = 16
"""Minimum encoded size of each further fact of a record."""


class Table:
    """One table: its records and facts that are not sent yet. A fact of an unsent record is added to the record itself."""

    __slots__ = ("_record", "_sent", "_update", "count", "facts", "new", "updates")

    def __init__(self, record: type[Record], update: type[Record] | None = None) -> None:
        self._record = record
        self._update = update
        self._sent = 0
        self.count = 0
        self.facts = 0
        self.new: list[Any] = []
        self.updates: dict[int, Any] = {}

    def add(self, **fields: Any) -> int:
        """Add a record and return its id."""
        serial = self.count
        self.count = serial + 1
        self.new.append(self._record(id=serial, **fields))
        return serial

    def append(self, record: Record, facts: int = 0) -> None:
        """Add a record with the id `count` and this many facts."""
        self.count += 1
        self.new.append(record)
        self.facts += facts

    def fact(self, serial: int, field: str, tick: Tick, value: Any) -> None:
        """Record that `field` has `value` from `tick` on. A later value at the same tick replaces the earlier value."""
        sent = self._sent
        if serial >= sent:
            facts = getattr(self.new[serial - sent], field)
        else:
            facts = getattr(self.updates.get(serial) or self._update_of(serial), field)
        if facts and facts[-1][0] == tick:
            facts[-1] = (tick, value)
        else:
            facts.append((tick, value))
            self.facts += 1

    def mark(self, serial: int, field: str, value: Any) -> None:
        """Set a field that is set only once, such as `ended`, `died` or `other_threads`."""
        sent = self._sent
        if serial >= sent:
            force_setattr(self.new[serial - sent], field, value)
        else:
            force_setattr(self.updates.get(serial) or self._update_of(serial), field, value)

    def sent(self) -> None:
        """Forget the records and facts, which are now in a chunk."""
        self._sent = self.count
        self.new = []
        self.updates = {}
        self.facts = 0

    def _update_of(self, serial: int) -> Any:
        """Return a new update for facts of a record that was already sent."""
        assert self._update is not None, "nothing is learnt later of this record"
        update = self.updates[serial] = self._update(id=serial)
        return update


_ROWS = get_type_hints(Chunk)


def _types_of(table: str) -> Iterator[type[Record]]:
    """The type of a table's records and, if there are updates, the type of the updates."""
    return (get_args(_ROWS[field])[0] for field in (table, f"{table[:-1]}_updates") if field in _ROWS)


class Tables:
    """Collects records and facts, and emits them as payloads: a head followed by a chunk. Holds no tensor."""

    files: Table
    steps: Table
    frames: Table
    outputs: Table
    names: Table
    variables: Table
    tensors: Table
    storages: Table
    version_counters: Table
    writes: Table
    modules: Table
    nodes: Table
    saved_tensors: Table
    gradients: Table
    hooks: Table

    def __init__(self, header: Header, emit: Callable[[bytes], None]) -> None:
        self.tick = Tick(0)
        self.bytes_emitted = 0
        self.value_bytes = 0
        """Approximate encoded size of the unsent elements of storages and gradients, in bytes."""
        self._emit = emit
        self._header: Header | None = header
        self._head = Head()
        self._tables = {table: Table(*_types_of(table)) for table in TABLES}
        for name, table in self._tables.items():
            setattr(self, name, table)

    def advance(self) -> Tick:
        """Increment the clock and return the tick."""
        self.tick = tick = self.tick + 1  # type: ignore[assignment]  # calling Tick would double the time
        return tick  # type: ignore[return-value]

    @property
    def is_full(self) -> bool:
        """Whether a chunk of the unsent records would have about the maximum size."""
        size = self.value_bytes
        for table in self._tables.values():
            size += (len(table.new) + len(table.updates)) * _ROW_BYTES + table.facts * _FACT_BYTES
        return size > MOST_BYTES

    def flush(self, ended: Ended | None = None) -> None:
        """Emit all records and facts that can no longer change. With `ended`, this is the last chunk."""
        fields: dict[str, Any] = {}
        for name, table in self._tables.items():
            if table.new:
                fields[name] = table.new
            if table.updates:
                fields[name[:-1] + "_updates"] = list(table.updates.values())
            if table.new or table.updates:
                table.sent()
        if not (fields or self._header or ended):
            return
        self.value_bytes = 0
        self._send(fields, ended)

    def end(self, ended: Ended) -> None:
        """Emit the last chunk. If the unsent records cannot be encoded, this chunk has only the end.

        Raises OSError if the reader is gone.
        """
        try:
            self.flush(ended)
        except OSError:
            raise
        except Exception:  # a second failure must not reach the program
            self._send({}, ended)

    def _send(self, fields: dict[str, list[Any]], ended: Ended | None) -> None:
        """Emit these rows as one chunk, or as several if one event, such as the end of a large graph, left too many rows."""
        chunk = Chunk(header=self._header, ended=ended, **fields)
        head = self._head.after(chunk)
        payload = head.payload(encode_chunk(chunk))
        if len(payload) > MAX_CHUNK_BYTES and (rows := sum(map(len, fields.values()))) > 1:
            first, second = _halves(fields, rows // 2)
            self._send(first, None)
            self._send(second, ended)
            return
        self._header, self._head = None, head
        self.bytes_emitted += len(payload)
        self._emit(payload)


def _halves(fields: dict[str, list[Any]], count: int) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Return the first `count` rows, and the other rows. Records come before updates."""
    first: dict[str, list[Any]] = {}
    second: dict[str, list[Any]] = {}
    for field, rows in sorted(fields.items(), key=lambda item: item[0].endswith("_updates")):
        left = max(0, count - sum(map(len, first.values())))
        first[field], second[field] = rows[:left], rows[left:]
    return first, second
