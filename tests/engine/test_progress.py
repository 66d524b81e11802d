"""The engine reports the progress of a run from the headers of its chunks, without decoding them."""

import asyncio

from app.engine import Admission, Capacity, LocalEngine, Progress, Requester
from app.engine.progress import Counting
from app.sandbox import Sandbox
from app.trace.ends import Cancelled, Finished
from app.trace.heads import Head
from app.trace.records import Request
from tests.engine.listening import Listener
from tests.sandbox.conftest import PATIENT, PLAIN
from tests.sandbox.processes import PATIENCE
from tests.sandbox.traced import traced

REQUESTER = Requester(visitor="visitor", address="192.0.2.1")


def test_a_change_is_told_once() -> None:
    told: list[Progress] = []
    counting = Counting(told.append)
    for head in (Head(statements=1, line=7), Head(statements=1, line=7), Head(statements=1, operators=2, line=7)):
        counting.add(head)
    assert told == [Progress(line=7, statements=1), Progress(line=7, statements=1, operators=2)]


def engine(sandbox: Sandbox) -> LocalEngine:
    return LocalEngine(sandbox, Admission(Capacity(slots=1, queue_length=9, queue_seconds=PATIENCE, of_one_address=9)))


async def test_a_run_begins_with_nothing_done() -> None:
    async with Sandbox(PLAIN) as sandbox:
        listener = Listener()
        run = await traced(engine(sandbox).run(Request(source="step(); step()"), REQUESTER, listener))
        assert run.trace.ended == Finished()
        assert [progress.statements for progress in listener.told] == [0, 1, 2]
        assert listener.positions == []


async def test_a_run_that_is_stopped_gives_its_place_back() -> None:
    async with Sandbox(PLAIN) as sandbox:
        first, second, one_place = Listener(), Listener(), engine(sandbox)
        running = asyncio.create_task(
            traced(one_place.run(Request(source="step()\n__import__('signal').pause()", limits=PATIENT), REQUESTER, first))
        )
        waiting = asyncio.create_task(traced(one_place.run(Request(source="step()"), REQUESTER, second)))
        await asyncio.wait_for(first.has_step.wait(), PATIENCE)
        first.stop.set_result(None)
        assert (await running).trace.ended == Cancelled()
        assert (await waiting).trace.ended == Finished()
        assert second.positions == [1]
