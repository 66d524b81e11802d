"""Bytes to records and back: JSON, strict, and safe on bytes from anyone.

Size, depth and types are checked while parsing, in C: no type of ours nests without end, a field that is not ours is refused,
and JSON has no NaN or infinity. What msgspec cannot express about a Value is checked after parsing, in linear time, too.
"""

import json
import math
import re
from collections.abc import Iterable
from itertools import chain, islice
from typing import Any, Final, TypeVar

import msgspec

from app.trace.chunks import NOT_ENDED, TABLES, Chunk, Trace
from app.trace.ends import Ended
from app.trace.records import Cells, Contents, File, Request, Summary, Value

MAX_CHUNK_BYTES: Final = 512 << 10
MAX_TRACE_BYTES: Final = 64 << 20
MAX_REQUEST_BYTES: Final = 8 << 20
ROWS_AT_ONCE: Final = 1000
"""Records that are encoded in one call: 1 ms."""
LARGEST: Final = 2**53
"""The largest integer that is written as a number; JavaScript is exact up to here."""

T = TypeVar("T")


class _Files(msgspec.Struct):
    """A trace of which nothing but its files is read."""

    files: list[File] = []


class TraceDecodeError(ValueError):
    """The bytes are invalid. The text is one sentence: the error and its position."""


def encode_chunk(chunk: Chunk) -> bytes:
    """The wire form of `chunk`. Keeping it below MAX_CHUNK_BYTES is the sender's work: cut the chunk, not the bytes."""
    return _encode(chunk)


def decode_chunk(payload: bytes) -> Chunk:
    """Decode a Chunk. Raises TraceDecodeError, and no other exception, for any bytes."""
    chunk = _decode(_CHUNK, "chunk", payload, MAX_CHUNK_BYTES)
    for storages in (chunk.storages, chunk.storage_updates):
        for storage in storages:
            _check_contents("storages", storage.id, (contents for _, contents in storage.contents))
    for gradient in chunk.gradients:
        _check_contents("gradients", gradient.id, (gradient.value,))
    return chunk


def encode_trace(trace: Trace) -> bytes:
    """The stored form of `trace`.

    Encoding in parts lets other threads run; the bytes are those of one call, which would hold the interpreter for 200 ms for a
    trace of 64 MiB.
    """
    tables: dict[str, list[bytes]] = {}
    for table in TABLES:
        rows: list[Any] = getattr(trace, table)
        if rows:
            tables[table] = [_encode_rows(rows[start : start + ROWS_AT_ONCE]) for start in range(0, len(rows), ROWS_AT_ONCE)]
    head = msgspec.structs.replace(trace, ended=NOT_ENDED, **{table: [] for table in TABLES})
    ended = b"" if trace.ended is NOT_ENDED else b',"ended":' + _encode(trace.ended)
    parts = [_encode(head)[:-1], *(b',"%s":[%s]' % (table.encode(), b",".join(rows)) for table, rows in tables.items()), ended]
    return b"".join((*parts, b"}"))


def decode_trace(payload: bytes) -> Trace:
    """Decode a Trace; `check.check` validates its contents. Raises TraceDecodeError."""
    trace = _decode(_TRACE, "trace", payload, MAX_TRACE_BYTES)
    for storage in trace.storages:
        _check_contents("storages", storage.id, (contents for _, contents in storage.contents))
    for gradient in trace.gradients:
        _check_contents("gradients", gradient.id, (gradient.value,))
    return trace


def ended_of(trace: bytes) -> Ended:
    """How the run ended, from the stored form of its trace, without decoding the rest. Raises TraceDecodeError."""
    # It comes last. No other field of this name is an object, and in a text the quotes have backslashes.
    _, found, ended = trace.rpartition(b'"ended":{')
    return _decode(_ENDED, "trace.ended", b"{" + ended[:-1], MAX_TRACE_BYTES) if found else NOT_ENDED


def files_of(trace: bytes) -> list[File]:
    """The files of a trace, from its stored form. Most have none, which is seen at once. Raises TraceDecodeError."""
    return _decode(_FILES, "trace.files", trace, MAX_TRACE_BYTES).files if b'"files":[' in trace else []


def encode_request(request: Request) -> bytes:
    """The wire form of `request`."""
    return _encode(request)


def decode_request(payload: bytes) -> Request:
    """Decode a Request. Raises TraceDecodeError."""
    return _decode(_REQUEST, "request", payload, MAX_REQUEST_BYTES)


