"""Process forged recordings: decode, fold, check, explain, compare and split them.

Processing a forged recording ends with an error message or a response of limited size. The event loop stays responsive, and
the next client gets a complete response. tests/browser shows the largest forgeries in a browser.
"""

import asyncio
import gc
import hashlib
import time
import zlib
from asyncio import events
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import msgspec
import pytest
import pytest_asyncio

from app.explainers import Explainers, NotExplained, Recorded
from app.sandbox import Sandbox
from app.sandbox.decoded_run import MOST_NAMES, MOST_NODES, MOST_WINDOWS
from app.trace.codec import decode_trace, encode_trace
from app.trace.ends import Finished, Interfered, TraceTooLarge
from app.trace.records import Limits, Request
from app.trace.stored import PIECE_BYTES
from tests.pace import reading_seconds
from tests.sandbox.conftest import check_next, run
from tests.sandbox.forgeries import AMPLIFIERS, CONTRADICTIONS, ODDITIES, snippet
from tests.sandbox.processes import PATIENCE
from tests.trace.generated import example

pytestmark = pytest.mark.asyncio(loop_scope="module")

SMALL = Limits(trace_bytes=1 << 20, wall_seconds=300.0, cpu_seconds=30)
WHOLE = Limits(wall_seconds=600.0, cpu_seconds=60)
LONGEST_TURN = 3
"""The maximum duration of one event loop iteration, as a multiple of `reading_seconds`."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def explainers() -> AsyncIterator[Explainers]:
    made = Explainers(2, wall_seconds=PATIENCE)
    async with made.working():
        yield made


@contextmanager
def turns(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Measure the processor time of each event loop iteration."""
    taken: list[float] = [0.0]
    take_turn = events.Handle._run

    def measured(handle: asyncio.Handle) -> None:
        before = time.thread_time()
        take_turn(handle)
        taken.append(time.thread_time() - before)

    gc.collect()
    gc.freeze()
    with monkeypatch.context() as patched:
        patched.setattr(events.Handle, "_run", measured)
        yield taken


async def ran(sandbox: Sandbox, explainers: Explainers, forgery: str, limits: Limits = SMALL) -> Recorded:
    """Run a snippet that forges a recording. Return the recording that the server received."""
    return await explainers.record(await sandbox.run(Request(source=snippet(forgery), limits=limits)), "a")


async def afterwards(explainers: Explainers, recorded: Recorded) -> None:
    """Do everything that a server does with a recording after the run, and assert that each result has a limited size."""
    content, explanation = recorded.trace, recorded.explanation
    key = hashlib.sha256(content).hexdigest()
    assert not explanation.was_cut, "it gives up by itself, at the same place every time"
    assert len(explanation.document()) < 32 << 20
    assert await explainers.explain(key, content, "a") == explanation
    packed = await explainers.pack(key, content, "a")
    lines = await asyncio.to_thread(lambda: zlib.decompress(packed, 31).splitlines())
    assert msgspec.json.decode(lines[0])["pieces"] == len(lines)
    assert max(map(len, lines)) < 4 * PIECE_BYTES
    try:
        await explainers.compare(key, content, content, content, "a")
    except NotExplained:
        pass


async def check_next_explanation(explainers: Explainers) -> None:
    """Assert that an ordinary recording is explained completely after a forged one."""
    content = encode_trace(example())
    assert not (await explainers.explain("example", content, "b")).was_cut


@pytest.mark.parametrize("forgery", [*AMPLIFIERS, *ODDITIES])
async def test_a_bounded_answer(shared: Sandbox, explainers: Explainers, monkeypatch: pytest.MonkeyPatch, forgery: str) -> None:
    with turns(monkeypatch) as taken:
        recorded = await ran(shared, explainers, (AMPLIFIERS | ODDITIES)[forgery])
        assert isinstance(recorded.ended, TraceTooLarge if forgery in AMPLIFIERS else Finished), recorded.ended
        await afterwards(explainers, recorded)
    assert max(taken) < LONGEST_TURN * reading_seconds()
    await check_next(shared)
    await check_next_explanation(explainers)


@pytest.mark.parametrize("forgery", CONTRADICTIONS)
async def test_a_sentence(shared: Sandbox, explainers: Explainers, forgery: str) -> None:
    ended = (await ran(shared, explainers, CONTRADICTIONS[forgery])).ended
    assert isinstance(ended, Interfered), ended
    assert ended.reason.endswith(".") and len(ended.reason) < 1000
    await check_next(shared)


@pytest.mark.long
@pytest.mark.parametrize("forgery", AMPLIFIERS)
async def test_as_large_as_can_be(
    shared: Sandbox, explainers: Explainers, monkeypatch: pytest.MonkeyPatch, forgery: str
) -> None:
    with turns(monkeypatch) as taken:
        recorded = await ran(shared, explainers, AMPLIFIERS[forgery], WHOLE)
        assert isinstance(recorded.ended, TraceTooLarge), recorded.ended
        await afterwards(explainers, recorded)
    assert max(taken) < LONGEST_TURN * reading_seconds()
    trace = decode_trace(recorded.trace)
    assert len(trace.nodes) <= MOST_NODES and len(trace.names) <= MOST_NAMES
    await check_next_explanation(explainers)


BEYOND = {
    "nodes": ("many('nodes', lambda i: node(i, []))", MOST_NODES),
    "names": ("many('tensors', tensor, 1)\nmany('names', lambda i: dict(id=i, path='', frame=0))", MOST_NAMES),
    "tensors": ("many('tensors', lambda i: dict(id=i, born=1, type='', geometry=[[1, window(0)]]))", MOST_WINDOWS),
}


@pytest.mark.parametrize("table", BEYOND)
async def test_no_more_than_can_be_drawn(shared: Sandbox, table: str) -> None:
    forgery, most = BEYOND[table]
    ended = await run(shared, snippet(forgery), WHOLE)
    assert ended.trace.ended == TraceTooLarge(limit_bytes=WHOLE.trace_bytes)
    assert most - 20_000 < len(getattr(ended.trace, table)) <= most
