"""Lifetimes of processes: a run ends with its caller, a zygote ends with its server, and a zygote that dies is replaced."""

import ast
import asyncio
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import uvloop

from app.sandbox import Layer, Sandbox, SandboxDied, SandboxSettings, SandboxUnavailable
from app.sandbox.inside.seal import NICENESS
from app.sandbox.inside.zygote import GIVING_WAY
from app.trace.ends import Finished
from app.trace.records import Limits, Request
from tests.sandbox.conftest import HERE, PLAIN, check_next, run, skip_where_tmp_is_covered
from tests.sandbox.processes import PATIENCE, below, family, until_below, until_gone
from tests.sandbox.traced import traced
from tests.waiting import until

SLEEP = "step()\n__import__('signal').pause()"
ENDLESS = Limits(wall_seconds=600.0, cpu_seconds=600)
"""Time limits that no test reaches."""


async def start(sandbox: Sandbox, source: str = SLEEP) -> asyncio.Task[object]:
    """Start a run, and wait until it has called `step()`."""
    begun = asyncio.Event()
    task = asyncio.create_task(
        traced(
            sandbox.run(
                Request(source=source, limits=ENDLESS), on_progress=lambda head: begun.set() if head.statements else None
            )
        )
    )
    await asyncio.wait_for(begun.wait(), PATIENCE)
    return task


def descriptors(pid: int) -> list[str]:
    """Return the targets of a process's file descriptors; empty if they cannot be read, as without root."""
    try:
        return sorted(str(fd.readlink()).split(":")[0] for fd in Path(f"/proc/{pid}/fd").iterdir() if fd.is_symlink())
    except PermissionError:
        return []


async def at_rest(zygote: int) -> tuple[list[str], list[str]]:
    """Wait until the file descriptors of this process and the zygote stay the same, and return them."""
    seen: list[tuple[list[str], list[str]]] = []
    while len(seen) < 30:
        now = descriptors(os.getpid()), descriptors(zygote)
        seen = [*seen, now] if seen[-1:] in ([], [now]) else []
        await asyncio.sleep(0.01)
    return seen[0]


async def test_cancelling_the_caller_kills_the_run(sandbox: Sandbox) -> None:
    task = await start(sandbox)
    await until_below(4)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_below(3)
    await check_next(sandbox)


async def test_a_long_run_gives_way_to_those_that_begin(sandbox: Sandbox) -> None:
    def nicenesses() -> list[int]:
        return sorted(os.getpriority(os.PRIO_PROCESS, process.pid) for process in below(os.getpid())[3:])

    async def until_they_are(*expected: int) -> None:
        before = os.getpriority(os.PRIO_PROCESS, 0)
        await until(lambda: nicenesses() == [min(19, before + each) for each in expected])

    (first_seconds, first), (last_seconds, last) = GIVING_WAY
    some = (first_seconds + last_seconds) / 2
    idle = await start(sandbox)
    brief = await start(sandbox, f"import time\nwhile time.process_time() < {some}: pass\nstep()\ntime.sleep(1000)")
    await until_they_are(NICENESS, first)
    busy = await start(sandbox, "step()\nwhile True: pass")
    await until_they_are(NICENESS, first, last)
    for task in (idle, brief, busy):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await check_next(sandbox)


async def test_cancelling_at_any_moment(sandbox: Sandbox) -> None:
    async def cancel_after(moment: int) -> None:
        task = asyncio.create_task(run(sandbox, SLEEP))
        for _ in range(moment):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    for moment in range(12):
        await cancel_after(moment)
    await until_below(3)
    await check_next(sandbox)


async def test_hundred_runs_leave_nothing(sandbox: Sandbox) -> None:
    await check_next(sandbox)
    *_, zygote = await until_below(3)
    before = await at_rest(zygote.pid)
    sources = [
        "step()",
        "1 / 0",
        "open('/tmp/stepgrad-left-behind', 'w').write('x' * 1000)",
        "__import__('os')._exit(1)",
        "print('x')",
    ]
    for _ in range(5):
        await asyncio.gather(*(run(sandbox, source) for source in sources * 4))
    assert await at_rest(zygote.pid) == before
    assert [process.pid for process in await until_below(3)][-1] == zygote.pid
    assert not Path("/tmp/stepgrad-left-behind").exists()  # noqa: ASYNC240


