"""Nothing outlives what it belongs to: a run its caller, a zygote its server; and whatever dies is replaced."""

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.sandbox import Sandbox, SandboxDied
from app.trace.ends import Finished
from app.trace.records import Limits, Request
from tests.sandbox.conftest import HERE, PLAIN, check_next, run
from tests.sandbox.processes import below, until_below, until_gone

SLEEP = "step()\n__import__('signal').pause()"


async def start(sandbox: Sandbox, source: str = SLEEP) -> asyncio.Task[object]:
    """A run that has said its first step."""
    begun = asyncio.Event()
    task = asyncio.create_task(
        sandbox.run(Request(source=source), on_progress=lambda chunk: begun.set() if chunk.steps else None)
    )
    await asyncio.wait_for(begun.wait(), 10)
    return task


def descriptors(pid: int) -> list[str]:
    """What its file descriptors are open on; nothing where that is hidden, as it is for whoever is not root."""
    try:
        return sorted(str(fd.readlink()).split(":")[0] for fd in Path(f"/proc/{pid}/fd").iterdir() if fd.is_symlink())
    except PermissionError:
        return []


async def test_cancelling_the_caller_kills_the_run(sandbox: Sandbox) -> None:
    task = await start(sandbox)
    assert len(below(os.getpid())) == 4
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until_below(3)
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
    before = descriptors(os.getpid()), descriptors(zygote.pid)
    sources = [
        "step()",
        "1 / 0",
        "open('/tmp/stepgrad-left-behind', 'w').write('x' * 1000)",
        "__import__('os')._exit(1)",
        "print('x')",
    ]
    for _ in range(5):
        await asyncio.gather(*(run(sandbox, source) for source in sources * 4))
    assert (descriptors(os.getpid()), descriptors(zygote.pid)) == before
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
    for ended in await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5):
        assert isinstance(ended, SandboxDied)
    await until_below(3)  # a new one, without anybody asking
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


SERVER = """
import asyncio, sys
from tests.sandbox.conftest import PLAIN, run
from tests.sandbox.test_lifetime import SLEEP, start
from app.sandbox import Sandbox

async def main():
    async with Sandbox(PLAIN) as sandbox:
        for _ in range(3):
            tasks.append(await start(sandbox))
        print("ready", flush=True)
        await asyncio.sleep(60)

tasks = []
asyncio.run(main())
"""


async def test_death_of_the_server_leaves_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, cwd=HERE.parents[1]) as server:  # noqa: ASYNC220
        assert server.stdout is not None
        assert await asyncio.to_thread(server.stdout.readline) == b"ready\n"
        family = below(server.pid)
        assert len(family) == 6
        server.kill()
        await until_gone(family)


@pytest.mark.long
async def test_soak(sandbox: Sandbox) -> None:
    """3,000 runs: descriptors and memory stay flat."""
    await check_next(sandbox)
    *_, zygote = await until_below(3)
    before = descriptors(os.getpid()), descriptors(zygote.pid), _resident(zygote.pid)
    for _ in range(300):
        await asyncio.gather(*(run(sandbox, "step()", Limits(wall_seconds=60.0)) for _ in range(10)))
    assert (descriptors(os.getpid()), descriptors(zygote.pid)) == before[:2]
    assert _resident(zygote.pid) < before[2] + (4 << 20)


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
