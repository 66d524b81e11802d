"""Properties of both engines, the local one and one with HAProxy and a remote worker. Both engines use the real tracer."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import msgspec
import pytest
import pytest_asyncio

from app.engine import Admission, Capacity, LocalEngine, Refused, Requester, Withdrawn
from app.fleet import FleetEngine
from app.sandbox import Run, Sandbox, SandboxSettings
from app.trace.check import check
from app.trace.ends import Cancelled, Crashed, Finished, OutputTooLarge, Raised, TimedOut
from app.trace.records import Limits, Request
from tests.engine.listening import Listener
from tests.fleet.proxy import proxy
from tests.fleet.running import fleet_engine, running_worker
from tests.sandbox.conftest import PATIENT
from tests.sandbox.processes import PATIENCE
from tests.sandbox.traced import traced
from tests.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

Both = LocalEngine | FleetEngine

PLACES = 2
ENDLESS = "import time\nx = 1\ntime.sleep(1000)\n"
LESSON = "import torch\nx = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\nprint(x.grad)\n"


@contextmanager
def fleet() -> Iterator[str]:
    with running_worker(runs_in_flight=str(PLACES)) as worker, proxy(worker.url) as up:
        yield up.url


@asynccontextmanager
async def local() -> AsyncIterator[LocalEngine]:
    capacity = Capacity(slots=PLACES, queue_length=99, queue_seconds=PATIENCE, of_one_address=99)
    async with Sandbox(SandboxSettings()) as sandbox:
        yield LocalEngine(sandbox, Admission(capacity))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engines() -> AsyncIterator[dict[str, Both]]:
    """Yield one engine of each kind for all tests. Each test also verifies that earlier tests have released their slots."""
    with fleet() as url:
        async with local() as here, fleet_engine(url) as there:
            yield {"local": here, "fleet": there}


@pytest.fixture(params=["local", "fleet"])
def engine(request: pytest.FixtureRequest, engines: dict[str, Both]) -> Both:
    return engines[request.param]


def somebody(number: int = 0) -> Requester:
    return Requester(visitor=f"visitor {number}", address="192.0.2.1")


def asked(source: str, **limits: int) -> Request:
    return Request(source=source, limits=msgspec.structs.replace(PATIENT, **limits))


async def test_a_run_comes_to_its_end_and_tells_how_far_it_is(engine: Both) -> None:
    listener = Listener()
    run = await traced(engine.run(asked(LESSON), somebody(), listener))
    assert run.trace.ended == Finished()
    check(run.trace)
    assert [output.text for output in run.trace.outputs] == ["tensor([2., 2.])\n"]
    assert (listener.told[0].statements, listener.told[-1].statements) == (0, 5)
    assert run.cost.wall_seconds > 0 and run.cost.peak_memory_bytes > 0 and run.payloads


async def test_both_record_the_same(engines: dict[str, Both]) -> None:
    traces = [(await traced(engine.run(asked(LESSON), somebody(), Listener()))).trace for engine in engines.values()]
    assert traces[0].header == traces[1].header
    assert [step.name for step in traces[0].steps] == [step.name for step in traces[1].steps]
    assert traces[0].nodes == traces[1].nodes


@pytest.mark.parametrize(
    ("source", "limits", "end"),
    [
        ("x = 1\n1 / 0\n", {}, Raised),
        ("import os\nx = 1\nos.kill(os.getpid(), 11)\nimport ctypes\nctypes.string_at(0)\n", {}, Crashed),
        ("x = 1\nwhile True: print('much')\n", {"output_bytes": 1000}, OutputTooLarge),
        ("import os\nx = 1\nwhile True: os.write(1, b'much')\n", {"output_bytes": 1000}, OutputTooLarge),
    ],
)
async def test_every_end_is_a_value(engine: Both, source: str, limits: dict[str, int], end: type) -> None:
    run = await traced(engine.run(asked(source, **limits), somebody(), Listener()))
    assert isinstance(run.trace.ended, end), run.trace.ended
    assert run.trace.steps, "all until then is kept"


async def test_what_goes_around_the_tracer_is_kept(engine: Both) -> None:
    run = await traced(engine.run(asked("import os\nos.write(1, b'native')\n"), somebody(), Listener()))
    assert [output.text for output in run.trace.outputs] == ["native"]


async def test_the_clock_ends_a_run(engine: Both) -> None:
    request = Request(source=ENDLESS, limits=Limits(wall_seconds=0.5))
    run = await traced(engine.run(request, somebody(), Listener()))
    assert run.trace.ended == TimedOut(clock="wall", seconds=0.5)


async def test_a_run_is_stopped_with_all_that_was_recorded(engine: Both) -> None:
    listener = Listener()
    running = asyncio.create_task(traced(engine.run(asked(ENDLESS), somebody(), listener)))
    await asyncio.wait_for(listener.has_step.wait(), PATIENCE)
    listener.stop.set_result(None)
    run = await asyncio.wait_for(running, PATIENCE)
    assert run.trace.ended == Cancelled() and run.trace.steps


async def test_places_and_positions(engine: Both) -> None:
    """When all slots are in use, the next run waits, receives its position in the queue, and can be cancelled."""
    held = [Listener() for _ in range(PLACES)]
    running = [
        asyncio.create_task(traced(engine.run(asked(ENDLESS), somebody(number), each))) for number, each in enumerate(held)
    ]
    await asyncio.wait_for(asyncio.gather(*(each.has_step.wait() for each in held)), PATIENCE)
    waiter = Listener()
    waiting = asyncio.create_task(traced(engine.run(asked("x = 1\n"), somebody(9), waiter)))
    await asyncio.wait_for(waiter.waits.wait(), PATIENCE)
    assert waiter.positions == [1] and waiter.told == []
    waiter.stop.set_result(None)
    with pytest.raises(Withdrawn):
        await waiting
    for each in running:
        each.cancel()
    await asyncio.wait(running)
    after = [traced(engine.run(asked("x = 1\n"), somebody(number), Listener())) for number in range(PLACES)]
    ended = await asyncio.wait_for(asyncio.gather(*after), PATIENCE)
    assert [run.trace.ended for run in ended] == [Finished()] * PLACES
    assert (engine.admission.running, engine.admission.waiting) == (0, 0)


async def test_of_one_visitor_one_goes_and_one_waits(engine: Both) -> None:
    listener = Listener()
    first = asyncio.create_task(traced(engine.run(asked(ENDLESS), somebody(), listener)))
    await asyncio.wait_for(listener.has_step.wait(), PATIENCE)
    waiter = Listener()
    second = asyncio.create_task(traced(engine.run(asked("x = 1\n"), somebody(), waiter)))
    await asyncio.wait_for(waiter.waits.wait(), PATIENCE)
    with pytest.raises(Refused, match="an active run and a queued run"):
        await traced(engine.run(asked("x = 1\n"), somebody(), Listener()))
    listener.stop.set_result(None)
    assert (await first).trace.ended == Cancelled()
    assert (await second).trace.ended == Finished()


async def test_what_runs_in_the_background_gives_way(engine: Both) -> None:
    background = asyncio.create_task(engine.run_in_background(asked(ENDLESS), somebody(7), gives_way=True))
    await until(lambda: engine.admission.running)
    runs = [traced(engine.run(asked("x = 1\n"), somebody(number), Listener())) for number in range(PLACES + 1)]
    ended = await asyncio.wait_for(asyncio.gather(*runs), PATIENCE)
    assert all(run.trace.ended == Finished() for run in ended)
    (gave_way,) = await asyncio.wait_for(asyncio.gather(background, return_exceptions=True), PATIENCE)
    if isinstance(engine, FleetEngine) and isinstance(gave_way, Refused):
        return  # the worker had not started the background run
    assert isinstance(gave_way, Run) and gave_way.ended == Cancelled()
