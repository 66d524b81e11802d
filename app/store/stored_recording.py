"""A stored recording: the trace's canonical bytes under their own hash."""

import hashlib
from datetime import date, datetime

import msgspec

from app.trace.records import FORMAT, Request
from app.trace.requests import encode_request


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded run. `trace` is the stored form of its trace (`app.trace.stored`); `request` is the request that it answers."""

    hash: str
    request: str
    format: int
    trace: bytes

    @classmethod
    def of(cls, trace: bytes, request: str) -> "Recording":
        """The recording with this trace of this version, which answered the request with this `request_key`."""
        return cls(hash=hashlib.sha256(trace).hexdigest(), request=request, format=FORMAT, trace=trace)


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """The texts above a link in the sharer's words, the step at which it was made, and its parent."""

    title: str = ""
    author: str = ""
    shown: str = ""
    """In the form of an address: `step=8`."""
    parent: str | None = None


class Snippet(msgspec.Struct, frozen=True, kw_only=True):
    """A link: a snippet, and the hash of its recording."""

    id: str
    source: str
    seed: int
    stand_in: bool
    recording: str
    format: int
    created: datetime
    recorded_again: datetime | None
    visited: date
    """Day of the last visit that was noted."""
    held: datetime | None
    """When it was held back, if it is."""
    title: str
    author: str
    notes: str
    """Its sharer's notes, as JSON; empty: none."""
    shown: str
    """The step at which it was made, in the form of an address; empty: none."""
    parent: str | None
    """The id of the link that it was changed from, whether that is still there or not."""
    chosen: bool
    """True if the sharer chose this recording, which the link then always shows. False for links made before 0014."""


def request_key(request: Request, versions: str) -> str:
    """Equal for runs that would be recorded alike: same source, seed, limits and options, by the same `versions`."""
    return hashlib.sha256(f"{FORMAT} {versions}\n".encode() + encode_request(request)).hexdigest()


def is_text(given: str) -> bool:
    """Whether every database takes it: without NUL, which PostgreSQL refuses, and without half a character."""
    try:
        return b"\0" not in given.encode()
    except UnicodeEncodeError:
        return False
