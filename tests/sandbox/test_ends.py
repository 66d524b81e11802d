"""The ways in which a run can end, each caused by a real program."""

import asyncio
import os
import platform
import signal
import time

import pytest

from app.sandbox import Sandbox
from app.trace.ends import (
    Cancelled,
    Crashed,
    Exited,
    Finished,
    Interfered,
    OutputTooLarge,
    Raised,
    TimedOut,
    TraceTooLarge,
)
from app.trace.heads import Head
from app.trace.records import Limits, Request
from tests.sandbox.conftest import PATIENT, check_next, has_stepped, run, timed_out
from tests.sandbox.processes import PATIENCE, until_below
from tests.sandbox.traced import traced

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_finished(shared: Sandbox) -> None:
    ended = await run(shared, "step(); step(); say(6 * 7)")
    assert ended.trace.ended == Finished()
    assert len(ended.trace.steps) == 2
    assert [output.text for output in ended.trace.outputs] == ["42"]
    assert 0 < ended.cost.cpu_seconds < ended.cost.wall_seconds + 1
    assert ended.cost.peak_memory_bytes > 1 << 20


async def test_raised(shared: Sandbox) -> None:
    ended = await run(shared, "step()\n1 / 0")
    assert ended.trace.ended == Raised(type="ZeroDivisionError", message="division by zero", line=2)


async def test_wall_clock(shared: Sandbox) -> None:
    ended = await timed_out(shared, "step()\nwhile True: pass", 0.4, has_stepped, cpu_seconds=600)
    assert len(ended.trace.steps) == 1, "what was recorded before the kill is kept"
    assert ended.cost.wall_seconds < 2 * PATIENCE, "it was killed"
    await check_next(shared)


async def test_wall_clock_while_asleep(shared: Sandbox) -> None:
    ended = await run(
        shared, "import signal\nsignal.pthread_sigmask(0, range(1, 65))\nsignal.pause()", Limits(wall_seconds=0.3)
    )
    assert ended.trace.ended == TimedOut(clock="wall", seconds=0.3)


async def test_cpu_clock_is_the_kernels(shared: Sandbox) -> None:
    source = """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
import time
while True:
    step()
    tenth = time.process_time() + 0.1
    while time.process_time() < tenth: pass
"""
    ended = await run(shared, source, Limits(wall_seconds=300.0, cpu_seconds=1))
    assert ended.trace.ended == TimedOut(clock="cpu", seconds=1)
    # The CPU limit counts clock ticks. `cost` and the snippet use the scheduler's clock, which differs by a tenth or more on
    # a busy machine.
    assert ended.cost.cpu_seconds > 0.5
    assert -0.1 < ended.cost.cpu_seconds - 0.1 * len(ended.trace.steps) < 0.5


@pytest.mark.parametrize("flood", ["print('x' * 1000, flush=True)", "__import__('os').write(2, b'x' * 4096)"])
async def test_output_flood(shared: Sandbox, flood: str) -> None:
    ended = await run(shared, f"step()\nwhile True: {flood}", Limits(wall_seconds=300.0, output_bytes=10_000))
    assert ended.trace.ended == OutputTooLarge(limit_bytes=10_000)
    assert sum(len(output.text) for output in ended.trace.outputs) == 10_000
    assert len(ended.trace.steps) == 1
    await check_next(shared)


async def test_one_huge_write(shared: Sandbox) -> None:
    ended = await run(shared, "__import__('os').write(1, b'x' * (100 << 20))")
    assert ended.trace.ended == OutputTooLarge(limit_bytes=64 << 10)


async def test_output_around_the_tracer_is_kept(shared: Sandbox) -> None:
    ended = await run(
        shared, "import os\nstep(); step()\nsay('one')\nos.write(1, 'zwölf'.encode() + b'\\xff')\nos.write(2, b'!')"
    )
    assert ended.trace.ended == Finished()
    assert [(output.tick, output.text) for output in ended.trace.outputs] == [(1, "one"), (1, "zwölf�!")]


async def test_trace_flood(shared: Sandbox) -> None:
    ended = await run(shared, "while True: step()", Limits(wall_seconds=300.0, trace_bytes=80_000))
    assert ended.trace.ended == TraceTooLarge(limit_bytes=80_000)
    assert len(ended.trace.steps) > 50
    await check_next(shared)


async def test_stopped_on_request(shared: Sandbox) -> None:
    stop = asyncio.get_running_loop().create_future()
    request = Request(source="step()\n__import__('signal').pause()", limits=PATIENT)

    def listen(head: Head) -> None:
        if head.statements:
            stop.set_result(None)

    ended = await traced(shared.run(request, on_progress=listen, stop=stop))
    assert ended.trace.ended == Cancelled()
    assert len(ended.trace.steps) == 1, "what was recorded before is kept"
    await check_next(shared)


async def test_stopped_on_request_at_any_moment(shared: Sandbox) -> None:
    """Stop the run at various times, from before it starts until after it has ended."""
    for moment in range(40):
        stop = asyncio.get_running_loop().create_future()
        running = asyncio.create_task(traced(shared.run(Request(source="step()", limits=PATIENT), stop=stop)))
        for _ in range(moment):
            await asyncio.sleep(0)
        stop.set_result(None)
        assert isinstance((await running).trace.ended, Cancelled | Finished), moment
    await check_next(shared)