async def test_sixty_at_once(sandbox: Sandbox) -> None:
    ended = await asyncio.gather(*(run(sandbox, f"step(); say({number})") for number in range(60)))
    assert [each.trace.outputs[0].text for each in ended] == [str(number) for number in range(60)]


@pytest.mark.long
async def test_three_hundred_at_once(sandbox: Sandbox) -> None:
    ended = await asyncio.gather(*(run(sandbox, f"step(); say({number})") for number in range(300)))
    assert [each.trace.outputs[0].text for each in ended] == [str(number) for number in range(300)]


@pytest.mark.parametrize("victim", [0, 1, 2], ids=["bubblewrap", "its first process", "zygote"])
async def test_death_of_the_zygote(sandbox: Sandbox, victim: int) -> None:
    tasks = [await start(sandbox) for _ in range(3)]
    os.kill(below(os.getpid())[victim].pid, signal.SIGKILL)
    for ended in await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE):
        assert isinstance(ended, SandboxDied)
    await until_below(3)
    await check_next(sandbox)


LAYOUT = """
import ctypes, sys
libc = ctypes.CDLL(None)
code, stack = (ctypes.cast(place, ctypes.c_void_p).value for place in (libc.printf, libc.getauxval(25)))
say([hash('stepgrad'), code, stack, id(sys), id(None)])
"""
"""Prints the hash seed, and addresses in libc, the stack (AT_RANDOM), the heap and Python."""


async def test_each_zygote_has_its_own_address_layout_and_all_have_one_hash_seed() -> None:
    """A leaked address is useless after the zygote is replaced. All zygotes have one hash seed, so that runs can be compared."""
    told = []
    for _ in range(2):
        async with Sandbox(PLAIN) as sandbox:
            first, second = [(await run(sandbox, LAYOUT)).trace.outputs[0].text for _ in range(2)]
            assert first == second
            told.append(ast.literal_eval(first))
    (seed, *one, one_of_python), (same_seed, *other, other_of_python) = told
    assert seed == same_seed
    assert not set(one) & set(other)
    assert (one_of_python != other_of_python) == python_moves()


def python_moves() -> bool:
    """Whether Python is loaded at a random address. Debian and Ubuntu load Python at a fixed address."""
    first, second = (subprocess.check_output([sys.executable, "-I", "-c", "print(id(None))"]) for _ in range(2))
    return first != second


QUICK = replace(PLAIN, ping_seconds=0.05, hang_seconds=0.5)
"""Detects an unresponsive zygote six times as fast."""
BUSY = replace(QUICK, tracer="entries.busy")


async def test_a_zygote_that_hangs() -> None:
    async with Sandbox(QUICK) as sandbox:
        tasks = [await start(sandbox) for _ in range(3)]
        hanging = below(os.getpid())[2]
        os.kill(hanging.pid, signal.SIGSTOP)
        for number in range(50):  # more requests than fit into the zygote's queue
            tasks.append(asyncio.create_task(run(sandbox, f"say({number})")))
        for ended in await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE):
            assert isinstance(ended, SandboxDied)
        await until_gone({hanging.pid})
        await until_below(3)
        await check_next(sandbox)


async def test_a_zygote_that_is_slow_on_a_busy_machine_is_not_killed() -> None:
    """The zygote gets a hundredth of a processor, so it responds much later than the timeout for an unresponsive zygote."""
    async with Sandbox(BUSY) as sandbox:
        *_, zygote = before = below(os.getpid())
        processor = min(os.sched_getaffinity(0))
        os.sched_setaffinity(zygote.pid, {processor})
        os.sched_setscheduler(zygote.pid, os.SCHED_IDLE, os.sched_param(0))
        burn = (
            f"import os, time\nos.sched_setaffinity(0, {{{processor}}})\nend = time.time() + 2\nwhile time.time() < end: pass"
        )
        with subprocess.Popen([sys.executable, "-c", burn]) as burning:  # noqa: ASYNC220
            os.kill(zygote.pid, signal.SIGUSR1)
            running = asyncio.create_task(run(sandbox, "step()"))
            await asyncio.to_thread(burning.wait)
            for process in below(os.getpid())[2:]:  # otherwise other programs would delay the zygote until the timeout
                with suppress(PermissionError, ProcessLookupError):
                    os.sched_setscheduler(process.pid, os.SCHED_OTHER, os.sched_param(0))
            assert (await running).trace.ended == Finished()
        assert below(os.getpid()) == before


