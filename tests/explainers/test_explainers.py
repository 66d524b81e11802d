"""Processes that explain recordings: if one crashes or hangs, all clients get a response, and a new process replaces it."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from app.explain import explain
from app.explain.findings import FINDERS
from app.explainers import Explainers, Explanation, NotExplained, Unreadable, protocol
from app.explainers.process import ExplainerDied, Process
from app.explainers.seal import NICENESS
from app.explainers.tasks import Explaining, Forged, Packing, Transcribing
from app.lessons import lessons
from app.report.transcript import transcript
from app.sandbox.inside.protocol import HEADER, MAGIC, frame
from app.trace.codec import decode_trace, encode_trace
from app.trace.pieces import pieces
from app.trace.records import Output, OutputId, StepId, Tick
from app.words import LANGUAGES
from tests.explain.recorded import record
from tests.sandbox.processes import PATIENCE
from tests.trace.generated import example

pytestmark = pytest.mark.asyncio

SMALL = encode_trace(example())


def large(steps: int = 30_000) -> bytes:
    """Return a recording that takes long to explain."""
    known = example().steps[-1]
    more = [
        msgspec.structs.replace(known, id=StepId(known.id + number), began=Tick(2 * number + 9), ended=Tick(2 * number + 10))
        for number in range(1, steps)
    ]
    closed = msgspec.structs.replace(known, ended=Tick(10))
    return encode_trace(msgspec.structs.replace(example(), steps=[*example().steps[:-1], closed, *more]))


@pytest_asyncio.fixture
async def explainers() -> AsyncIterator[Explainers]:
    made = Explainers(2, wall_seconds=PATIENCE)
    async with made.working():
        yield made


async def begun(explainers: Explainers, key: str, asked: asyncio.Future[Explanation]) -> None:
    """Wait for the first part of the response about this recording."""
    while not asked.done():
        task = explainers._tasks.get((protocol.EXPLAIN, key))
        if isinstance(task, Explaining) and task._parts:
            return
        await asyncio.sleep(0.001)


async def test_it_says_what_is_said_here(explainers: Explainers) -> None:
    explanation = await explainers.explain("small", SMALL, "a")
    here = explain(decode_trace(SMALL))
    assert (explanation.findings, explanation.unfinished) == (here.findings, here.unfinished)
    assert (explanation.end_arguments, explanation.was_cut) == (here.end_arguments, False)
    packed = await explainers.pack("small", SMALL, "a")
    assert zlib.decompress(packed, 31) == b"".join(piece + b"\n" for piece in pieces(SMALL))


async def test_python_parses_every_snippet_there_as_here(explainers: Explainers) -> None:
    r"""Python's parser imports modules for identifiers in other scripts, for `\N{…}` escapes, and for invalid escapes."""
    begin = "# coding: latin-1\nDataLoader(x, num_workers=2)\n"
    strange = begin + "π = ﬁ = torch = '\\N{DEGREE SIGN} \\d'\nprint(f'{π!r:>{3}}', 0xfor x in y)\n"
    trace = encode_trace(msgspec.structs.replace(example(), source=strange))
    explanation = await explainers.explain("strange", trace, "a")
    assert (explanation.unfinished, explanation.was_cut) == (0, False)


async def test_the_next_task_meets_none_that_ends_because_it_has_grown(explainers: Explainers) -> None:
    """In memory, these strings take four times as many bytes as in the recording."""
    texts = [
        Output(id=OutputId(number), tick=Tick(9), stream="stdout", text="x" * 65_000 + "\U0001f600") for number in range(900)
    ]
    content = encode_trace(msgspec.structs.replace(example(), outputs=texts))
    for number in range(3):
        before = explainers.pids
        assert not (await explainers.explain(f"grown {number}", content, "a")).was_cut
        await explainers.pack(f"grown {number}", content, "a")
        assert explainers.pids != before


async def test_one_stays_that_a_large_server_started() -> None:
    server = b"x" * (256 << 20)
    explainers = Explainers(2, wall_seconds=PATIENCE)
    async with explainers.working():
        before = explainers.pids
        for number in range(3):
            explanation = await explainers.explain(f"{number}", SMALL, "a")
            await explainers.transcribe(f"{number}", SMALL, explanation, "en", "a")
        assert explainers.pids == before
    assert len(server) > before[0], "it was there all the while"


