"""`python -m tests.matrix.starts`: which ways to start a run work with this libc, and how long a run takes that is started so."""

import asyncio
import platform
import time
from typing import Final

from app.sandbox import Sandbox, SandboxSettings, SandboxUnavailable
from app.sandbox.inside.start import Method
from app.trace.ends import Finished
from app.trace.records import Limits, Request

RUNS: Final = 100
WAYS: Final[dict[Method, str]] = {"clone": "a raw clone", "double": "two forks"}
"""In the order in which the zygote tries them; it takes the first that works."""


async def milliseconds(method: Method) -> float | None:
    """The least that a run of nothing takes, from request to end, so that other programs count little; None where none starts."""
    try:
        async with Sandbox(SandboxSettings(method=method)) as sandbox:
            times = [await _one(sandbox) for _ in range(RUNS)]
    except SandboxUnavailable:
        return None
    return 1000 * min(times)


async def _one(sandbox: Sandbox) -> float:
    began = time.perf_counter()
    run = await sandbox.run(Request(source="pass\n", limits=Limits()))
    took = time.perf_counter() - began
    assert isinstance(run.trace.ended, Finished), run.trace.ended
    return took


def main() -> None:
    """One line each."""
    for method, name in WAYS.items():
        took = asyncio.run(milliseconds(method))
        answer = "does not work" if took is None else f"{took:.1f} ms"
        print(f"{' '.join(platform.libc_ver())}, Python {platform.python_version()}: a run by {name}: {answer}", flush=True)


if __name__ == "__main__":
    main()