@pytest.mark.parametrize("hang", [signal.SIGHUP, signal.SIGUSR2], ids=["asleep", "in a loop"])
async def test_a_zygote_that_hangs_without_being_stopped(hang: signal.Signals) -> None:
    async with Sandbox(BUSY) as sandbox:
        hanging = below(os.getpid())[2]
        os.kill(hanging.pid, hang)
        await until_gone({hanging.pid})
        await until_below(3)
        await check_next(sandbox)


async def test_a_retiring_zygote_that_hangs() -> None:
    async with Sandbox(replace(QUICK, recycle_runs=2)) as sandbox:
        task = await start(sandbox)
        hanging = below(os.getpid())[2]
        await run(sandbox, "step()")
        await until_below(7)
        os.kill(hanging.pid, signal.SIGSTOP)
        with pytest.raises(SandboxDied):
            await asyncio.wait_for(task, PATIENCE)
        await until_below(3)


@pytest.mark.parametrize("loop", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
async def test_a_server_that_hangs_does_not_blame_the_zygote(loop: Callable[[Coroutine[Any, Any, None]], None]) -> None:
    async def stand_still() -> None:
        async with Sandbox(replace(PLAIN, ping_seconds=0.01, hang_seconds=0.1)) as sandbox:
            before = below(os.getpid())
            for _ in range(5):
                time.sleep(0.2)  # noqa: ASYNC251, TID251 - blocks the event loop on purpose
                await check_next(sandbox)
            await until_below(len(before))  # the last run may just have ended
            assert below(os.getpid()) == before

    await asyncio.to_thread(loop, stand_still())


async def test_a_zygote_that_grows() -> None:
    settings = replace(QUICK, tracer="entries.growing", growth_bytes=32 << 20)
    async with Sandbox(settings) as sandbox:
        first = below(os.getpid())[2]
        growths = 0
        while first in below(os.getpid()):
            with suppress(ProcessLookupError):
                os.kill(first.pid, signal.SIGUSR1)  # each allocates 8 MiB
            growths += 1
            assert (await run(sandbox, "step()")).trace.ended == Finished(), "no run is lost on the way"
        assert growths >= 4
        await until_below(3)
        await check_next(sandbox)


async def test_a_zygote_that_grows_old() -> None:
    async with Sandbox(replace(QUICK, recycle_seconds=0.5)) as sandbox:
        first = below(os.getpid())[2]
        while first in below(os.getpid()):
            assert (await run(sandbox, "step()")).trace.ended == Finished(), "no run is lost on the way"


async def test_a_zygote_that_cannot_be_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    tries.touch()
    tries.chmod(0o666)
    broken = tmp_path / "bwrap"
    broken.write_text(f"#!/bin/sh\necho >> {tries}\necho 'bwrap: No space left on device' >&2\nexit 1\n")
    broken.chmod(0o755)
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)
    async with Sandbox(PLAIN) as sandbox:
        assert sandbox.trouble is None
        with monkeypatch.context() as patched:
            patched.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
            began = time.monotonic()
            os.kill(below(os.getpid())[2].pid, signal.SIGKILL)
            assert "No space left" in (await until(lambda: sandbox.trouble) or "")
            for _ in range(100):
                with pytest.raises(SandboxUnavailable, match="No space left"):
                    await run(sandbox, "step()")
            # three immediately, the following after pauses of 1 s, 2 s and 4 s
            assert len(tries.read_text()) <= 4 + math.log2(1 + time.monotonic() - began)
        await until(lambda: sandbox.trouble is None)
        await check_next(sandbox)


async def test_closing_kills_what_runs() -> None:
    async with Sandbox(PLAIN) as sandbox:
        task = await start(sandbox)
    with pytest.raises(SandboxDied):
        await task
    await until_below(0)
    with pytest.raises(SandboxDied):
        await run(sandbox, "step()")


async def test_a_recycled_zygote_ends_when_its_last_run_has() -> None:
    async with Sandbox(replace(PLAIN, recycle_runs=3)) as sandbox:
        first = below(os.getpid())[-1].pid
        await run(sandbox, "step()")
        await run(sandbox, "step()")
        task = asyncio.create_task(run(sandbox, "step()\n__import__('time').sleep(1.5)"))
        await asyncio.sleep(0)
        for _ in range(100):
            assert (await run(sandbox, "step()")).trace.ended == Finished(), "no run is lost on the way"
        assert (await task).trace.ended == Finished()
        await until_below(3)
        assert below(os.getpid())[-1].pid != first


