"""Redis and workers die with runs on their way: what was recorded is kept, nothing runs twice, and all comes back by itself."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from app.engine import EngineUnavailable, Requester
from app.engine.errors import SENTENCES
from app.fleet import FleetEngine
from app.sandbox import Run
from app.trace.ends import Finished, WorkerStopped
from app.trace.records import Request
from tests.engine.listening import Listener
from tests.fleet.running import PLACES, RunningWorker, fleet_engine, running_worker
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.conftest import PATIENT
from tests.sandbox.processes import PATIENCE

GOOD = Request(source="import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n", limits=PATIENT)
LONG = Request(source="import time\nx = 1\ntime.sleep(1000)\n", limits=PATIENT)
BRIEF = Request(source="import time\nx = 1\ntime.sleep(0.5)\n", limits=PATIENT)
STEADY = Request(source="import time\nfor x in range(2000):\n    time.sleep(0.05)\n", limits=PATIENT)
"""It has words to send all the time."""


def somebody(number: int) -> Requester:
    return Requester(visitor=f"visitor {number}", address="192.0.2.1")


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    """One that keeps on its disk all that was written: its queues come back."""
    with redis_server(keeps=True) as up:
        yield up


@pytest.fixture(scope="module")
def worker(redis: RedisServer) -> Iterator[RunningWorker]:
    with running_worker(redis.url_of("worker-1")) as up:
        yield up


async def good(engine: FleetEngine) -> Run:
    """One good run, asked for until there is one."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                run = await engine.run(GOOD, somebody(99), Listener())
            except EngineUnavailable:
                await asyncio.sleep(0.05)
                continue
            assert run.trace.ended == Finished() and run.trace.gradients
            return run


async def seconds_of_one(engine: FleetEngine) -> float:
    began = time.monotonic()
    await good(engine)
    return time.monotonic() - began


@pytest.mark.parametrize("deaths", [1, pytest.param(20, marks=pytest.mark.long)])
async def test_redis_is_killed_with_runs_on_their_way(redis: RedisServer, worker: RunningWorker, deaths: int) -> None:
    """One good run within 3 s of its return (and what a run takes on this machine), the worker the same, no run executed twice."""
    claimed_before = len(worker.told("claimed"))
    async with fleet_engine(redis.url) as engine:
        await good(engine)
        for _ in range(deaths):
            usual = await seconds_of_one(engine)
            listeners = [Listener() for _ in range(2 * PLACES)]
            runs = [asyncio.create_task(engine.run(BRIEF, somebody(number), each)) for number, each in enumerate(listeners)]
            await asyncio.wait_for(listeners[0].has_step.wait(), PATIENCE)
            redis.kill()
            redis.start()
            back = time.monotonic()
            await good(engine)
            took = time.monotonic() - back
            assert took < 3 + 5 * usual, (took, usual)
            ended = await asyncio.wait_for(asyncio.gather(*runs, return_exceptions=True), PATIENCE)
            assert all(isinstance(each, Run | EngineUnavailable) for each in ended), ended
    assert worker.process.poll() is None
    times = Counter(line["run"] for line in worker.told("claimed"))
    assert set(times.values()) == {1}, times
    assert claimed_before < len(times)


async def test_a_full_redis_and_one_that_is_away_are_told(redis: RedisServer, worker: RunningWorker) -> None:
    async with fleet_engine(redis.url) as engine:
        await good(engine)
        listener = Listener()
        running = asyncio.create_task(engine.run(STEADY, somebody(1), listener))
        await asyncio.wait_for(listener.has_step.wait(), PATIENCE)
        assert redis.tell("CONFIG", "SET", "maxmemory", "1") == "+OK\r\n"
        async with asyncio.timeout(PATIENCE):
            while engine._workers.refusal != SENTENCES["queue_full"]:  # noqa: ASYNC110 - what /api/v1/health says
                await asyncio.sleep(0.02)
        with pytest.raises(EngineUnavailable) as caught:
            await asyncio.wait_for(running, PATIENCE)
        assert caught.value.kind == "queue_full", "its machine has not gone away"
        for _ in range(8):  # longer than a worker lives that says nothing
            with pytest.raises(EngineUnavailable) as caught:
                await engine.run(GOOD, somebody(0), Listener())
            assert caught.value.kind == "queue_full"
            await asyncio.sleep(0.5)
        assert redis.tell("CONFIG", "SET", "maxmemory", "0") == "+OK\r\n"
        await good(engine)
        redis.kill()
        with pytest.raises(EngineUnavailable) as caught:
            await engine.run(GOOD, somebody(0), Listener())
        assert caught.value.kind == "queue_unavailable"
        redis.start()
        await good(engine)


async def test_a_worker_that_is_told_to_stop_lets_its_run_end() -> None:
    with redis_server() as redis, running_worker(redis.url_of("worker-1")) as worker:
        async with fleet_engine(redis.url) as engine:
            await good(engine)
            listener = Listener()
            running = asyncio.create_task(engine.run(BRIEF, somebody(0), listener))
            await asyncio.wait_for(listener.has_step.wait(), PATIENCE)
            worker.process.send_signal(signal.SIGTERM)
            assert (await asyncio.wait_for(running, PATIENCE)).trace.ended == Finished()
            assert await asyncio.to_thread(worker.process.wait, PATIENCE) == 0
            with pytest.raises(EngineUnavailable, match="No worker"):
                async with asyncio.timeout(PATIENCE):
                    while True:
                        await engine.run(GOOD, somebody(1), Listener())


async def lose_a_worker(engine: FleetEngine, worker: RunningWorker) -> None:
    """A run whose worker is killed ends within 3 s with its steps, nobody runs it again, and then there is no worker."""
    await good(engine)
    listener = Listener()
    running = asyncio.create_task(engine.run(LONG, somebody(0), listener))
    await asyncio.wait_for(listener.has_step.wait(), PATIENCE)
    claimed = len(worker.told("claimed"))
    worker.kill()
    killed = time.monotonic()
    run = await asyncio.wait_for(running, PATIENCE)
    took = time.monotonic() - killed
    assert run.trace.ended == WorkerStopped() and run.trace.steps and took < 3, took
    with pytest.raises(EngineUnavailable) as caught:
        async with asyncio.timeout(PATIENCE):
            while True:
                await engine.run(GOOD, somebody(1), Listener())
    assert caught.value.kind == "no_worker"
    assert len(worker.told("claimed")) == claimed, "it is not run again"


@pytest.mark.long
async def test_20_workers_are_killed_each_in_the_midst_of_a_run() -> None:
    with redis_server() as redis:
        async with fleet_engine(redis.url) as engine:
            for _ in range(20):
                with running_worker(redis.url_of("worker-1")) as worker:
                    await lose_a_worker(engine, worker)


async def test_a_worker_is_killed_in_the_midst_of_a_run(redis: RedisServer, worker: RunningWorker) -> None:
    """The last of these tests: it takes the worker with it."""
    async with fleet_engine(redis.url) as engine:
        await lose_a_worker(engine, worker)
