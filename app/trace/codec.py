"""Encodes records as JSON, and decodes untrusted bytes strictly.

msgspec checks size, depth and types while it parses: no record type is recursive, unknown fields are refused, and JSON has no NaN
or infinity. The constraints on a Value that msgspec cannot express are checked after parsing, in linear time.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

import msgspec

from app.trace.chunks import TABLES, Chunk, Trace
from app.trace.clipping import without_surrogates
from app.trace.decoding import TraceDecodeError, decode
from app.trace.records import Cells, Contents, Summary, Value
from app.trace.stored import MAX_TRACE_BYTES

MAX_CHUNK_BYTES: Final = 512 << 10
LARGEST: Final = 2**53
"""The largest integer that is written as a number. JavaScript represents integers exactly up to this one."""


def encode_chunk(chunk: Chunk) -> bytes:
    """Encode a chunk. The caller must split a chunk that is longer than MAX_CHUNK_BYTES."""
    return _encode(chunk)


def decode_chunk(payload: bytes) -> Chunk:
    """Decode a Chunk. Raises TraceDecodeError, and no other exception, for any bytes."""
    chunk = decode(_CHUNK, "chunk", payload, MAX_CHUNK_BYTES)
    for storages in (chunk.storages, chunk.storage_updates):
        for storage in storages:
            _check_contents("storages", storage.id, (contents for _, contents in storage.contents))
    for gradient in chunk.gradients:
        _check_contents("gradients", gradient.id, (gradient.value,))
    return chunk


def encode_trace(trace: Trace) -> bytes:
    """Encode a trace in its stored form."""
    return _encode(trace)


def encode_tables(trace: Trace) -> Iterator[bytes]:
    """Encode the tables of a trace: the part of the stored form between the header and the end."""
    for table in TABLES:
        if rows := getattr(trace, table):
            yield b',"%s":' % table.encode()
            yield _ENCODER.encode(rows)


def decode_trace(payload: bytes) -> Trace:
    """Decode a Trace; `check.check` validates its contents. Raises TraceDecodeError."""
    trace = decode(_TRACE, "trace", payload, MAX_TRACE_BYTES)
    for storage in trace.storages:
        _check_contents("storages", storage.id, (contents for _, contents in storage.contents))
    for gradient in trace.gradients:
        _check_contents("gradients", gradient.id, (gradient.value,))
    return trace


# --- implementation --------------------------------------------------------------------------------------------------------------

_CHUNK = msgspec.json.Decoder(Chunk)
_TRACE = msgspec.json.Decoder(Trace)
_ENCODER = msgspec.json.Encoder()
_ONE_VALUE = r"(?>nan|inf|-inf|-?[1-9][0-9]{15,40})"
_VALUE_TEXT = re.compile(_ONE_VALUE)
"""Values that are strings in JSON: NaN, the infinities, and integers of at least 16 digits."""
_VALUE_TEXTS = re.compile(rf"{_ONE_VALUE}(?:\n{_ONE_VALUE})*+")


def _encode(record: msgspec.Struct) -> bytes:
    try:
        return _ENCODER.encode(record)
    except UnicodeEncodeError:  # text of the snippet contains a lone surrogate, as in ValueError("\ud800")
        return _ENCODER.encode(_scrubbed(msgspec.to_builtins(record)))


def _check_contents(table: str, record_id: int, contents: Iterable[Contents]) -> None:
    for value in contents:
        if isinstance(value, Cells):
            _check_values(table, record_id, value.values)
        elif isinstance(value, Summary):
            _check_values(table, record_id, [bound for bound in (value.min, value.max, value.mean) if bound is not None])


def _check_values(table: str, record_id: int, values: list[Value]) -> None:
    # msgspec 0.22 reads invalid memory or crashes for a union of a tuple and a constrained int or str. Therefore Value has no
    # constraints, and its bounds are checked here.
    kinds = set(map(type, values))
    if kinds <= {bool, float}:
        return
    parts: list[Any] = values if tuple not in kinds else [*chain.from_iterable(v if type(v) is tuple else (v,) for v in values)]
    texts = [part for part in parts if type(part) is str]
    joined = "\n".join(texts)  # one match for all elements of a record, because a forged chunk can have 60,000 of them
    if texts and (joined.count("\n") >= len(texts) or not _VALUE_TEXTS.fullmatch(joined)):
        wrong = next(text for text in texts if not _VALUE_TEXT.fullmatch(text))
        raise TraceDecodeError(f"{table}[{record_id}]: {wrong[:40]!r} is not a number")
    integers = [part for part in parts if type(part) is int]
    if integers and not -LARGEST <= min(integers) <= max(integers) <= LARGEST:
        raise TraceDecodeError(f"{table}[{record_id}]: an integer beyond 2**53 must be a string")


def _scrubbed(tree: Any) -> Any:
    """Return `tree` without lone surrogates. The recursion is bounded, because records have only a few levels."""
    if isinstance(tree, str):
        return without_surrogates(tree)
    if isinstance(tree, dict):
        return {key: _scrubbed(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_scrubbed(value) for value in tree]
    return tree
