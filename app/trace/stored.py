"""The stored form of a trace around its tables: a server writes and reads the rest without decoding a record."""

from collections.abc import Iterable
from typing import Final

import msgspec

from app.trace.chunks import NOT_ENDED
from app.trace.decoding import decode
from app.trace.ends import Ended
from app.trace.records import Header, Record, Source

MAX_TRACE_BYTES: Final = 64 << 20

PIECE_BYTES: Final = 1 << 20
"""Maximum bytes of a piece (`pieces.py`). Only a single text, fact or record without its facts may be longer: each came in one
chunk, so it has at most a few times 512 KiB."""

_ENDED = msgspec.json.Decoder(Ended)


class Outline(Record, frozen=True, kw_only=True):
    """The parts of a recording that the server determines."""

    source: Source
    header: Header
    ended: Ended | None = None
    """The end, if the server decided it; None: the end that the run reported."""


def stored(outline: Outline, tables: Iterable[bytes], ended: Ended) -> bytes:
    """The stored form of a trace, from what `codec.encode_tables` wrote."""
    head = msgspec.json.encode(msgspec.structs.replace(outline, ended=None))[:-1]
    return b"".join((head, *tables, b',"ended":', msgspec.json.encode(ended), b"}"))


def ended_of(trace: bytes) -> Ended:
    """How the run ended, from the stored form of its trace. Raises TraceDecodeError."""
    # It comes last. No other field of this name is an object, and in a text the quotes have backslashes.
    _, found, ended = trace.rpartition(b'"ended":{')
    return decode(_ENDED, "trace.ended", b"{" + ended[:-1], MAX_TRACE_BYTES) if found else NOT_ENDED
