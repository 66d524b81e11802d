"""A snippet that writes forged data to the server can spoil only its own run."""

import json
import tracemalloc

import pytest

from app.sandbox import Sandbox
from app.sandbox.inside.protocol import HEADER, MAGIC, TRACE, frame
from app.trace.ends import Crashed, Exited, Interfered, TimedOut, TraceTooLarge
from app.trace.heads import Head
from app.trace.records import Limits
from tests.sandbox.conftest import check_next, has_stepped, run, timed_out

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_what_came_before_is_kept(shared: Sandbox) -> None:
    """tests/sandbox/attacks/families/frames.py tries more forms of invalid data."""
    ended = await run(shared, "import os, signal\nstep()\nos.write(4, b'hello, this is not a frame')\nsignal.pause()")
    assert isinstance(ended.trace.ended, Interfered)
    assert len(ended.trace.steps) == 1
    await check_next(shared)


async def test_a_recording_that_contradicts_itself(shared: Sandbox) -> None:
    content = b'{"names": [{"id": 0, "path": "x", "frame": 99}], "ended": {"kind": "finished"}}'
    dangling = frame(TRACE, Head(statements=1, end="finished").payload(content))
    ended = await run(shared, f"import os\nstep()\nos.write(4, {dangling!r})\nos._exit(0)")
    assert isinstance(ended.trace.ended, Interfered)
    assert not ended.trace.steps and not ended.trace.names, "nothing of a forgery is kept"
    await check_next(shared)


PTRACE = "__import__('ctypes').CDLL(None).syscall({'x86_64': 101}.get(os.uname().machine, 117), 0, 0, 0, 0)"
ALARM = Crashed(signal=31, name="SIGSYS")
SEGFAULT = "__import__('ctypes').string_at(0)"
FORGED = {
    "finished, and a call that kills": ('{"kind": "finished"}', PTRACE, ALARM),
    "raised, and a call that kills": ('{"kind": "raised", "type": "", "message": "", "line": null}', PTRACE, ALARM),
    "its own interference, and a call that kills": ('{"kind": "interfered", "reason": "x"}', PTRACE, ALARM),
    "finished, and a crash": ('{"kind": "finished"}', SEGFAULT, Crashed(signal=11, name="SIGSEGV")),
    "finished, and another exit status": ('{"kind": "finished"}', "os._exit(3)", Exited(code=3, by="process")),
    "finished, and no end": ('{"kind": "finished"}', "signal.pause()", TimedOut(clock="wall", seconds=0.5)),
    "interference, and a crash": (
        '{"kind": "interfered", "reason": "x"}',
        SEGFAULT,
        Interfered(reason="x"),
    ),
}
"""The end that a snippet reports, what it does next, and the end that the server reports."""


@pytest.mark.parametrize("forgery", FORGED)
async def test_what_the_kernel_saw_outranks_what_the_run_says(shared: Sandbox, forgery: str) -> None:
    said, then, truth = FORGED[forgery]
    told = frame(TRACE, Head(end=json.loads(said)["kind"]).payload(f'{{"ended": {said}}}'.encode()))
    limits = Limits(wall_seconds=truth.seconds) if isinstance(truth, TimedOut) else None
    ended = await run(shared, f"import os, signal\nos.write(4, {told!r})\n{then}", limits)
    assert ended.trace.ended == truth


@pytest.mark.parametrize(
    "claim",
    [
        '{"kind": "crashed", "signal": 999, "name": "<img src=x>"}',
        '{"kind": "crashed", "signal": 11, "name": "SIGSEGV"}',
        '{"kind": "timed_out", "clock": "wall", "seconds": 1e308}',
        '{"kind": "cancelled"}',
        '{"kind": "exited", "code": 0, "by": "process"}',
        '{"kind": "out_of_memory", "limit_bytes": 9007199254740992}',
        '{"kind": "stopped", "limit": "steps", "reached": 0}',
        '{"kind": "output_too_large", "limit_bytes": 1}',
        '{"kind": "trace_too_large", "limit_bytes": 1}',
    ],
)
async def test_an_end_that_is_not_the_runs_to_say(shared: Sandbox, claim: str) -> None:
    """A run cannot report ends that only the server determines, such as a signal or a timeout. They count as interference."""
    told = frame(TRACE, Head(statements=1, end="finished").payload(f'{{"ended": {claim}}}'.encode()))
    ended = await run(shared, f"import os\nstep()\nos.write(4, {told!r})\nos._exit(0)")
    assert isinstance(ended.trace.ended, Interfered) and "the recorder may not report the end" in ended.trace.ended.reason
    assert len(ended.trace.steps) == 1


async def test_the_header_is_the_servers(shared: Sandbox) -> None:
    honest = await run(shared, "step()", Limits())
    assert honest.trace.header.limits == Limits()
    assert honest.trace.header.seed == 0


async def test_half_a_frame_and_sleep(shared: Sandbox) -> None:
    half = HEADER.pack(MAGIC, TRACE, 1000) + b"{"
    ended = await timed_out(shared, f"import os, signal\nstep()\nos.write(4, {half!r})\nsignal.pause()", 0.3, has_stepped)
    assert len(ended.trace.steps) == 1


async def test_closed_pipe(shared: Sandbox) -> None:
    ended = await run(shared, "import os\nstep()\nos.close(4)\nstep()")
    assert isinstance(ended.trace.ended, Interfered)
    assert len(ended.trace.steps) == 1
    await check_next(shared)


async def test_endless_frames(shared: Sandbox) -> None:
    source = f"import os\nwhile True: os.write(4, {frame(TRACE, Head().payload(b'{}' + b' ' * 100_000))!r})"
    ended = await run(shared, source, Limits(wall_seconds=300.0, trace_bytes=2 << 20))
    assert ended.trace.ended == TraceTooLarge(limit_bytes=2 << 20)


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
        ended = await run(shared, FLOODS[flood], Limits(trace_bytes=8 << 20, wall_seconds=300.0, cpu_seconds=60))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ended.trace.ended == TraceTooLarge(limit_bytes=8 << 20)
    assert peak < 8 * (8 << 20)
