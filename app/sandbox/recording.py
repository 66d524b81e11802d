"""What a run has recorded so far: untrusted payloads decoded strictly and folded, and the trace that comes of it."""

import gc
import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import msgspec

from app import __version__
from app.trace.check import TraceInvalid, check
from app.trace.chunks import Chunk, FoldError, Folding, Trace
from app.trace.codec import decode_chunk
from app.trace.ends import (
    Ended,
    Exited,
    Finished,
    Interfered,
    OutOfMemory,
    OutputTooLarge,
    Raised,
    Stopped,
    TraceTooLarge,
)
from app.trace.records import FORMAT, MOST_TEXT, NATIVE, Header, Limits, Output, OutputId, Request, Tick

SMALLEST: Final = 1024
"""What a payload counts at least: to take one costs the server 28 µs, and a snippet can write millions."""

PER_OBJECT: Final = 64
PER_ELEMENT: Final = 12
"""What an object and an element count at least, in bytes: decoded they take some 250 and 50, and a forged `{"id":0}` is 8."""

FROZEN_BYTES: Final = 256 << 10
"""After so much more, all that is there is left out of Python's searches for cycles."""

MOST_NODES: Final = 40_000
MOST_NAMES: Final = 100_000
MOST_WINDOWS: Final = 20_000
"""Nodes, names, and windows on one Storage: what a browser has been seen to draw. A real run that has so many has written nearly as
many bytes as it may; a forged Node has 30."""


@contextmanager
def _without_collections() -> Iterator[None]:
    """A context without garbage collection; recordings have no cycles. The collector would visit every decoded list repeatedly,
    and block the event loop for 60 ms where decoding takes 6. Large recordings are also frozen, or the next collection would
    visit them all."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class RecordingFull(Exception):
    """A payload would bring more than a recording may hold. It was not taken."""


class Versions(NamedTuple):
    """The settings of a run, as its header has them."""

    python: str
    torch: str
    packages: dict[str, str]
    """Packages that snippets may import in addition to torch and the standard library, by import name."""


class Recording:
    """The recording of one request, grown payload by payload."""

    def __init__(self, request: Request, device: str = "cpu") -> None:
        self._request = request
        self._device = device
        self._folding = Folding(request.source)
        self.size = 0
        """Bytes taken so far; what decodes to more than its bytes suggest counts as more."""
        self._frozen_size = 0
        self.aborted = False
        """Whether it reported a call of `abort`."""
        self._nodes = self._names = 0
        self._windows: Counter[int] = Counter()
        """On each Storage."""

    @property
    def ended(self) -> Ended | None:
        """The end that the run reported, if it did."""
        return self._folding.ended

    @_without_collections()
    def add(self, payload: bytes) -> Chunk:
        """Take the payload of one frame, whole or not at all. Raises TraceDecodeError, FoldError and RecordingFull."""
        if self.size + len(payload) > self._request.limits.trace_bytes:
            raise RecordingFull
        chunk = decode_chunk(payload)
        if chunk.ended is not None and not is_its_to_say(chunk.ended, self._request.limits):
            raise FoldError(f"the end {chunk.ended.__struct_config__.tag} is not the run's to say, or not with these limits")
        self._count(chunk)
        self._folding.add(chunk)
        self.size += max(len(payload), SMALLEST, PER_OBJECT * payload.count(b"{"), PER_ELEMENT * payload.count(b","))
        self._freeze(since=self._frozen_size)
        return chunk

    def _freeze(self, since: int) -> None:
        """Exclude the present objects from garbage collection, if there are many. `app.web.runs.memory.forget` collects after it is
        dropped."""
        if self.size - since >= FROZEN_BYTES:
            gc.freeze()
            self._frozen_size = self.size

    def _count(self, chunk: Chunk) -> None:
        """Remember how much there is to draw. Raises RecordingFull."""
        self._nodes += len(chunk.nodes)
        self._names += len(chunk.names)
        is_full = self._nodes > MOST_NODES or self._names > MOST_NAMES
        for tensor in itertools.chain(chunk.tensors, chunk.tensor_updates):
            for _, geometry in tensor.geometry:
                if geometry.storage is not None:
                    self._windows[geometry.storage] += 1
                    is_full = is_full or self._windows[geometry.storage] > MOST_WINDOWS
        if is_full:
            raise RecordingFull

    @_without_collections()
    def trace(self, ended: Ended, raw_output: bytes, versions: Versions) -> Trace:
        """The whole trace with the end `ended`, whatever the run reported, and the output that bypassed the tracer at its end.

        The header is the server's own. A recording that contradicts itself was forged, and nothing of it is kept.
        """
        header = Header(
            format=FORMAT,
            stepgrad=__version__,
            python=versions.python,
            torch=versions.torch,
            packages=versions.packages,
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
                output = Output(id=OutputId(len(trace.outputs)), tick=tick, stream="stdout", text=piece, category=NATIVE)
                trace.outputs.append(output)
        trace = msgspec.structs.replace(trace, header=header, ended=ended)
        try:
            check(trace)
        except TraceInvalid as contradiction:
            reason = f"The snippet wrote a recording that contradicts itself ({contradiction})."
            return Trace(source=trace.source, header=header, ended=Interfered(reason=reason))
        self._freeze(since=0)
        return trace


def is_its_to_say(said: Ended, limits: Limits) -> bool:
    """Whether a recorder may say so: that a signal or a clock ended the run is known to the server alone."""
    match said:
        case Finished() | Raised() | Interfered():
            return True
        case Exited():
            return said.by == "SystemExit"
        case Stopped():
            return said.reached == (limits.statements if said.limit == "statements" else limits.steps)
        case OutOfMemory():
            return said.limit_bytes == limits.memory_bytes
        case OutputTooLarge():
            return said.limit_bytes == limits.output_bytes
        case TraceTooLarge():
            return said.limit_bytes == limits.trace_bytes
        case _:
            return False


def _last_tick(trace: Trace) -> Tick:
    """The latest tick of the records that every run has; order in the outputs needs no more."""
    ends = (step.began if step.ended is None else step.ended for step in trace.steps)
    return max(itertools.chain(ends, (output.tick for output in trace.outputs)), default=Tick(0))