async def test_it_tells_what_is_told_here(explainers: Explainers) -> None:
    explanation = await explainers.explain("told", SMALL, "a")
    for language in LANGUAGES:
        here = list(transcript(explain(decode_trace(SMALL)), language))
        assert (await explainers.transcribe("told", SMALL, explanation, language, "a")).split("\n") == here
    for lesson in lessons():
        (trace,) = record([lesson.snippet.source])
        recording = encode_trace(trace)
        explanation = await explainers.explain(lesson.slug, recording, "a")
        for language in LANGUAGES:
            told = await explainers.transcribe(lesson.slug, recording, explanation, language, "a")
            assert told.split("\n") == list(transcript(explain(trace), language)), lesson.slug
    with pytest.raises(Unreadable):
        await explainers.transcribe("unreadable", b"nonsense", explanation, "en", "a")


async def test_a_text_is_no_longer_than_any_has() -> None:
    transcribing = Transcribing((protocol.TRANSCRIBE, "a"), [SMALL], "a")
    with pytest.raises(Forged, match="the text is too large"):
        while True:
            transcribing.take(protocol.SOME, b" " * protocol.SOME_BYTES)
    forged = Transcribing((protocol.TRANSCRIBE, "b"), [SMALL], "a")
    forged.take(protocol.SOME, b"\xff")
    with pytest.raises(Forged, match="not valid UTF-8"):
        forged.take(protocol.DONE, b"")


async def test_what_no_longer_reads_is_told(explainers: Explainers) -> None:
    with pytest.raises(Unreadable, match="surprise"):
        await explainers.explain("unreadable", SMALL[:-1] + b',"surprise":1}', "a")
    with pytest.raises(Unreadable):
        await explainers.pack("unreadable", b"nonsense", "a")


async def test_it_holds_no_rights(explainers: Explainers) -> None:
    for pid in explainers.pids:
        process = Path("/proc", str(pid))
        text = await asyncio.to_thread((process / "status").read_text)
        status = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
        # libffi 3.5, which ctypes uses, keeps its own file open. /proc shows the process only its own memory.
        open_files = {fd.name: fd.readlink() for fd in (process / "fd").iterdir()}
        others = {fd for fd, file in open_files.items() if not file.name.startswith("libffi.so") and file != process / "status"}
        assert others == {"0", "1", "2"}
        assert await asyncio.to_thread((process / "environ").read_bytes) == b"LANG=C.UTF-8\0"
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)


async def test_one_that_is_killed_leaves_what_it_had_sent(explainers: Explainers) -> None:
    recording = large()
    for number in range(10):
        key = f"killed {number}"
        asked = asyncio.ensure_future(explainers.explain(key, recording, "a"))
        await begun(explainers, key, asked)
        os.kill(explainers.pids[1], signal.SIGKILL)
        explanation = await asked
        if explanation.was_cut:  # the process must not have sent its whole response yet
            break
    assert explanation.was_cut and 0 < explanation.unfinished < len(FINDERS)
    again = await explainers.explain(key, recording, "a")
    assert not again.was_cut and again.unfinished < explanation.unfinished


async def test_one_that_stands_still_is_ended() -> None:
    for seconds in (2, 16, 128):
        explainers = Explainers(2, wall_seconds=seconds)
        async with explainers.working():
            asked = asyncio.ensure_future(explainers.explain("still", large(), "a"))
            await begun(explainers, "still", asked)
            stopped = explainers.pids[1]
            os.kill(stopped, signal.SIGSTOP)
            await explainers.explain("small", SMALL, "b")
            are_served = not asked.done()
            assert (await asked).was_cut
            await explainers.explain("next", large(5000), "a")
            assert stopped not in explainers.pids
        if are_served:  # otherwise the stopped process reached its timeout on a slow machine
            break
    assert are_served, "others are served meanwhile"


async def test_one_without_memory_is_replaced(explainers: Explainers) -> None:
    pid = explainers.pids[1]
    resource.prlimit(pid, resource.RLIMIT_AS, (64 << 20, 64 << 20))
    recording = large(200_000)
    assert (await explainers.explain("memory", recording, "a")).was_cut
    assert len(await explainers.pack("memory", recording, "a")) > 0
    assert pid not in explainers.pids


