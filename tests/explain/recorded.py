"""Record snippets for tests in forks of one process that has already imported torch."""

from collections.abc import Iterator, Mapping

import msgspec

from app.trace.check import check
from app.trace.chunks import Folding, Trace
from app.trace.codec import decode_chunk, decode_trace, encode_trace
from app.trace.ends import Interfered, Raised
from tests.recordings import chunks
from tests.trace.header import HEADER
from tests.tracer.workers import How


def record(sources: list[str], how: How = "recorded", turn: int = 1, **limits: float) -> list[Trace]:
    """Record snippets, and return valid traces.

    Traces are cached by snippet and `turn`, so another `turn` records the snippet again.
    """
    return [fold(source, chunks(source, how, turn=turn, **limits)) for source in sources]


class Traces(Mapping[str, Trace]):
    """Valid traces by the name of the snippet. A snippet is recorded when its trace is first needed."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.sources = sources
        self._recorded: dict[str, Trace] = {}

    def __getitem__(self, name: str) -> Trace:
        if name not in self._recorded:
            [self._recorded[name]] = record([self.sources[name]])
        return self._recorded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.sources)

    def __len__(self) -> int:
        return len(self.sources)


def fold(source: str, sent: list[bytes]) -> Trace:
    """Join chunks to a trace, check it, and encode and decode it."""
    folding = Folding(source)
    for chunk in sent:
        folding.add(decode_chunk(chunk))
    trace = folding.trace(Interfered(reason="The run said nothing about its end."), HEADER)
    check(trace)
    return decode_trace(encode_trace(trace))


def reworded(trace: Trace) -> Trace:
    """Replace the words in the messages of exceptions and warnings."""
    steps = [msgspec.structs.replace(step, message="other words") if step.message else step for step in trace.steps]
    ended = msgspec.structs.replace(trace.ended, message="other words") if isinstance(trace.ended, Raised) else trace.ended
    return msgspec.structs.replace(trace, steps=steps, ended=ended)
