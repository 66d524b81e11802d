"""The stored recording (the trace's canonical bytes under their hash) and the fields of a link."""

import hashlib
from datetime import date, datetime

import msgspec

from app.trace.records import FORMAT, Request
from app.trace.requests import encode_request


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded run.

    `trace` is the stored form of its trace (`app.trace.stored`); `request` is the key of the recorded request.
    """

    hash: str
    request: str
    format: int
    trace: bytes

    @classmethod
    def of(cls, trace: bytes, request: str) -> "Recording":
        """Create the recording of a trace in the current format. `request` is the `request_key` of the run."""
        return cls(hash=hashlib.sha256(trace).hexdigest(), request=request, format=FORMAT, trace=trace)


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """The sharer's title and name for a link, the step at which the link was created, and the link's parent."""

    title: str = ""
    author: str = ""
    shown: str = ""
    """The step, in the form of a URL: `step=8`."""
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
    """Day of the last recorded visit."""
    held: datetime | None
    """When an operator held the link; None: it is not held."""
    title: str
    author: str
    notes: str
    """The sharer's notes as JSON; empty: none."""
    shown: str
    """The step at which the link was created, in the form of a URL; empty: none."""
    parent: str | None
    """The id of the link from which the snippet was edited, even if the original link was deleted."""
    chosen: bool
    """True if the sharer chose this recording, which the link then always shows. False for links that are older than migration
    0014."""


def request_key(request: Request, versions: str) -> str:
    """A hash of source, seed, limits, options and `versions`. Requests with equal keys may share a recording."""
    return hashlib.sha256(f"{FORMAT} {versions}\n".encode() + encode_request(request)).hexdigest()


def is_text(given: str) -> bool:
    """Whether every database can store `given`: it has no NUL, which PostgreSQL refuses, and no lone surrogate."""
    try:
        return b"\0" not in given.encode()
    except UnicodeEncodeError:
        return False
