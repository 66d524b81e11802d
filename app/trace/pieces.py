"""Cuts the stored form of a large trace into pieces: lines of JSON, without decoding records. FORMAT.md describes pieces."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, get_args, get_origin, get_type_hints

import msgspec

from app.trace.chunks import TABLES, Chunk
from app.trace.decoding import TraceDecodeError
from app.trace.records import Record
from app.trace.stored import PIECE_BYTES


def pieces(trace: bytes, most: int = PIECE_BYTES) -> list[bytes]:
    """Cut the stored form of a trace into pieces, which do not include line ends. Raises TraceDecodeError."""
    try:
        whole = _WHOLE.decode(trace)
        bodies = [b"{%s}" % body for body in _bodies(whole, most)]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TraceDecodeError(f"trace: {error}") from error
    head = [b'"pieces":%d' % (1 + len(bodies)), b'"source":' + bytes(whole.source), b'"header":' + bytes(whole.header)]
    if len(whole.ended):
        head.append(b'"ended":' + bytes(whole.ended))
    return [b"{%s}" % b",".join(head), *bodies]


_Whole: Final[Any] = msgspec.defstruct(
    "_Whole",
    [
        ("source", msgspec.Raw),
        ("header", msgspec.Raw),
        ("ended", msgspec.Raw, msgspec.Raw()),
        *((table, list[msgspec.Raw], msgspec.field(default_factory=list)) for table in TABLES),
    ],
)
"""A trace whose records are not decoded."""

_WHOLE: Final = msgspec.json.Decoder(_Whole)
_RECORD: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_FACTS: Final = msgspec.json.Decoder(list[msgspec.Raw])


def _lists(update: type[Record]) -> tuple[str, ...]:
    return tuple(name for name, kind in get_type_hints(update).items() if get_origin(kind) is list)


_UPDATED: Final[dict[str, tuple[str, ...]]] = {
    name.removesuffix("_updates") + "s": _lists(get_args(kind)[0])
    for name, kind in get_type_hints(Chunk).items()
    if name.endswith("_updates")
}
"""For each table, the fields of its records that are lists of facts. A later piece may append facts to such a list."""


def _bodies(whole: Any, most: int) -> Iterator[bytes]:
    """The contents of all pieces but the first, in table order. A piece contains each table at most once."""
    body: dict[str, bytes] = {}
    size = 0
    for key, records in _runs(_rows(whole, most), most):
        if body and (key in body or size + len(records) > most):
            yield b",".join(body.values())
            body, size = {}, 0
        body[key] = b'"%s":[%s]' % (key.encode(), records)
        size += len(body[key]) + 1
    if body:
        yield b",".join(body.values())


def _rows(whole: Any, most: int) -> Iterator[tuple[str, bytes]]:
    """Yields each record with the name of its table. The facts of a record that is too long follow as updates."""
    for table in TABLES:
        for number, record in enumerate(getattr(whole, table)):
            if len(record) <= most:
                yield table, bytes(record)
                continue
            fields = _RECORD.decode(record)
            long = [name for name in _UPDATED.get(table, ()) if name in fields]
            kept = (b'"%s":%s' % (name.encode(), bytes(value)) for name, value in fields.items() if name not in long)
            yield table, b"{%s}" % b",".join(kept)
            for name in long:
                facts = (("", bytes(fact)) for fact in _FACTS.decode(fields[name]))
                for _, some in _runs(facts, most):
                    yield f"{table[:-1]}_updates", b'{"id":%d,"%s":[%s]}' % (number, name.encode(), some)


def _runs(rows: Iterable[tuple[str, bytes]], most: int) -> Iterator[tuple[str, bytes]]:
    """Join consecutive rows with the same key by commas into strings of at most `most` bytes. A row that is longer than `most`
    is not split."""
    key, size = "", 0
    taken: list[bytes] = []
    for name, row in rows:
        if taken and (name != key or size + len(row) > most):
            yield key, b",".join(taken)
            taken, size = [], 0
        key = name
        taken.append(row)
        size += len(row) + 1
    if taken:
        yield key, b",".join(taken)
