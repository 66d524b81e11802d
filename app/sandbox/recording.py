"""What a run has recorded so far: untrusted payloads decoded strictly and folded, and the trace that comes of it."""

import itertools
from typing import Final

import msgspec

from app import __version__
from app.trace.check import TraceInvalid, check
from app.trace.chunks import Chunk, Folding, Trace
from app.trace.codec import decode_chunk
from app.trace.ends import Ended, Interfered
from app.trace.records import FORMAT, MOST_TEXT, Header, Output, OutputId, Request, Tick

SMALLEST: Final = 1024
"""What a payload counts at least: to take one costs the server 28 µs, and a snippet can write millions."""

PER_OBJECT: Final = 64
PER_ELEMENT: Final = 12
"""What an object and an element count at least, in bytes: decoded they take some 250 and 50, and a forged `{"id":0}` is 8."""


class Recording:
    """The recording of one request, grown payload by payload."""

    def __init__(self, request: Request, device: str = "cpu") -> None:
        self._request = request
        self._device = device
        self._folding = Folding(request.source)
        self.size = 0
        """Bytes taken so far; what decodes to more than its bytes suggest counts as more."""

    @property
    def ended(self) -> Ended | None:
        """How the run says it ended, once it did."""
        return self._folding.ended

    def add(self, payload: bytes) -> Chunk:
        """Take the payload of one frame, whole or not at all. Raises TraceDecodeError and FoldError."""
        chunk = decode_chunk(payload)
        self._folding.add(chunk)
        self.size += max(len(payload), SMALLEST, PER_OBJECT * payload.count(b"{"), PER_ELEMENT * payload.count(b","))
        return chunk

    def trace(self, ended: Ended, raw_output: bytes, versions: dict[str, str]) -> Trace:
        """The whole trace, ended by `ended` whatever the run says, with the output that went around the tracer at its end.

        The header is the server's own. A recording that contradicts itself was forged: of it nothing is kept.
        """
        header = Header(
            format=FORMAT,
            stepgrad=__version__,
            python=versions["python"],
            torch=versions["torch"],
            device=self._device,
            seed=self._request.seed,
            limits=self._request.limits,
            stand_in=self._request.stand_in,
            keep_saved=self._request.keep_saved,
        )
        trace = self._folding.trace(ended, header)
        if raw_output:
            tick = _last_tick(trace)
            text = raw_output.decode(errors="replace")
            for start in range(0, len(text), MOST_TEXT):
                piece = text[start : start + MOST_TEXT]
                trace.outputs.append(Output(id=OutputId(len(trace.outputs)), tick=tick, stream="stdout", text=piece))
        trace = msgspec.structs.replace(trace, header=header, ended=ended)
        try:
            check(trace)
        except TraceInvalid as contradiction:
            reason = f"The snippet wrote a recording that contradicts itself ({contradiction})."
            return Trace(source=trace.source, header=header, ended=Interfered(reason=reason))
        return trace


def _last_tick(trace: Trace) -> Tick:
    """The latest tick of the records that every run has; order in the outputs needs no more."""
    ends = (step.began if step.ended is None else step.ended for step in trace.steps)
    return max(itertools.chain(ends, (output.tick for output in trace.outputs)), default=Tick(0))
