"""Measure the processor time of a run for each way to start its process: `python -m tests.matrix.starts`."""

import asyncio
import os
import platform
from pathlib import Path
from typing import Final

from app.sandbox import Sandbox, SandboxSettings, SandboxUnavailable
from app.sandbox.inside.start import Method
from app.trace.ends import Finished
from app.trace.records import Limits, Request
from tests.sandbox.processes import below
from tests.sandbox.traced import traced

WARM_UP: Final = 20
RUNS: Final = 100
WAYS: Final[dict[Method, str]] = {"clone": "a raw clone", "double": "two forks"}
"""The order in which the zygote tries them. It uses the first that works."""


async def told(method: Method) -> str:
    """Return the processor time of an empty run, including all its processes and the zygote."""
    try:
        async with Sandbox(SandboxSettings(method=method)) as sandbox:
            await _run(sandbox, WARM_UP)  # the idle zygote prepares its memory so that forking is cheap
            began = _processor_seconds()
            await _run(sandbox, RUNS)
            return f"{1000 * (_processor_seconds() - began) / RUNS:.1f} ms of processor time"
    except SandboxUnavailable as error:
        return f"does not work: {error}"


async def _run(sandbox: Sandbox, times: int) -> None:
    for _ in range(times):
        run = await traced(sandbox.run(Request(source="pass\n", limits=Limits())))
        assert isinstance(run.trace.ended, Finished), run.trace.ended


def _processor_seconds() -> float:
    """Return the processor time of all descendants, including those that have ended."""
    stats = [Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split() for process in below(os.getpid())]
    return sum(int(ticks) for stat in stats for ticks in stat[11:15]) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print a line for each way to start a run."""
    for method, name in WAYS.items():
        print(f"{' '.join(platform.libc_ver())}, a run by {name}: {asyncio.run(told(method))}", flush=True)


if __name__ == "__main__":
    main()
