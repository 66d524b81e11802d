"""A snippet that writes to the server itself: it may ruin its own run, and nothing else."""

import tracemalloc

import pytest

from app.sandbox import Sandbox
from app.sandbox.inside.protocol import HEADER, MAGIC, MAX_FRAME, READY, SETUP_FAILED, TRACE, frame
from app.trace.ends import Exited, Finished, Interfered, TimedOut, TraceTooLarge
from app.trace.records import Limits
from tests.sandbox.conftest import check_next, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

FORGED = {
    "garbage": b"hello, this is not a frame at all",
    "another magic": HEADER.pack(b"SBX2", TRACE, 0),
    "ready again": frame(READY, b""),
    "a failed setup": frame(SETUP_FAILED, b"no namespaces"),
    "an unknown kind": frame(77, b"{}"),
    "more than a frame may hold": HEADER.pack(MAGIC, TRACE, MAX_FRAME + 1),
    "the largest length": HEADER.pack(MAGIC, TRACE, 0xFFFFFFFF),
    "no JSON": frame(TRACE, b"\xff\xfe"),
    "not a chunk": frame(TRACE, b"[]"),
    "a field that is not ours": frame(TRACE, b'{"evil": 1}'),
    "a second header": frame(TRACE, b'{"header": null, "steps": [{"id": 7, "kind": "statement", "began": 0}]}'),
    "depth": frame(TRACE, b"[" * 100_000),
    "depth in a foreign field": frame(TRACE, b'{"evil": ' + b"[" * 100_000),
    "a wrong type": frame(TRACE, b'{"steps": 1}'),
    "an endless number": frame(TRACE, b'{"steps": [{"id": ' + b"9" * 10_000 + b"}]}"),
}


@pytest.mark.parametrize("name", FORGED)
async def test_forged_frames(shared: Sandbox, name: str) -> None:
    source = f"import os, signal\nstep()\nos.write(4, {FORGED[name]!r})\nsignal.pause()"
    ended = await run(shared, source, Limits(wall_seconds=5.0))
    assert isinstance(ended.trace.ended, Interfered), name
    assert len(ended.trace.steps) == 1, "what came before is kept"
    await check_next(shared)


async def test_a_recording_that_contradicts_itself(shared: Sandbox) -> None:
    dangling = frame(TRACE, b'{"names": [{"id": 0, "path": "x", "frame": 99}], "ended": {"kind": "finished"}}')
    ended = await run(shared, f"import os\nstep()\nos.write(4, {dangling!r})\nos._exit(0)")
    assert isinstance(ended.trace.ended, Interfered)
    assert not ended.trace.steps and not ended.trace.names, "nothing of a forgery is kept"
    await check_next(shared)


async def test_the_header_is_the_servers(shared: Sandbox) -> None:
    honest = await run(shared, "step()")
    assert honest.trace.header.limits == Limits()
    assert honest.trace.header.seed == 0


async def test_bytes_after_the_end(shared: Sandbox) -> None:
    finished = frame(TRACE, b'{"ended": {"kind": "finished"}}')
    for more in (b"x" * 20, frame(TRACE, b"{}"), finished):
        ended = await run(shared, f"import os\nos.write(4, {finished + more!r})\nos._exit(0)")
        assert isinstance(ended.trace.ended, Interfered), more


async def test_half_a_frame_and_sleep(shared: Sandbox) -> None:
    half = HEADER.pack(MAGIC, TRACE, 1000) + b"{"
    ended = await run(shared, f"import os, signal\nstep()\nos.write(4, {half!r})\nsignal.pause()", Limits(wall_seconds=0.3))
    assert ended.trace.ended == TimedOut(clock="wall", seconds=0.3)
    assert len(ended.trace.steps) == 1


async def test_half_a_frame_and_exit(shared: Sandbox) -> None:
    half = HEADER.pack(MAGIC, TRACE, 1000) + b"{"
    ended = await run(shared, f"import os\nos.write(4, {half!r})\nos._exit(0)")
    assert isinstance(ended.trace.ended, Interfered)


async def test_closed_pipe(shared: Sandbox) -> None:
    ended = await run(shared, "import os\nstep()\nos.close(4)\nstep()")
    assert isinstance(ended.trace.ended, Interfered)
    assert len(ended.trace.steps) == 1
    await check_next(shared)


async def test_forged_exit_status(shared: Sandbox) -> None:
    """The statuses that the child itself uses are only numbers once the run is sealed."""
    ended = await run(shared, "__import__('os')._exit(97)")
    assert ended.trace.ended == Exited(code=97, by="process")


async def test_endless_frames(shared: Sandbox) -> None:
    source = f"import os\nwhile True: os.write(4, {frame(TRACE, b'{}' + b' ' * 100_000)!r})"
    ended = await run(shared, source, Limits(trace_bytes=2 << 20))
    assert ended.trace.ended == TraceTooLarge(limit_bytes=2 << 20)


async def test_empty_frames_are_not_free(shared: Sandbox) -> None:
    source = f"import os\nwhile True: os.write(4, {frame(TRACE, b'{}') * 1000!r})"
    ended = await run(shared, source, Limits(trace_bytes=1 << 20, wall_seconds=20.0))
    assert ended.trace.ended == TraceTooLarge(limit_bytes=1 << 20)


FLOODS = {
    "tiny records": """
first = 0
while True:
    emit(('{"version_counters":[' + ",".join('{"id":%d}' % i for i in range(first, first + 30_000)) + ']}').encode())
    first += 30_000
""",
    "tiny facts": """
emit(b'{"version_counters":[{"id":0}]}')
first = 0
while True:
    facts = ",".join("[%d,%d]" % (i, i) for i in range(first, first + 25_000))
    emit(('{"version_counter_updates":[{"id":0,"version":[' + facts + ']}]}').encode())
    first += 25_000
""",
}


@pytest.mark.parametrize("flood", FLOODS)
async def test_what_decodes_to_much_counts_as_much(shared: Sandbox, flood: str) -> None:
    tracemalloc.start()
    try:
        ended = await run(shared, FLOODS[flood], Limits(trace_bytes=8 << 20, wall_seconds=30.0, cpu_seconds=30))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ended.trace.ended == TraceTooLarge(limit_bytes=8 << 20)
    assert peak < 8 * (8 << 20)


async def test_a_forged_end_is_that_runs_own(shared: Sandbox) -> None:
    finished = frame(TRACE, b'{"ended": {"kind": "finished"}}')
    ended = await run(shared, f"import os\nos.write(4, {finished!r})\nos._exit(3)")
    assert ended.trace.ended == Finished()
