"""Decodes, folds and checks the untrusted payloads of an ended run, and returns its trace.

A server uses this module only in an explainer (`app.explainers.inside`), because a forged payload may exploit a bug in the
decoder.
"""

import gc
import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from app.sandbox.run import Run, overruled
from app.trace import ends
from app.trace.check import TraceInvalid, check
from app.trace.chunks import Chunk, FoldError, Folding, Trace
from app.trace.codec import decode_chunk
from app.trace.decoding import TraceDecodeError
from app.trace.heads import Head, content_of, payloads_of
from app.trace.records import MOST_TEXT, NATIVE, Limits, Output, OutputId, Tick
from app.trace.stored import Outline

MOST_NODES: Final = 40_000
MOST_NAMES: Final = 100_000
MOST_WINDOWS: Final = 20_000
"""Maximum numbers of Nodes, names, and windows on one Storage: the largest that a browser drew in tests.

A real run reaches its limit of bytes at about these numbers, but a forged Node needs only 30 bytes.
"""


def trace_of(run: Run) -> Trace:
    """The trace of a run."""
    return recorded(run.outline, run.output, run.payloads)


def recorded(outline: Outline, output: bytes, payloads: bytes) -> Trace:
    """Decode the payloads of a run to its trace. The server determines the header, and the end unless `outline.ended` is None.

    The first unreadable payload ends the recording as Interfered. A recording that contradicts itself is forged, and all its
    records are dropped.
    """
    with _without_collections():
        folding = Folding(outline.source)
        try:
            _fold(folding, payloads, outline.header.limits)
            ended = outline.ended or folding.ended
            assert ended is not None, "the last head has an end, or the server determined one"
        except _TooMuch:
            ended = overruled(outline.ended, ends.TraceTooLarge(limit_bytes=outline.header.limits.trace_bytes))
        except (TraceDecodeError, FoldError) as error:
            reason = f"The snippet wrote an unreadable recording ({error})."
            ended = overruled(outline.ended, ends.Interfered(reason=reason))
        trace = msgspec.structs.replace(folding.trace(ended, outline.header), header=outline.header, ended=ended)
        trace.outputs.extend(_native(trace, output.decode(errors="replace")))
        try:
            check(trace)
        except TraceInvalid as contradiction:
            reason = f"The snippet wrote a recording that contradicts itself ({contradiction})."
            return Trace(source=trace.source, header=trace.header, ended=ends.Interfered(reason=reason))
        return trace


def _fold(folding: Folding, payloads: bytes, limits: Limits) -> None:
    """Fold the payloads up to the first invalid payload. Raises TraceDecodeError, FoldError or _TooMuch for this payload."""
    head, drawn = Head(), _Drawn()
    for payload in payloads_of(payloads):
        chunk = decode_chunk(content_of(payload))
        if chunk.ended is not None and not is_its_to_say(chunk.ended, limits):
            raise FoldError(
                f"the recorder may not report the end {chunk.ended.__struct_config__.tag}, or not with these limits"
            )
        head = head.after(chunk)
        if head != Head.of(payload):
            raise FoldError("a head differs from its chunk")
        drawn.add(chunk)
        folding.add(chunk)


class _TooMuch(Exception):
    """The recording has more Nodes, names or windows than a browser can draw."""


class _Drawn:
    """Counts the Nodes, names and windows to draw."""

    def __init__(self) -> None:
        self._nodes = self._names = 0
        self._windows: Counter[int] = Counter()
        """The number of windows on each Storage."""

    def add(self, chunk: Chunk) -> None:
        """Count a chunk. Raises _TooMuch."""
        self._nodes += len(chunk.nodes)
        self._names += len(chunk.names)
        is_full = self._nodes > MOST_NODES or self._names > MOST_NAMES
        for tensor in itertools.chain(chunk.tensors, chunk.tensor_updates):
            for _, geometry in tensor.geometry:
                if geometry.storage is not None:
                    self._windows[geometry.storage] += 1
                    is_full = is_full or self._windows[geometry.storage] > MOST_WINDOWS
        if is_full:
            raise _TooMuch


def _native(trace: Trace, text: str) -> list[Output]:
    """Return Outputs for the text that bypassed the tracer, at the last tick of the run."""
    tick = _last_tick(trace) if text else Tick(0)
    parts = enumerate((text[start : start + MOST_TEXT] for start in range(0, len(text), MOST_TEXT)), len(trace.outputs))
    return [Output(id=OutputId(number), tick=tick, stream="stdout", text=part, category=NATIVE) for number, part in parts]


@contextmanager
def _without_collections() -> Iterator[None]:
    """Disable garbage collection while the block runs.

    The collector would visit all decoded lists repeatedly, although these lists have no cycles.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def is_its_to_say(said: ends.Ended, limits: Limits) -> bool:
    """Whether a recorder may report this end with these limits. Only the server can know about signals and timeouts."""
    match said:
        case ends.Finished() | ends.Raised() | ends.Interfered():
            return True
        case ends.Exited():
            return said.by == "SystemExit"
        case ends.Stopped():
            return said.reached == (limits.statements if said.limit == "statements" else limits.steps)
        case ends.OutOfMemory():
            return said.limit_bytes == limits.memory_bytes
        case ends.OutputTooLarge():
            return said.limit_bytes == limits.output_bytes
        case ends.TraceTooLarge():
            return said.limit_bytes == limits.trace_bytes
        case _:
            return False


def _last_tick(trace: Trace) -> Tick:
    """The latest tick of steps and outputs, which suffices to order the outputs."""
    ends = (step.began if step.ended is None else step.ended for step in trace.steps)
    return max(itertools.chain(ends, (output.tick for output in trace.outputs)), default=Tick(0))
