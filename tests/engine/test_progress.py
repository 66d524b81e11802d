"""Progress of a run: counted from its chunks, by the engine with a real sandbox."""

import asyncio

from app.engine import Admission, Capacity, LocalEngine, Progress, Requester
from app.engine.progress import Counting
from app.sandbox import Sandbox
from app.trace.chunks import Chunk
from app.trace.ends import Cancelled, Finished
from app.trace.records import Request, Span, Step, StepId, Tick
from tests.engine.listening import Listener
from tests.sandbox.conftest import PATIENT, PLAIN
from tests.sandbox.processes import PATIENCE

REQUESTER = Requester(visitor="visitor", address="192.0.2.1")


def test_statements_and_operators_are_counted() -> None:
    told: list[Progress] = []
    counting = Counting(told.append)
    span = Span(line=7, column=0, end_line=7, end_column=1)
    counting.add(Chunk(steps=[Step(id=StepId(0), kind="statement", began=Tick(0), span=span)]))
    counting.add(Chunk())
    counting.add(
        Chunk(
            steps=[
                Step(id=StepId(1), kind="operator", began=Tick(1), name="aten::add"),
                Step(id=StepId(2), kind="call", began=Tick(2), name="f"),
                Step(id=StepId(3), kind="operator", began=Tick(3), name="aten::mul"),
            ]
        )
    )
    assert told == [Progress(line=7, statements=1), Progress(line=7, statements=1, operators=2)]


def engine(sandbox: Sandbox) -> LocalEngine:
    return LocalEngine(sandbox, Admission(Capacity(places=1, queue_length=9, queue_seconds=PATIENCE, of_one_address=9)))


async def test_a_run_begins_with_nothing_done() -> None:
    async with Sandbox(PLAIN) as sandbox:
        listener = Listener()
        run = await engine(sandbox).run(Request(source="step(); step()"), REQUESTER, listener)
        assert run.trace.ended == Finished()
        assert [progress.statements for progress in listener.told] == [0, 1, 2]
        assert listener.positions == []


async def test_a_run_that_is_stopped_gives_its_place_back() -> None:
    async with Sandbox(PLAIN) as sandbox:
        first, second, one_place = Listener(), Listener(), engine(sandbox)
        running = asyncio.create_task(
            one_place.run(Request(source="step()\n__import__('signal').pause()", limits=PATIENT), REQUESTER, first)
        )
        waiting = asyncio.create_task(one_place.run(Request(source="step()"), REQUESTER, second))
        await asyncio.wait_for(first.has_step.wait(), PATIENCE)
        first.stop.set_result(None)
        assert (await running).trace.ended == Cancelled()
        assert (await waiting).trace.ended == Finished()
        assert second.positions == [1]