async def test_equal_tasks_that_come_together_are_done_once(explainers: Explainers) -> None:
    recording = large()
    asked = [asyncio.ensure_future(explainers.explain("equal", recording, name)) for name in "abc"]
    await begun(explainers, "equal", asked[0])
    assert len(explainers._tasks) == 1
    asked[0].cancel()
    one, other = await asyncio.gather(*asked[1:])
    assert one is other and not one.was_cut, "who goes on waiting is not cut short"


async def test_whoever_hangs_up_frees_the_explainer(explainers: Explainers) -> None:
    asked = asyncio.ensure_future(explainers.explain("gone", large(), "a"))
    await begun(explainers, "gone", asked)
    pid = explainers.pids[1]
    os.kill(pid, signal.SIGSTOP)
    asked.cancel()
    assert not (await explainers.explain("next", large(5000), "b")).was_cut
    assert pid not in explainers.pids


async def test_large_tasks_take_turns_and_small_ones_go_first() -> None:
    queue = Explainers(2)
    asked = [asyncio.ensure_future(queue.explain(f"{name}", large(5000), name[0])) for name in ("a1", "a2", "a3", "b1")]
    asked.append(asyncio.ensure_future(queue.explain("c1", SMALL, "c")))
    await asyncio.sleep(0)
    assert [task.key[1] for task in (queue._next(0), queue._next(1)) if task] == ["c1", "a1"]
    order = [queue._next(1), queue._next(1), queue._next(1), queue._next(1), queue._next(0)]
    assert [task and task.key[1] for task in order] == ["b1", "a2", "a3", None, None]
    for each in asked:
        each.cancel()
    await asyncio.gather(*asked, return_exceptions=True)


async def test_a_long_snippet_is_large() -> None:
    """A long source text also makes a recording large, because it is parsed and searched many times."""
    trace = msgspec.structs.replace(example(), source="x\n" * 40_000)
    assert Explaining((protocol.EXPLAIN, "x"), [encode_trace(trace)], "a").is_large


async def test_there_is_an_end_to_what_waits() -> None:
    queue = Explainers(2, most_waiting_bytes=1000)
    first = asyncio.ensure_future(queue.explain("first", SMALL, "a"))
    await asyncio.sleep(0)
    assert (await queue.explain("second", SMALL, "b")).was_cut
    with pytest.raises(NotExplained):
        await queue.pack("third", SMALL, "b")
    first.cancel()


FORGED = {
    "no part": (protocol.PART, b'{"findings":[{"kind":7}]}'),
    "nested": (protocol.PART, b"[" * 100_000),
    "other": (protocol.SOME, b"x"),
    "unknown": (77, b""),
}


@pytest.mark.parametrize(("kind", "payload"), FORGED.values(), ids=FORGED.keys())
async def test_a_forged_frame_is_no_answer(kind: int, payload: bytes) -> None:
    task = Explaining((protocol.EXPLAIN, "x"), [SMALL], "a")
    with pytest.raises(Forged):
        task.take(kind, payload)
    task.cut()
    assert task.result.result().was_cut


async def test_an_answer_has_an_end() -> None:
    task = Packing((protocol.PACK, "x"), [SMALL], "a")
    with pytest.raises(Forged):
        for _ in range(17):
            task.take(protocol.SOME, bytes(8 << 20))
    unending = Explaining((protocol.EXPLAIN, "x"), [SMALL], "a")
    with pytest.raises(Forged):
        for _ in range(1000):
            unending.take(protocol.PART, b"{}")


@pytest.mark.parametrize(
    "said",
    [HEADER.pack(MAGIC, protocol.SOME, 0xFFFFFFFF), frame(9, b""), frame(protocol.READY, b"") * 2],
)
async def test_whoever_says_anything_else_is_hung_up_on(said: bytes) -> None:
    gone = asyncio.Event()
    theirs, to = os.pipe()
    of, theirs_out = os.pipe()
    program = [sys.executable, "-c", f"import os, sys; os.write(1, {said!r}); sys.stdin.read()"]
    process = Process(subprocess.Popen(program, stdin=theirs, stdout=theirs_out), to, of, gone.set)  # noqa: ASYNC220
    os.close(theirs)
    os.close(theirs_out)
    await gone.wait()
    with pytest.raises(ExplainerDied):
        await process.work(protocol.EXPLAIN, [SMALL], lambda *_: True)
    await process.close()
    assert not Path("/proc", str(process.pid)).exists()  # noqa: ASYNC240
