"""Create small recordings for tests of the store."""

from app.store import Recording, request_key
from app.trace.chunks import Trace
from app.trace.codec import encode_trace
from app.trace.ends import Finished
from app.trace.records import FORMAT, Header, Limits, Request


def recording(source: str, version: int = FORMAT, torch: str = "2.13.0") -> Recording:
    """Return a recording of `source` without any steps."""
    header = Header(format=version, stepgrad="0", python="3.11", torch=torch, device="cpu", seed=0, limits=Limits())
    return Recording.of(encode_trace(Trace(source=source, header=header, ended=Finished())), key(source))


def key(source: str) -> str:
    """Return the cache key of the recording of `source`."""
    return request_key(Request(source=source), "versions")
