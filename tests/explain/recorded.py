"""Real traces for the tests: snippets recorded in one warm process, each in a fork of its own, as the zygote does it."""

import atexit
from functools import cache

import msgspec

from app.trace.check import check
from app.trace.chunks import Folding, Trace
from app.trace.codec import decode_chunk, decode_trace, encode_trace
from app.trace.ends import Interfered, Raised
from app.trace.records import FORMAT, Header, Limits
from tests.tracer.workers import How, Worker

HEADER = Header(format=FORMAT, stepgrad="0", python="3.11", torch="2.13", device="cpu", seed=0, limits=Limits())


@cache
def _worker(how: How) -> Worker:
    """The process, which ends with this one."""
    worker = Worker(how)
    atexit.register(worker.__exit__)
    return worker


def record(sources: list[str], how: How = "recorded", **limits: float) -> list[Trace]:
    """One checked trace for each snippet."""
    return [fold(source, chunks(source, how, **limits)) for source in sources]


def chunks(source: str, how: How = "recorded", **limits: float) -> list[str]:
    """What the recorder sent while a snippet ran."""
    return _worker(how).answer(source, **limits).splitlines()


def fold(source: str, sent: list[str]) -> Trace:
    """The checked trace that these chunks make, as it comes out of the codec."""
    folding = Folding(source)
    for chunk in sent:
        folding.add(decode_chunk(chunk.encode()))
    trace = folding.trace(Interfered(reason="The run said nothing about its end."), HEADER)
    check(trace)
    return decode_trace(encode_trace(trace))


def reworded(trace: Trace) -> Trace:
    """The trace as it were if torch and Python said everything in other words."""
    steps = [msgspec.structs.replace(step, message="other words") if step.message else step for step in trace.steps]
    ended = msgspec.structs.replace(trace.ended, message="other words") if isinstance(trace.ended, Raised) else trace.ended
    return msgspec.structs.replace(trace, steps=steps, ended=ended)
