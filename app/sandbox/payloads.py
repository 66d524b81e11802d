"""Collects the recording of an active run as payloads of untrusted bytes. The server reads only their heads."""

from typing import Final

from app.trace.heads import Head, HeadError
from app.trace.records import Limits

SMALLEST: Final = 1024
"""The number of bytes for which a payload counts at least, because a snippet can write millions of small payloads."""

PER_OBJECT: Final = 64
PER_ELEMENT: Final = 12
"""The number of bytes for which a decoded object, and an element of a list, count at least.

A decoded object takes about 250 bytes and an element 50, but a forged `{"id":0}` has 8.
"""


class RecordingFull(Exception):
    """A payload would exceed the size limit of a recording. The payload was not added."""


class Payloads:
    """The payloads of one run, in order."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.trace_bytes
        self._size = 0
        """The sum of the sizes of all payloads. The size of a payload that decodes to many objects counts as more than its
        bytes."""
        self.recorded = bytearray()
        """The payloads, joined."""
        self.head = Head()
        """The head of the last payload."""

    def add(self, payload: bytes) -> Head:
        """Add a payload; return its head. After a HeadError or RecordingFull, the payload is not added."""
        if self._size + len(payload) > self._most:
            raise RecordingFull
        head, before = Head.of(payload), self.head
        if before.end:
            raise HeadError("a chunk arrived after the end of the run")
        if head.statements < before.statements or head.operators < before.operators:
            raise HeadError("a head has lower counts than the previous head")
        if head.statements + head.operators > len(self.recorded) + len(payload):
            raise HeadError("a head counts more steps than the payloads have bytes")
        self.recorded += payload
        self.head = head
        self._size += max(len(payload), SMALLEST, PER_OBJECT * payload.count(b"{"), PER_ELEMENT * payload.count(b","))
        return head
