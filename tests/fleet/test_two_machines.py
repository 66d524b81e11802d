"""A worker on another machine, simulated by a network namespace with a virtual cable that can be unplugged."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.trace.ends import Finished, WorkerStopped
from tests.fleet.proxy import proxy
from tests.fleet.running import RunningWorker, fleet_engine, running_worker_within
from tests.fleet.test_faults import LONG, begun, executed, good
from tests.rooms.proxy import Proxy as Network
from tests.sandbox.processes import PATIENCE
from tests.waiting import until

pytestmark = pytest.mark.long

HERE, THERE = "10.213.77.1", "10.213.77.2"
PAUSE_SECONDS = 0.3
"""How long the network fails, in seconds. It is short enough for TCP to retransmit."""


def ip(*words: str) -> None:
    ended = subprocess.run(["ip", *words], capture_output=True, text=True)
    assert ended.returncode == 0, (words, ended.stderr)


@contextmanager
def machine() -> Iterator[str]:
    """Create a network namespace that is connected by a virtual cable. Yield the name of the namespace, which is also the
    name of the cable.
    """
    name = f"sg{os.getpid() % 100_000}"
    ip("netns", "add", name)
    try:
        ip("link", "add", name, "type", "veth", "peer", "name", "cable", "netns", name)
        ip("addr", "add", f"{HERE}/24", "dev", name)
        ip("link", "set", name, "up")
        for words in (
            ("addr", "add", f"{THERE}/24", "dev", "cable"),
            ("link", "set", "cable", "up"),
            ("link", "set", "lo", "up"),
        ):
            ip("-n", name, *words)
        yield name
    finally:
        ip("netns", "del", name)


@pytest.fixture(scope="module")
def cable() -> Iterator[str]:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("A network namespace takes root and Debian's package iproute2.")
    with machine() as name:
        yield name


@pytest.fixture(scope="module")
def worker(cable: str) -> Iterator[RunningWorker]:
    within = ("ip", "netns", "exec", cable)
    with running_worker_within(within, host=THERE, workers_plain="true") as up:
        yield up


async def test_runs_go_to_another_machine_over_a_network_that_stalls(worker: RunningWorker) -> None:
    """Runs take longer when the network fails for a short time, but none is lost or executed twice."""
    with Network(worker.url) as network, proxy(network.url) as up:
        async with fleet_engine(up.url) as engine:
            await good(engine)
            for number in range(10):
                asking = asyncio.create_task(good(engine))
                await asyncio.sleep(0.01 * number)
                await asyncio.to_thread(network.hold)
                await asyncio.sleep(PAUSE_SECONDS)
                await asyncio.to_thread(network.flow)
                assert (await asking).trace.ended == Finished()
    assert set(executed(worker).values()) == {1}


async def test_a_cable_is_pulled_in_the_midst_of_a_run(worker: RunningWorker, cable: str) -> None:
    """The web process notices within 3 s. The worker ends the run by itself, and gets runs again when the cable is connected."""
    with proxy(worker.url) as up:
        async with fleet_engine(up.url) as engine:
            for _ in range(5):
                running, _ = await begun(engine, LONG)
                await asyncio.to_thread(ip, "link", "set", cable, "down")
                began = time.monotonic()
                run = await asyncio.wait_for(running, PATIENCE)
                assert run.trace.ended == WorkerStopped() and run.trace.steps
                assert time.monotonic() - began < 3
                await until(lambda: worker.told("ended")[-1]["ended"] == "cancelled")
                await asyncio.to_thread(ip, "link", "set", cable, "up")
                assert (await good(engine)).trace.ended == Finished()
