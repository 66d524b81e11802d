"""The canary, a regular test of the sandbox, decides whether runs are accepted. Runs of visitors have priority over runs of
the canary.
"""

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.engine import CanaryMonitor, Refused, Terms
from app.sandbox import Layer, Sandbox, SandboxUnavailable
from app.sandbox.tiers import Tier, examine
from tests.sandbox.conftest import PATIENT, PLAIN, run
from tests.sandbox.processes import until_below
from tests.sandbox.test_faults import unsealable
from tests.waiting import until

TERMS = Terms(needed=Tier.A, address="0.0.0.0", limits=PATIENT)


@asynccontextmanager
async def at_once() -> AsyncIterator[None]:
    yield


@asynccontextmanager
async def never() -> AsyncIterator[None]:
    raise Refused("queue", "The queue is full.", 5)
    yield


async def test_what_falls_below_the_needed_tier_is_refused_until_it_is_back() -> None:
    async with Sandbox(PLAIN) as sandbox:
        standing = await examine(sandbox, {}, TERMS.limits)
        monitor = CanaryMonitor(sandbox, standing, TERMS, at_once, lambda: 0, lambda _: None)
        async with monitor.monitoring(every_seconds=0.01):
            for without, tier in ((frozenset({Layer.LANDLOCK}), Tier.A_MINUS), (frozenset[Layer](), Tier.A)):
                sandbox.settings = replace(PLAIN, without=without)  # only the next zygote gets this setting
                os.kill((await until_below(3))[2].pid, signal.SIGKILL)
                await until(lambda tier=tier: monitor.standing.tier == tier)  # type: ignore[misc]
                if tier != Tier.A:
                    assert monitor.refusal is not None and "without landlock" in monitor.refusal
                    with pytest.raises(SandboxUnavailable, match="landlock"):
                        await run(sandbox, "step()")
            assert monitor.refusal is None
            await run(sandbox, "step()")


async def test_it_stands_aside_for_visitors_but_not_for_ever() -> None:
    async with Sandbox(PLAIN) as sandbox:
        standing = await examine(sandbox, {}, TERMS.limits)
        for place, waiting in ((never, 0), (at_once, 100)):
            monitor = CanaryMonitor(sandbox, standing, TERMS, place, lambda waiting=waiting: waiting, lambda _: None)  # type: ignore[misc]
            async with monitor.monitoring(every_seconds=0.01, at_latest_seconds=0.5):
                await until(lambda monitor=monitor: monitor.age_seconds > 0.4)  # type: ignore[misc]
                await until(lambda monitor=monitor: monitor.age_seconds < 0.3)  # type: ignore[misc]


async def test_what_cannot_be_sealed_any_more_is_told(tmp_path: Path) -> None:
    told: list[str | None] = []
    broken = unsealable(tmp_path)
    async with Sandbox(replace(PLAIN, tracer="entries.unsealable", extra_paths=(tmp_path,))) as sandbox:
        standing = await examine(sandbox, {}, TERMS.limits)
        monitor = CanaryMonitor(sandbox, standing, TERMS, at_once, lambda: 0, lambda monitor: told.append(monitor.refusal))
        async with monitor.monitoring(every_seconds=0.01):
            for step in ("filter", ""):
                broken.write_text(step)
                await until(lambda step=step: (monitor.refusal is None) == (step == ""))  # type: ignore[misc]
            first, last = told
            assert first is not None and "could not be sealed" in first and "broken by the test" in first
            assert last is None