def clip(text: str, limit: int = 4096) -> str:
    """`text` in at most `limit` characters that UTF-8 can carry: the end becomes "…", a lone surrogate its escape."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if not text.isascii() and _SURROGATE.search(text):
        return clip(_without_surrogates(text), limit)
    return text


# --- how --------------------------------------------------------------------------------------------------------------

_CHUNK = msgspec.json.Decoder(Chunk)
_TRACE = msgspec.json.Decoder(Trace)
_FILES = msgspec.json.Decoder(_Files)
_ENDED = msgspec.json.Decoder(Ended)
_REQUEST = msgspec.json.Decoder(Request)
_ENCODER = msgspec.json.Encoder()
_SURROGATE = re.compile("[\ud800-\udfff]")
MANY_LARGE_EXPONENTS: Final = 1000
_LARGE_EXPONENT = re.compile(rb"[eE][+-]?0*[0-9]{3}")
_LONE = re.compile(r"\\u[dD][89a-fA-F]")
"""The escape of half a surrogate pair. No encoder of ours writes one, whole pairs included."""
_ONE_VALUE = r"(?>nan|inf|-inf|-?[1-9][0-9]{15,40})"
_VALUE_TEXT = re.compile(_ONE_VALUE)
"""Words for what JSON cannot carry, or an integer of at least 16 digits: shorter ones are numbers."""
_VALUE_TEXTS = re.compile(rf"{_ONE_VALUE}(?:\n{_ONE_VALUE})*+")


def _encode_rows(rows: list[Any]) -> bytes:
    try:
        return _ENCODER.encode(rows)[1:-1]
    except UnicodeEncodeError:
        return b",".join(_encode(row) for row in rows)


def _encode(record: msgspec.Struct) -> bytes:
    try:
        return _ENCODER.encode(record)
    except UnicodeEncodeError:  # a snippet may name things with lone surrogates, e.g. raise ValueError("\ud800")
        return _ENCODER.encode(_scrubbed(msgspec.to_builtins(record)))


def _decode(decoder: msgspec.json.Decoder[T], what: str, payload: bytes, max_bytes: int) -> T:
    if len(payload) > max_bytes:
        raise TraceDecodeError(f"{what}: {len(payload)} bytes, but at most {max_bytes} are read")
    try:
        return _with_large_exponents(decoder, payload) if _has_large_exponents(payload) else decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TraceDecodeError(f"{what}: {error}") from error
    except RecursionError as error:  # msgspec skips a foreign field before it refuses it, however deep it nests
        raise TraceDecodeError(f"{what}: nested too deeply") from error


def _has_large_exponents(payload: bytes) -> bool:
    """Whether it would take msgspec long for its size: msgspec 0.22 needs 8 µs for a number like 1e300, or like 1e-310, which is a
    third of a second for a forged chunk full of them."""
    return next(islice(_LARGE_EXPONENT.finditer(payload), MANY_LARGE_EXPONENTS, None), None) is not None


def _with_large_exponents(decoder: msgspec.json.Decoder[T], payload: bytes) -> T:
    """The same by way of Python's own parser, which is no slower for such numbers, and as strict."""
    text = payload.decode()
    if _LONE.search(text):
        raise msgspec.DecodeError("Invalid surrogate in a text")
    try:
        return msgspec.convert(json.loads(text, parse_float=_finite, parse_constant=_finite), decoder.type)
    except msgspec.DecodeError:
        raise
    except ValueError as error:
        raise msgspec.DecodeError(str(error)) from error


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise msgspec.DecodeError(f"Number out of range: {text[:40]}")
    return number


def _check_contents(table: str, record_id: int, contents: Iterable[Contents]) -> None:
    for value in contents:
        if isinstance(value, Cells):
            _check_values(table, record_id, value.values)
        elif isinstance(value, Summary):
            _check_values(table, record_id, [bound for bound in (value.min, value.max, value.mean) if bound is not None])


def _check_values(table: str, record_id: int, values: list[Value]) -> None:
    # msgspec 0.22 reads wild memory (or crashes) for a union of a tuple and a constrained int or str, so Value carries no
    # constraint and its bounds are checked here.
    kinds = set(map(type, values))
    if kinds <= {bool, float}:
        return
    parts: list[Any] = values if tuple not in kinds else [*chain.from_iterable(v if type(v) is tuple else (v,) for v in values)]
    texts = [part for part in parts if type(part) is str]
    joined = "\n".join(texts)  # a forged chunk has 60,000 of them
    if texts and (joined.count("\n") >= len(texts) or not _VALUE_TEXTS.fullmatch(joined)):
        wrong = next(text for text in texts if not _VALUE_TEXT.fullmatch(text))
        raise TraceDecodeError(f"{table}[{record_id}]: {wrong[:40]!r} is not a number")
    integers = [part for part in parts if type(part) is int]
    if integers and not -LARGEST <= min(integers) <= max(integers) <= LARGEST:
        raise TraceDecodeError(f"{table}[{record_id}]: an integer beyond 2**53 must be a string")


def _scrubbed(tree: Any) -> Any:
    """`tree` without lone surrogates. Recursion is bounded: records nest at most a handful of levels."""
    if isinstance(tree, str):
        return _without_surrogates(tree)
    if isinstance(tree, dict):
        return {key: _scrubbed(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_scrubbed(value) for value in tree]
    return tree


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
