"""The head of a chunk: the numbers that a server reads, because it does not decode the records.

A payload is a head followed by the chunk's JSON. A head counts the steps of all chunks up to its own. The decoder computes the
heads from the chunks again, and refuses one that differs.
"""

import struct
from typing import Final, NamedTuple, Self

from app.trace.chunks import Chunk

_HEAD: Final = struct.Struct(">IIIQB")
"""Bytes of the JSON, then the fields of a Head; the end as its place in REPORTED, from 1."""

REPORTED: Final = (
    "finished",
    "raised",
    "exited",
    "stopped",
    "out_of_memory",
    "output_too_large",
    "trace_too_large",
    "interfered",
)
"""The kinds of ends that a recorder reports. The others are known to the server alone."""

LARGEST_LINE: Final = 2**53


class HeadError(ValueError):
    """A payload has no valid head. The text is the reason."""


class Head(NamedTuple):
    """The state of a recording after a chunk."""

    statements: int = 0
    operators: int = 0
    line: int = 0
    """The line of the latest statement, from 1; 0 before the first."""
    end: str = ""
    """The kind of the end that the run reports; empty until it does."""

    @classmethod
    def of(cls, payload: bytes) -> Self:
        """The head of a payload. Raises HeadError."""
        if len(payload) < _HEAD.size:
            raise HeadError(f"a payload of {len(payload)} bytes has no head")
        size, statements, operators, line, end = _HEAD.unpack_from(payload)
        if size != len(payload) - _HEAD.size:
            raise HeadError(f"a head announces {size} bytes before {len(payload) - _HEAD.size}")
        if line > LARGEST_LINE or end > len(REPORTED):
            raise HeadError(f"a head has the line {line} and the end {end}")
        return cls(statements, operators, line, REPORTED[end - 1] if end else "")

    def payload(self, content: bytes) -> bytes:
        """The head before the JSON of its chunk."""
        end = REPORTED.index(self.end) + 1 if self.end else 0
        return _HEAD.pack(len(content), self.statements, self.operators, self.line, end) + content

    def after(self, chunk: Chunk) -> Self:
        """The head of the next chunk."""
        statements, operators, line, end = self
        for step in chunk.steps:
            if step.kind == "statement":
                statements += 1
                line = step.span.line if step.span is not None else line
            elif step.kind == "operator":
                operators += 1
        if chunk.ended is not None:
            end = str(chunk.ended.__struct_config__.tag)
        return self.__class__(statements, operators, line, end)


def content_of(payload: bytes) -> bytes:
    """The JSON of a payload."""
    return payload[_HEAD.size :]


def payloads_of(recorded: bytes) -> list[bytes]:
    """Split the joined payloads of a run."""
    found, begin = [], 0
    while begin < len(recorded):
        (size,) = struct.unpack_from(">I", recorded, begin)
        found.append(recorded[begin : begin + _HEAD.size + size])
        begin += _HEAD.size + size
    return found
