"""If a layer of the sandbox cannot be set up, the run fails before it reads the snippet."""

import asyncio
import gc
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.sandbox import Layer, LayerUnavailable, Sandbox, SandboxUnavailable
from app.sandbox.inside.start import Method
from tests.sandbox.conftest import HERE, PLAIN, check_next, run
from tests.sandbox.entries.unsealable import BREAKABLE

REFUSING_PROC = """#!/bin/sh
case " $* " in
    *" --proc "*) echo "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" >&2; exit 1;;
    *) exec {bwrap} "$@";;
esac
"""


@pytest.mark.parametrize("method", ["clone", "double"])
async def test_a_step_of_the_sealing_that_fails(tmp_path: Path, method: Method) -> None:
    """Only the run fails. The zygote continues to serve later runs."""
    broken = unsealable(tmp_path)
    async with Sandbox(replace(PLAIN, tracer="entries.unsealable", extra_paths=(tmp_path,), method=method)) as sandbox:
        for step in BREAKABLE:
            broken.write_text(step)
            await two(sandbox)  # one of the two runs may use an intact standby child
            for outcome in await two(sandbox):
                # The intermediate process cannot report that its own request for PR_SET_PDEATHSIG failed.
                with pytest.raises(
                    SandboxUnavailable, match=r"could not be sealed.*broken by the test|ended before it was sealed"
                ):
                    raise outcome
            broken.write_text("")
            await two(sandbox)  # one of the two runs uses a broken standby child
            await check_next(sandbox)


async def two(sandbox: Sandbox) -> list[Any]:
    """Return the results of two concurrent runs. At most one uses the standby child; the other's process is forked on demand."""
    return list(await asyncio.gather(run(sandbox, "step()"), run(sandbox, "step()"), return_exceptions=True))


async def test_a_machine_where_no_child_can_be_sealed(tmp_path: Path) -> None:
    unsealable(tmp_path).write_text("filter")
    with pytest.raises(LayerUnavailable, match=r"the layer seccomp is not available .*broken by the test") as raised:
        await Sandbox(replace(PLAIN, tracer="entries.unsealable", extra_paths=(tmp_path,))).start()
    assert raised.value.layer == Layer.SECCOMP


async def test_a_zygote_that_is_killed_at_its_start_is_told() -> None:
    with pytest.raises(SandboxUnavailable, match="killed from outside before it was ready: give it more memory"):
        await Sandbox(replace(PLAIN, tracer="entries.killed")).start()


async def test_a_zygote_with_a_second_thread_does_not_start() -> None:
    with pytest.raises(SandboxUnavailable, match="left 2 threads"):
        await Sandbox(replace(PLAIN, tracer="entries.threading_preload")).start()


def unsealable(directory: Path) -> Path:
    """Copy the tracers into `directory`. Return the path of the file that names the step that fails."""
    shutil.copytree(HERE / "entries", directory / "entries")
    broken = directory / "entries/broken_step"
    broken.write_text("")
    open_to_all(directory)
    return broken


async def test_where_no_new_proc_may_be_mounted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text(REFUSING_PROC.format(bwrap=shutil.which("bwrap")))
    open_to_all(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    async with Sandbox(PLAIN) as sandbox:
        await check_next(sandbox)
        ended = await run(sandbox, "import os; say(os.path.exists('/proc/self'))")
        assert [output.text for output in ended.trace.outputs] == ["False"]


async def test_no_descriptor_left(sandbox: Sandbox) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = []
    gc.collect()  # otherwise unreachable file objects might be closed later
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            while True:
                held.append(os.open("/dev/null", os.O_RDONLY))
        os.close(held.pop())
        os.close(held.pop())
        with pytest.raises(SandboxUnavailable, match="three pipes of a run could not be created"):
            await run(sandbox, "step()")
    finally:
        for fd in held:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    await check_next(sandbox)


def test_the_server_hardens_itself() -> None:
    source = """
import ctypes, resource
from app.sandbox import harden_server
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 2048))
harden_server()
print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""
    done = subprocess.run([sys.executable, "-c", source], cwd=HERE.parents[1], capture_output=True, text=True, check=True)
    assert done.stdout == "0 2048\n"


def open_to_all(directory: Path) -> None:
    """Let the sandbox's user read files that pytest created for root only."""
    for path in (directory, *directory.parents[:2], *directory.rglob("*")):
        if path.stat().st_uid == os.geteuid():
            path.chmod(0o755)
