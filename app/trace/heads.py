"""The head of a payload: a few numbers that the server reads instead of decoding the records.

A payload is a head followed by the JSON of a chunk. A head counts the steps of all chunks up to and including its own chunk.
The decoder of the chunks computes the heads again and refuses a head that differs.
"""

import struct
from typing import Final, NamedTuple, Self

from app.trace.chunks import Chunk

_HEAD: Final = struct.Struct(">IIIQB")
"""The binary form of a head: the size of the JSON in bytes, then the fields of a Head. The end is encoded as its position in
REPORTED, from 1; 0 for none."""

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
"""The kinds of ends that a recorder may report. Only the server can know that a run ended in another way."""

LARGEST_LINE: Final = 2**53


class HeadError(ValueError):
    """Raised if a payload has no valid head. The message is the reason."""


class Head(NamedTuple):
    """The state of a recording after a chunk."""

    statements: int = 0
    operators: int = 0
    line: int = 0
    """The line of the latest statement, from 1; 0 before the first."""
    end: str = ""
    """The kind of the end that the run reported; empty if it has not reported an end."""

    @classmethod
    def of(cls, payload: bytes) -> Self:
        """Return the head of a payload. Raises HeadError."""
        if len(payload) < _HEAD.size:
            raise HeadError(f"a payload of {len(payload)} bytes has no head")
        size, statements, operators, line, end = _HEAD.unpack_from(payload)
        if size != len(payload) - _HEAD.size:
            raise HeadError(f"a head announces {size} bytes before {len(payload) - _HEAD.size}")
        if line > LARGEST_LINE or end > len(REPORTED):
            raise HeadError(f"a head has the line {line} and the end {end}")
        return cls(statements, operators, line, REPORTED[end - 1] if end else "")

    def payload(self, content: bytes) -> bytes:
        """Return the payload: this head followed by `content`, the JSON of its chunk."""
        end = REPORTED.index(self.end) + 1 if self.end else 0
        return _HEAD.pack(len(content), self.statements, self.operators, self.line, end) + content

    def after(self, chunk: Chunk) -> Self:
        """Return the head of `chunk`, given that this head belongs to the previous chunk."""
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
    """Return the JSON of a payload."""
    return payload[_HEAD.size :]


def payloads_of(recorded: bytes) -> list[bytes]:
    """Split the concatenated payloads of a run."""
    found, begin = [], 0
    while begin < len(recorded):
        (size,) = struct.unpack_from(">I", recorded, begin)
        found.append(recorded[begin : begin + _HEAD.size + size])
        begin += _HEAD.size + size
    return found
