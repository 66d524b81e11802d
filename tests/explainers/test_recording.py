"""A separate process joins the chunks of a run. If the process crashes, the server determines how the run ended."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from app.explain import explain
from app.explainers import Explainers, NotExplained, protocol
from app.explainers.explanation import Account
from app.explainers.tasks import Forged, Recording
from app.sandbox import Cost, Run
from app.sandbox.decoded_run import recorded
from app.store import Store
from app.trace.chunks import Chunk
from app.trace.codec import decode_trace, encode_chunk, encode_trace
from app.trace.ends import Crashed, Ended, Finished, Interfered, Stopped, TimedOut, TraceTooLarge
from app.trace.heads import Head
from app.trace.records import Limits, Step, StepId, Tick
from app.trace.stored import MAX_TRACE_BYTES, Outline
from app.web.runs.explanations import Explanations
from tests.sandbox.processes import PATIENCE
from tests.trace.header import HEADER
from tests.waiting import until

pytestmark = pytest.mark.asyncio

LATE = TimedOut(clock="wall", seconds=1.0)
ALARM = Crashed(signal=31, name="SIGSYS")
LIMITS = Limits()


@pytest_asyncio.fixture
async def explainers() -> AsyncIterator[Explainers]:
    made = Explainers(2, wall_seconds=PATIENCE)
    async with made.working():
        yield made


def run_of(*chunks: Chunk | bytes, ended: Ended | None = None, output: bytes = b"", lie: int = 0) -> Run:
    """Return a run with these chunks. The header of the last chunk counts `lie` statements too many."""
    head, payloads = Head(), b""
    for number, chunk in enumerate(chunks):
        content = chunk if isinstance(chunk, bytes) else encode_chunk(chunk)
        head = head if isinstance(chunk, bytes) else head.after(chunk)
        if lie and number == len(chunks) - 1:
            head = head._replace(statements=head.statements + lie)
        payloads += head.payload(content)
    outline = Outline(source="x = 1\n", header=HEADER, ended=ended)
    cost = Cost(wall_seconds=0.1, cpu_seconds=0.1, peak_memory_bytes=1)
    return Run(outline=outline, reported=head.end, payloads=payloads, output=output, cost=cost)


def steps(first: int, count: int = 1) -> Chunk:
    numbers = range(first, first + count)
    made = [Step(id=StepId(each), kind="statement", began=Tick(2 * each), ended=Tick(2 * each + 1)) for each in numbers]
    return Chunk(steps=made)


FIRST, LAST = Chunk(header=HEADER), Chunk(ended=Finished())
GOOD = run_of(FIRST, steps(0), steps(1), LAST, output=b"native")


async def test_it_is_what_is_decoded_here(explainers: Explainers) -> None:
    made = await explainers.record(GOOD, "a")
    trace = recorded(GOOD.outline, GOOD.output, GOOD.payloads)
    assert made.trace == encode_trace(trace) and decode_trace(made.trace) == trace
    assert (made.ended, made.steps, trace.outputs[0].text) == (Finished(), 2, "native")
    here = explain(trace)
    assert (made.explanation.findings, made.explanation.end_arguments) == (here.findings, here.end_arguments)
    assert not made.explanation.was_cut and made.explanation.trace_bytes == len(made.trace)
    alone = await explainers.record(GOOD, "a", explains=False)
    assert alone.trace == made.trace and alone.explanation.was_cut


async def test_what_is_explained_already_is_not_explained_again(explainers: Explainers) -> None:
    made = await explainers.record(GOOD, "a")
    explained = ["0" * 64, sha256(made.trace).hexdigest()]
    again = await explainers.record(GOOD, "a", explained=explained)
    assert again.trace == made.trace and again.ended == made.ended and again.explanation.was_cut
    other = await explainers.record(GOOD, "a", explained=explained[:1])
    assert other == made


@pytest.mark.parametrize("run", [run_of(FIRST, *map(steps, range(1000)), LAST), run_of(FIRST, steps(0, 6000), LAST)])
async def test_a_thousand_chunks_and_a_large_one(explainers: Explainers, run: Run) -> None:
    made = await explainers.record(run, "a")
    assert made.ended == Finished() and made.steps in (1000, 6000)


FORGERIES = {
    "a head counts too much": run_of(FIRST, steps(0), steps(1), lie=1, ended=LATE),
    "no JSON": run_of(FIRST, steps(0), b"{", ended=LATE),
    "another header": run_of(FIRST, steps(0), FIRST, ended=LATE),
    "a step twice": run_of(FIRST, steps(0), steps(0), ended=LATE),
    "a limit that it did not reach": run_of(FIRST, steps(0), Chunk(ended=Stopped(limit="steps", reached=1))),
}


@pytest.mark.parametrize("run", FORGERIES.values(), ids=FORGERIES.keys())
async def test_a_forgery_ends_the_recording_before_it(explainers: Explainers, run: Run) -> None:
    made = await explainers.record(run, "a")
    assert isinstance(made.ended, Interfered) and made.steps == 1
    assert decode_trace(made.trace).ended == made.ended


async def test_nothing_hides_a_forbidden_system_call(explainers: Explainers) -> None:
    made = await explainers.record(run_of(FIRST, steps(0), b"{", ended=ALARM), "a")
    assert (made.ended, made.steps) == (ALARM, 1)


async def test_the_end_that_the_server_decided_counts(explainers: Explainers) -> None:
    assert (await explainers.record(run_of(FIRST, steps(0), LAST, ended=LATE), "a")).ended == LATE


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("ended", [None, LATE, ALARM])
async def test_a_run_has_an_end_if_its_explainer_dies_or_stands_still(ended: Ended | None, sent: signal.Signals) -> None:
    explainers = Explainers(2, wall_seconds=2)
    async with explainers.working():
        pids = explainers.pids
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        asked = asyncio.ensure_future(explainers.record(run_of(FIRST, steps(0), LAST, ended=ended), "a"))
        await until(lambda: bool(explainers._tasks) and not explainers.waiting)
        for pid in pids:
            os.kill(pid, sent)
        made = await asked
        assert made.steps == 0 and decode_trace(made.trace).ended == made.ended
        assert made.ended == ALARM if ended == ALARM else isinstance(made.ended, Interfered)
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        async with asyncio.timeout(PATIENCE):
            # A process that has just been started may need more than two seconds.
            while (await explainers.record(GOOD, "a")).ended != Finished():
                pass


def task(run: Run = GOOD) -> Recording:
    return Recording((protocol.RECORD, "x"), run, "a", explains=True, explained=())


def account(ended: Ended) -> tuple[int, bytes]:
    return protocol.RECORDED, msgspec.json.encode(Account(ended=ended, steps=1))


async def test_an_explainer_that_dies_after_the_recording_loses_no_recording() -> None:
    taking = task()
    taking.take(protocol.SOME, b',"steps":[]')
    taking.take(*account(Finished()))
    taking.take(protocol.PART, b"{}")
    taking.cut()
    made = taking.result.result()
    assert made.ended == Finished() and b'"steps":[],"ended":{"kind":"finished"}}' in made.trace
    assert made.explanation.was_cut and made.explanation.unfinished


BELIEVED: list[tuple[Run, Ended]] = [
    (GOOD, Finished()),
    (GOOD, Interfered(reason="x")),
    (GOOD, TraceTooLarge(limit_bytes=LIMITS.trace_bytes)),
    (run_of(FIRST, ended=LATE), LATE),
    (run_of(FIRST, ended=LATE), Interfered(reason="x")),
    (run_of(FIRST, ended=ALARM), ALARM),
]
NOT_BELIEVED: list[tuple[Run, Ended]] = [
    (GOOD, ALARM),
    (GOOD, LATE),
    (GOOD, TraceTooLarge(limit_bytes=1)),
    (run_of(FIRST, LAST, ended=LATE), Finished()),
    (run_of(FIRST, ended=LATE), TimedOut(clock="wall", seconds=2.0)),
    (run_of(FIRST, ended=ALARM), TraceTooLarge(limit_bytes=LIMITS.trace_bytes)),
]


@pytest.mark.parametrize(("run", "ended"), BELIEVED)
async def test_the_end_of_an_explainer_is_one_that_the_server_allows(run: Run, ended: Ended) -> None:
    taking = task(run)
    taking.take(*account(ended))
    taking.cut()
    assert taking.result.result().ended == ended


@pytest.mark.parametrize(
    ("run", "frames"),
    [
        *((run, [account(ended)]) for run, ended in NOT_BELIEVED),
        (GOOD, [(protocol.RECORDED, b"{}")]),
        (GOOD, [(protocol.RECORDED, b"[" * 100_000)]),
        (GOOD, [(protocol.PART, b"{}")]),
        (GOOD, [(protocol.UNREADABLE, b"x")]),
        (GOOD, [(77, b"")]),
        (GOOD, [account(Finished()), (protocol.SOME, b"x")]),
        (GOOD, [account(Finished()), account(Finished())]),
        (GOOD, [(protocol.SOME, bytes(8 << 20))] * (MAX_TRACE_BYTES // (8 << 20) + 1)),
    ],
)
async def test_an_answer_that_no_explainer_gives(run: Run, frames: list[tuple[int, bytes]]) -> None:
    taking = task(run)
    with pytest.raises(Forged):
        for frame in frames:
            taking.take(*frame)
    taking.cut()
    assert taking.result.done()


async def test_there_is_an_end_to_what_waits() -> None:
    queue = Explainers(2, most_waiting_bytes=100)
    first = asyncio.ensure_future(queue.record(GOOD, "a"))
    await asyncio.sleep(0)
    with pytest.raises(NotExplained):
        await queue.record(GOOD, "b")
    (waiting,) = queue._waiting
    queue._overdue(waiting)
    assert queue._waiting == [waiting] and waiting.kind == protocol.RECORD, "it loses its explanation alone"
    first.cancel()


async def test_a_server_explains_each_recording_once(explainers: Explainers, tmp_path: Path) -> None:
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'store.sqlite'}", 1 << 20)
    explanations = Explanations(explainers, store)
    first, made = await explanations.record(GOOD, "request", "a")
    again, cached = await explanations.record(GOOD, "request", "a")
    assert (again, cached) == (first, made) and not made.explanation.was_cut
    other = run_of(FIRST, steps(0), LAST)
    assert not (await explanations.record(other, "request", "a"))[1].explanation.was_cut
    # The server has no recording for the other request, so the run is explained now. The cached explanation remains.
    assert (await explanations.record(GOOD, "another", "a"))[1] == made
    await store.close()
