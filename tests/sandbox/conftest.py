"""A real sandbox for each test, with a tracer that needs no torch, so it starts in a sixth of a second."""

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
"""Limits of a run that should not time out: on a busy machine it gets a twentieth of a processor."""
WITH_TORCH = SandboxSettings(tracer="entries.with_torch", extra_paths=(HERE,))


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox(PLAIN) as started:
        yield started


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared() -> AsyncIterator[Sandbox]:
    """A sandbox for a whole module, so every test also shows that the previous tests did no harm."""
    async with Sandbox(PLAIN) as started:
        yield started


async def run(sandbox: Sandbox, source: str, limits: Limits | None = None) -> Traced:
    """Run `source`. Return the run with its trace."""
    return await traced(sandbox.run(Request(source=source, limits=limits or PATIENT)))


async def timed_out(sandbox: Sandbox, source: str, seconds: float, has_come: Callable[[Trace], bool], **limits: int) -> Traced:
    """Return a run that reached its wall-clock limit. Retry with more time if the run had not made the expected progress."""
    while True:
        ended = await run(sandbox, source, Limits(wall_seconds=seconds, **limits))
        assert ended.trace.ended == TimedOut(clock="wall", seconds=seconds)
        if has_come(ended.trace) or seconds > PATIENCE:
            return ended
        seconds *= 4


def has_stepped(trace: Trace) -> bool:
    """Whether the snippet has begun."""
    return bool(trace.steps)


async def said(sandbox: Sandbox, source: str) -> list[str]:
    """Return the output of `say(...)` in `source`, after checking that it finished."""
    ended = await run(sandbox, source)
    assert isinstance(ended.trace.ended, Finished), ended.trace.ended
    return [output.text for output in ended.trace.outputs]


async def check_next(sandbox: Sandbox) -> None:
    """Check that the next run works as well as the first."""
    assert await said(sandbox, "import os; say(os.listdir('/tmp'))") == ["[]"]


def skip_where_tmp_is_covered() -> None:
    """Skip a test that covers /tmp of the host if this checkout is there. (Attacks are tried in any case.)"""
    if HERE.is_relative_to("/tmp"):
        pytest.skip("this checkout lies under /tmp, which this test covers")
