"""The messages between the server, the zygote and a run.

Control (server <-> zygote): one SEQPACKET message each, JSON. Both server and zygote are trusted. These messages contain no
byte of a snippet.

    server -> zygote   {"id"} + 3 fds, for the run to read its bounds and request, to write output, to write frames
                       {"ping": true}
    zygote -> server   {"event": "ready", ...} + pidfd of the zygote
                       {"event": "alive", "grown_bytes"}
                       {"event": "started", "id"} + pidfd; again, if the child died before it got its order
                       {"event": "exited", "id", "status", "cpu_seconds", "peak_memory_bytes"}
                       {"event": "failed", "id" or null, "reason"}

Orders (zygote <-> a standby child), the same way:

    zygote -> child    ORDER + the 3 fds
    child -> zygote    TAKEN

Request (server -> run): `Bounds.SIZE` bytes of bounds, then the request. The zygote, whose memory each run inherits, therefore
never has the bounds of a run. Ids are random, so an id reveals nothing about other runs.

Frames (run -> server): header `>4sBI` = magic, kind, length; then the payload. The run writes the first frame before it reads a
byte of the request, so the first frame is trusted. Every later byte is untrusted.
"""

import json
import struct
from collections.abc import Iterator
from typing import Any, Final

MAX_MESSAGE: Final = 4096
MAX_ASKED: Final = 64
"""Maximum bytes of a message to the zygote or to a child. Such a message fits into a pymalloc block, which `freed` overwrites."""

MAGIC: Final = b"SBX1"
HEADER: Final = struct.Struct(">4sBI")
MAX_FRAME: Final = 512 << 10
"""Maximum bytes of a payload. Decoding the worst payload of this size takes 60 ms."""

READY: Final = 0
TRACE: Final = 1
ABORTED: Final = 2
"""An empty frame, written when the run calls libc's `abort`."""
SETUP_FAILED: Final = 9

SETUP_EXIT: Final = 97
"""Exit status of a child that could not seal itself."""

TRACER_EXIT: Final = 98
"""Exit status of a child whose tracer raised an exception, because the snippet broke the tracer, or the tracer has a bug."""

ORDER: Final = b"order"
TAKEN: Final = b"taken"

ORDER_FD: Final = 3
"""The descriptor of a standby child's socket, until the child gets its order."""
REQUEST_FD: Final = 3
RESULT_FD: Final = 4


def message(content: dict[str, Any]) -> bytes:
    """A control message."""
    return json.dumps(content).encode()


def parse_message(packet: bytes) -> dict[str, Any]:
    """The content of a control message."""
    content: dict[str, Any] = json.loads(packet)
    return content


def frame(kind: int, payload: bytes) -> bytes:
    """A complete frame. The reader refuses a payload of more than MAX_FRAME bytes."""
    return HEADER.pack(MAGIC, kind, len(payload)) + payload


class FrameError(ValueError):
    """The bytes are not valid frames. The text is one sentence."""


class FrameReader:
    """Splits a stream of untrusted bytes into frames of at most `most` bytes, in linear time."""

    def __init__(self, sender: str = "The snippet", most: int = MAX_FRAME) -> None:
        self._buffer = bytearray()
        self._sender = sender
        self._most = most

    @property
    def pending(self) -> int:
        """Number of buffered bytes of an incomplete frame."""
        return len(self._buffer)

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield each frame (kind, payload) that `data` completes. Raises FrameError at the first invalid bytes."""
        self._buffer += data
        while len(self._buffer) >= HEADER.size:
            magic, kind, length = HEADER.unpack_from(self._buffer)
            if magic != MAGIC:
                raise FrameError(f"{self._sender} wrote data that is not a valid frame.")
            if length > self._most:
                raise FrameError(f"{self._sender} announced a frame of {length} bytes; at most {self._most} are allowed.")
            end = HEADER.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[HEADER.size : end])
            del self._buffer[:end]  # bytearray removes a prefix without moving the remaining bytes
            yield kind, payload
