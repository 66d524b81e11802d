"""Kill workers and the proxy during runs: recorded steps are kept, no run is executed twice, and the system recovers."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.engine import EngineUnavailable, Requester
from app.fleet import FleetEngine
from app.sandbox import Run
from app.trace.ends import Cancelled, Finished, WorkerStopped
from app.trace.records import Request
from tests.engine.listening import Listener
from tests.fleet.proxy import Proxy, free_port, proxy
from tests.fleet.running import PLACES, RunningWorker, fleet_engine, running_worker
from tests.sandbox.conftest import PATIENT
from tests.sandbox.processes import PATIENCE
from tests.sandbox.traced import Traced, traced
from tests.waiting import until

GOOD = Request(source="import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n", limits=PATIENT)
LONG = Request(source="import time\nx = 1\ntime.sleep(1000)\n", limits=PATIENT)
SHORT = Request(source="import time\nx = 1\ntime.sleep(0.1)\n", limits=PATIENT)
BRIEF = Request(source="import time\nx = 1\ntime.sleep(0.5)\n", limits=PATIENT)


def somebody(number: int) -> Requester:
    return Requester(visitor=f"visitor {number}", address="192.0.2.1")


@contextmanager
def a_worker_behind_a_proxy() -> Iterator[tuple[RunningWorker, Proxy]]:
    with running_worker() as worker, proxy(worker.url) as up:
        yield worker, up


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[RunningWorker, Proxy]]:
    with a_worker_behind_a_proxy() as up:
        yield up


async def good(engine: FleetEngine) -> Traced:
    """Repeat a run until it succeeds."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                run = await traced(engine.run(GOOD, somebody(99), Listener()))
            except EngineUnavailable:
                await asyncio.sleep(0.02)
                continue
            assert run.trace.ended == Finished() and run.trace.gradients
            return run


async def begun(engine: FleetEngine, request: Request) -> "tuple[asyncio.Task[Traced], Listener]":
    """Start a run, and wait until its first step is recorded."""
    await good(engine)
    listener = Listener()
    running = asyncio.create_task(traced(engine.run(request, somebody(0), listener)))
    await asyncio.wait_for(listener.has_step.wait(), PATIENCE)
    return running, listener


async def seconds_to_end(running: "asyncio.Task[Traced]") -> float:
    """Return how long it takes until a run ends as `worker_stopped` with its steps, in seconds."""
    began = time.monotonic()
    run = await asyncio.wait_for(running, PATIENCE)
    assert run.trace.ended == WorkerStopped() and run.trace.steps
    return time.monotonic() - began


def executed(worker: RunningWorker) -> Counter[str]:
    return Counter(line["run"] for line in worker.told("ended"))


@pytest.mark.parametrize("deaths", [10, pytest.param(100, marks=pytest.mark.long)])
async def test_the_proxy_is_killed_with_runs_on_their_way(both: tuple[RunningWorker, Proxy], deaths: int) -> None:
    worker, up = both
    async with fleet_engine(up.url) as engine:
        for _ in range(deaths):
            await good(engine)
            listeners = [Listener() for _ in range(2 * PLACES)]
            runs = [
                asyncio.create_task(traced(engine.run(BRIEF, somebody(number), each))) for number, each in enumerate(listeners)
            ]
            await asyncio.wait_for(listeners[0].has_step.wait(), PATIENCE)
            up.kill()
            up.start()
            ended = await asyncio.wait_for(asyncio.gather(*runs, return_exceptions=True), PATIENCE)
            assert all(isinstance(each, Run | EngineUnavailable) for each in ended), ended
        await good(engine)
    assert worker.process.poll() is None
    assert set(executed(worker).values()) == {1}


async def test_a_proxy_that_is_away_is_told(both: tuple[RunningWorker, Proxy]) -> None:
    _, up = both
    async with fleet_engine(up.url) as engine:
        await good(engine)
        up.kill()
        with pytest.raises(EngineUnavailable) as caught:
            await traced(engine.run(GOOD, somebody(0), Listener()))
        assert caught.value.kind == "workers_unreachable"
        up.start()
        await good(engine)


async def test_a_run_that_is_stopped_ends_in_its_worker(both: tuple[RunningWorker, Proxy]) -> None:
    """The run ends when its client disconnects. The test disconnects 20 clients, because HAProxy may notice some
    disconnections late.
    """
    worker, up = both
    async with fleet_engine(up.url) as engine:
        for number in range(20):
            running, listener = await begun(engine, LONG)
            if number % 2:
                listener.stop.set_result(None)
                run = await asyncio.wait_for(running, PATIENCE)
                assert run.trace.ended == Cancelled() and run.trace.steps
            else:
                running.cancel()
            ended = await until(lambda: [line for line in worker.told("ended") if line["run"] == listener.id])  # noqa: B023
            assert [line["ended"] for line in ended] == ["cancelled"]


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.long)])
async def test_a_worker_stands_still_in_the_midst_of_a_run(both: tuple[RunningWorker, Proxy], times: int) -> None:
    worker, up = both
    async with fleet_engine(up.url) as engine:
        for _ in range(times):
            running, _ = await begun(engine, LONG)
            worker.process.send_signal(signal.SIGSTOP)
            try:
                assert await seconds_to_end(running) < 3
            finally:
                worker.process.send_signal(signal.SIGCONT)
            await good(engine)


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.long)])
async def test_a_worker_that_is_told_to_stop_lets_its_runs_end(both: tuple[RunningWorker, Proxy], times: int) -> None:
    """The worker finishes runs that arrived before HAProxy noticed that it stops. Later runs go to another worker."""
    staying, _ = both
    port = free_port()
    with proxy(staying.url, f"http://127.0.0.1:{port}") as up:
        async with fleet_engine(up.url) as engine:
            for _ in range(times):
                with running_worker(port=str(port)) as going:
                    over = asyncio.Event()
                    asking = [asyncio.create_task(_runs(engine, number, over)) for number in range(2 * PLACES)]
                    await until(lambda: bool(going.told("ended")))
                    going.process.send_signal(signal.SIGTERM)
                    assert await asyncio.to_thread(going.process.wait, PATIENCE) == -signal.SIGTERM
                    over.set()
                    assert all(await asyncio.gather(*asking))


async def _runs(engine: FleetEngine, number: int, over: asyncio.Event) -> int:
    """Run one snippet after another, and assert that none is lost."""
    count = 0
    while not over.is_set():
        run = await traced(engine.run(SHORT, somebody(number), Listener()))
        assert run.trace.ended == Finished()
        count += 1
    return count


async def lose_a_worker(worker: RunningWorker, up: Proxy) -> None:
    async with fleet_engine(up.url) as engine:
        running, _ = await begun(engine, LONG)
        before = executed(worker)
        worker.kill()
        assert await seconds_to_end(running) < 0.5
        with pytest.raises(EngineUnavailable) as caught:
            async with asyncio.timeout(PATIENCE):
                while True:
                    await traced(engine.run(GOOD, somebody(1), Listener()))
        assert caught.value.kind == "no_worker"
        assert executed(worker) == before and set(before.values()) == {1}, "none has run twice"


@pytest.mark.long
async def test_20_workers_are_killed_each_in_the_midst_of_a_run() -> None:
    for _ in range(20):
        with a_worker_behind_a_proxy() as (worker, up):
            await lose_a_worker(worker, up)


async def test_a_worker_is_killed_in_the_midst_of_a_run(both: tuple[RunningWorker, Proxy]) -> None:
    """Pytest must run this test last, because it kills the worker."""
    await lose_a_worker(*both)
