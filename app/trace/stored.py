"""Writes and reads the stored form of a trace. The server writes and reads the bytes around the tables without decoding
records."""

from collections.abc import Iterable
from typing import Final

import msgspec

from app.trace.chunks import NOT_ENDED
from app.trace.decoding import decode
from app.trace.ends import Ended
from app.trace.records import Header, Record, Source

MAX_TRACE_BYTES: Final = 64 << 20

PIECE_BYTES: Final = 1 << 20
"""Maximum bytes of a piece (`pieces.py`). A piece is longer only if a single string, fact, or record without its facts is
longer. Such a string, fact or record was in one chunk, so the piece has at most a few times 512 KiB."""

_ENDED = msgspec.json.Decoder(Ended)


class Outline(Record, frozen=True, kw_only=True):
    """The fields of a trace that the server determines."""

    source: Source
    header: Header
    ended: Ended | None = None
    """The end that the server determined; None if the end that the run reported is valid."""


def stored(outline: Outline, tables: Iterable[bytes], ended: Ended) -> bytes:
    """Return the stored form of a trace. `tables` is the result of `codec.encode_tables`."""
    head = msgspec.json.encode(msgspec.structs.replace(outline, ended=None))[:-1]
    return b"".join((head, *tables, b',"ended":', msgspec.json.encode(ended), b"}"))


def ended_of(trace: bytes) -> Ended:
    """Return the end of a run from the stored form of its trace. Raises TraceDecodeError."""
    # `ended` is the last field. No record can contain this text: there, a field of this name holds a number, and quotes within
    # strings have backslashes.
    _, found, ended = trace.rpartition(b'"ended":{')
    return decode(_ENDED, "trace.ended", b"{" + ended[:-1], MAX_TRACE_BYTES) if found else NOT_ENDED