@pytest.mark.parametrize("code", [0, 42])
async def test_process_exit(shared: Sandbox, code: int) -> None:
    ended = await run(shared, f"step()\n__import__('os')._exit({code})")
    assert ended.trace.ended == Exited(code=code, by="process")
    assert len(ended.trace.steps) == 1


async def test_segmentation_fault(shared: Sandbox) -> None:
    ended = await run(shared, "step()\n__import__('ctypes').string_at(0)")
    assert ended.trace.ended == Crashed(signal=11, name="SIGSEGV")
    assert len(ended.trace.steps) == 1
    await check_next(shared)


ABORTS = {
    "os.abort": "__import__('os').abort()",
    "an assertion of C": "__import__('ctypes').CDLL(None).__assert_fail(b'', b'', 1, b'')",
    "in a thread": "import os, signal, threading\nthreading.Thread(target=os.abort).start()\nsignal.pause()",
    "with the signal blocked": "import os, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nos.abort()",
}
BLOCKED_IS_TOLD = tuple(map(int, platform.libc_ver()[1].split("."))) < (2, 41)
"""glibc 2.41 removes signal handlers before it unblocks SIGABRT, so the recorder's handler does not run."""


@pytest.mark.parametrize("how", ABORTS)
async def test_abort(shared: Sandbox, how: str) -> None:
    """The run is PID 1 and cannot send itself SIGABRT, so libc causes a SIGSEGV instead."""
    ended = await run(shared, f"step()\n{ABORTS[how]}")
    is_told = BLOCKED_IS_TOLD or how != "with the signal blocked"
    assert ended.trace.ended == (Crashed(signal=6, name="SIGABRT") if is_told else Crashed(signal=11, name="SIGSEGV"))
    assert len(ended.trace.steps) == 1
    await check_next(shared)


async def test_a_snippets_own_handler_of_abort(shared: Sandbox) -> None:
    source = "import signal\nsay(signal.getsignal(6))\nsignal.signal(6, lambda *_: say('mine'))\nsignal.raise_signal(6)"
    ended = await run(shared, source)
    assert (ended.trace.ended, [output.text for output in ended.trace.outputs]) == (Finished(), ["0", "mine"])


async def test_huge_allocation(shared: Sandbox) -> None:
    ended = await run(shared, "bytearray(10 << 30)")
    assert isinstance(ended.trace.ended, Raised)
    assert ended.trace.ended.type == "MemoryError"


async def test_growing_list(shared: Sandbox) -> None:
    ended = await run(
        shared, "kept = []\nwhile True: kept.append(bytearray(1 << 20))", Limits(wall_seconds=300.0, memory_bytes=64 << 20)
    )
    assert isinstance(ended.trace.ended, Raised)
    assert ended.trace.ended.type == "MemoryError"
    assert ended.cost.peak_memory_bytes < 200 << 20


async def test_killed_from_outside(shared: Sandbox) -> None:
    """Another process sends SIGKILL, as the kernel does when memory runs out."""
    sealed = asyncio.Event()
    request = Request(source="step()\n__import__('signal').pause()", limits=PATIENT)
    running = asyncio.create_task(
        traced(shared.run(request, on_progress=lambda head: sealed.set() if head.statements else None))
    )
    await asyncio.wait_for(sealed.wait(), PATIENCE)
    *_, child = await until_below(4)  # bwrap, its PID 1, the zygote and the run
    os.kill(child.pid, signal.SIGKILL)
    assert (await running).trace.ended == Crashed(signal=9, name="SIGKILL")


async def test_tracer_that_fails(shared: Sandbox) -> None:
    source = "import sys\nstep()\nsend.__globals__['protocol'].frame = None\nstep()"
    ended = await run(shared, source)
    assert isinstance(ended.trace.ended, Interfered)
    assert len(ended.trace.steps) == 1
    await check_next(shared)


async def test_long_request(shared: Sandbox) -> None:
    """The request is larger than the buffer of a pipe."""
    ended = await run(shared, "#" * 900_000 + "\nsay(1)")
    assert ended.trace.ended == Finished()


async def test_progress_is_told_head_by_head(shared: Sandbox) -> None:
    told: list[Head] = []
    await shared.run(Request(source="step(); step()"), on_progress=told.append)
    assert told == [Head(), Head(statements=1), Head(statements=2), Head(statements=2, end="finished")]


async def test_a_slow_server_takes_all_that_a_run_had_said(shared: Sandbox) -> None:
    """The run ends long before the server reads its output."""

    def listen(_: Head) -> None:
        time.sleep(0.15)  # noqa: TID251 - simulates a server that is busy with other clients

    ended = await traced(shared.run(Request(source="step(); " * 12, limits=PATIENT), on_progress=listen))
    assert (ended.trace.ended, len(ended.trace.steps)) == (Finished(), 12)


async def test_an_exception_of_the_listener_is_the_callers(shared: Sandbox) -> None:
    def listen(_: Head) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await traced(shared.run(Request(source="while True: step()"), on_progress=listen))
    await check_next(shared)
