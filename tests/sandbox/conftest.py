"""Fixtures with a real sandbox and a tracer that does not import torch, so that it starts six times as fast."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from app.sandbox import Sandbox, SandboxSettings
from app.trace.chunks import Trace
from app.trace.ends import Finished, TimedOut
from app.trace.records import Limits, Request
from tests.sandbox.processes import PATIENCE
from tests.sandbox.traced import Traced, traced

HERE = Path(__file__).parent
PLAIN = SandboxSettings(tracer="entries.plain", extra_paths=(HERE,))
PATIENT = Limits(wall_seconds=300.0)
"""Generous time limits for a run. On a busy machine it may get a twentieth of a processor."""
WITH_TORCH = SandboxSettings(tracer="entries.with_torch", extra_paths=(HERE,))


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(PLAIN) as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared() -> AsyncIterator[Sandbox]:
    """One sandbox for all tests of a module. Sharing the sandbox also verifies that no test damages it."""
    async with Sandbox(PLAIN) as started:
        yield started


async def run(sandbox: Sandbox, source: str, limits: Limits | None = None) -> Traced:
    return await traced(sandbox.run(Request(source=source, limits=limits or PATIENT)))


async def timed_out(sandbox: Sandbox, source: str, seconds: float, has_come: Callable[[Trace], bool], **limits: int) -> Traced:
    """Return a run that reached its wall-clock limit. If the run was slower than expected, repeat it with a higher limit."""
    while True:
        ended = await run(sandbox, source, Limits(wall_seconds=seconds, **limits))
        assert ended.trace.ended == TimedOut(clock="wall", seconds=seconds)
        if has_come(ended.trace) or seconds > PATIENCE:
            return ended
        seconds *= 4


def has_stepped(trace: Trace) -> bool:
    """Whether the snippet has called `step()`."""
    return bool(trace.steps)


async def said(sandbox: Sandbox, source: str) -> list[str]:
    """Assert that the snippet finishes, and return what it passed to `say`."""
    ended = await run(sandbox, source)
    assert isinstance(ended.trace.ended, Finished), ended.trace.ended
    return [output.text for output in ended.trace.outputs]


async def check_next(sandbox: Sandbox) -> None:
    """Assert that the sandbox's next run works."""
    assert await said(sandbox, "import os; say(os.listdir('/tmp'))") == ["[]"]


def skip_where_tmp_is_covered() -> None:
    """Skip a test that hides the host's /tmp if this checkout is in /tmp."""
    if HERE.is_relative_to("/tmp"):
        pytest.skip("this checkout lies under /tmp, which this test covers")
