"""A tracer without torch. The recording has a header, the steps and outputs that the snippet requests, and an end."""

import traceback
from collections.abc import Callable, Iterator

from app.trace.chunks import Chunk
from app.trace.codec import decode_chunk, encode_chunk
from app.trace.decoding import TraceDecodeError
from app.trace.ends import Finished, Raised
from app.trace.heads import Head
from app.trace.records import FORMAT, Header, Output, OutputId, Step, StepId, Tick
from app.trace.requests import decode_request


def preload() -> None:
    pass


def warm_up() -> Iterator[None]:
    yield from ()


def run(request: bytes, send: Callable[[bytes], None]) -> None:
    """Execute the source. The source can call `step()`, `say(text)`, `emit` and `send`."""
    asked = decode_request(request)
    head = Head()
    steps = 0
    outputs = 0

    def emit(content: bytes) -> None:
        """Send a chunk with a valid header. `piece` may also be bytes that are not a chunk."""
        nonlocal head
        try:
            head = head.after(decode_chunk(content))
        except TraceDecodeError:
            pass
        send(head.payload(content))

    def step() -> None:
        nonlocal steps
        emit(encode_chunk(Chunk(steps=[Step(id=StepId(steps), kind="statement", began=Tick(steps), ended=Tick(steps))])))
        steps += 1

    def say(thing: object) -> None:
        nonlocal outputs
        text = str(thing)
        emit(
            encode_chunk(
                Chunk(outputs=[Output(id=OutputId(outputs), tick=Tick(max(steps - 1, 0)), stream="stdout", text=text)])
            )
        )
        outputs += 1

    header = Header(
        format=FORMAT, stepgrad="test", python="test", torch="none", device="cpu", seed=asked.seed, limits=asked.limits
    )
    emit(encode_chunk(Chunk(header=header)))
    try:
        within = {"__name__": "__main__", "step": step, "say": say, "emit": emit, "send": send}
        exec(compile(asked.source, "snippet.py", "exec"), within)
    except BaseException as error:
        line = traceback.extract_tb(error.__traceback__)[-1].lineno
        emit(encode_chunk(Chunk(ended=Raised(type=type(error).__name__, message=str(error)[:1000], line=line))))
    else:
        emit(encode_chunk(Chunk(ended=Finished())))