KINDS = {
    "clone": PLAIN,
    "double": replace(PLAIN, method="double"),
    "floor": replace(PLAIN, without=frozenset({Layer.BUBBLEWRAP, Layer.NAMESPACES})),
    "clone, no outer sandbox": replace(PLAIN, without=frozenset({Layer.BUBBLEWRAP})),
    "double, no outer sandbox": replace(PLAIN, without=frozenset({Layer.BUBBLEWRAP}), method="double"),
}

SERVER = """
import asyncio, sys
from tests.sandbox.test_lifetime import KINDS, SLEEP, start
from app.sandbox import Sandbox

async def main():
    async with Sandbox(KINDS[sys.argv[1]]) as sandbox:
        for _ in range(3):
            tasks.append(await start(sandbox))
        print("ready", flush=True)
        await asyncio.sleep(60)

tasks = []
asyncio.run(main())
"""


@pytest.mark.parametrize("kind", KINDS)
async def test_death_of_the_server_leaves_nothing(kind: str) -> None:
    if "no outer sandbox" in kind:
        skip_where_tmp_is_covered()
    with subprocess.Popen([sys.executable, "-c", SERVER, kind], stdout=subprocess.PIPE, cwd=HERE.parents[1]) as server:  # noqa: ASYNC220
        assert server.stdout is not None
        assert await asyncio.to_thread(server.stdout.readline) == b"ready\n"
        everyone = family(server.pid)
        assert len(everyone) >= 4
        server.kill()
        await until_gone({each.pid for each in everyone})


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_zygote_is_replaced_and_leaves_nothing(kind: str) -> None:
    if "no outer sandbox" in kind:
        skip_where_tmp_is_covered()
    async with Sandbox(KINDS[kind]) as sandbox:
        before = below(os.getpid())
        tasks = [await start(sandbox) for _ in range(3)]
        everyone = family(os.getpid())
        os.kill(before[-1].pid, signal.SIGKILL)  # the zygote
        for ended in await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE):
            assert isinstance(ended, SandboxDied)
        await until_gone({each.pid for each in everyone})
        await until_below(len(before))
        task = await start(sandbox)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until_below(len(before))
        task = await start(sandbox)
    with pytest.raises(SandboxDied):
        await task
    await until_below(0)


@pytest.mark.long
@pytest.mark.parametrize("victim", [0, 1, 2], ids=["bubblewrap", "its first process", "zygote"])
async def test_the_next_run_comes_from_the_next_zygote(victim: int) -> None:
    """Uses the tracer that imports torch, so that the new zygote is not ready when the next run is requested."""
    async with Sandbox(SandboxSettings()) as sandbox:
        before = below(os.getpid())
        os.kill(before[victim].pid, signal.SIGKILL)
        try:
            ended = await run(sandbox, "import torch\ntorch.ones(2)")
        except SandboxDied:  # the sandbox has not noticed yet that the zygote died; clients retry
            ended = await run(sandbox, "import torch\ntorch.ones(2)")
        assert ended.trace.ended == Finished()
        after = await until_below(3)
        assert not {process.pid for process in before} & {process.pid for process in after}
        assert (await run(sandbox, "import torch")).trace.ended == Finished()
        assert await until_below(3) == after, "one was enough"


@pytest.mark.long
async def test_soak(sandbox: Sandbox) -> None:
    """During 3,000 runs, the number of file descriptors, memory usage and throughput stay constant."""

    async def ten() -> float:
        """Return the processor time of ten runs, including the server's, relative to a loop that runs at the same time.

        The ratio compensates for a processor that other programs slow down.
        """
        began = time.process_time()
        ended = await asyncio.gather(*(run(sandbox, "step()", ENDLESS) for _ in range(10)))
        taken = time.process_time() - began + sum(each.cost.cpu_seconds for each in ended)
        began = time.process_time()
        sum(range(100_000))
        return taken / (time.process_time() - began)

    for _ in range(20):
        await ten()
    *_, zygote = await until_below(3)
    pids = (os.getpid(), zygote.pid)
    before = list(zip(await at_rest(zygote.pid), map(_resident, pids), strict=True))
    taken = [await ten() for _ in range(300)]
    *_, the_same = await until_below(3)
    assert the_same == zygote
    assert await at_rest(zygote.pid) == tuple(were_open for were_open, _ in before)
    for pid, (_, resident) in zip(pids, before, strict=True):
        assert _resident(pid) < resident + (4 << 20)
    assert median(taken[200:]) < 1.3 * median(taken[:100])


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
