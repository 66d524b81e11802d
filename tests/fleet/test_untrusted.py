"""A malicious worker can spoil only its own runs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest

from app import __version__
from app.engine import EngineUnavailable, Requester
from app.fleet import Announcement, FleetEngine, versions_of
from app.fleet import engine as module
from app.fleet.messages import BEGAN, CHUNK, ENDED, FAILED, OUTPUT, RELEASE
from app.sandbox import Layer
from app.sandbox.inside.protocol import HEADER as FRAME_HEADER
from app.sandbox.inside.protocol import MAGIC, frame
from app.sandbox.tiers import Tier
from app.trace.chunks import Chunk
from app.trace.codec import encode_chunk
from app.trace.ends import Crashed, Finished, Interfered, OutputTooLarge, TimedOut, TraceTooLarge, WorkerStopped
from app.trace.heads import Head
from app.trace.records import FORMAT, Header, Limits, Output, OutputId, Request, Tick
from tests.engine.listening import Listener
from tests.fleet.running import fleet_engine
from tests.sandbox.processes import PATIENCE
from tests.sandbox.traced import Traced, traced
from tests.waiting import until

LIMITS = Limits(trace_bytes=1 << 20, output_bytes=1000)
ASKED = Request(source="x = 1\n", limits=LIMITS)
VISITOR = Requester(visitor="visitor", address="192.0.2.1")
TOLD = Announcement(
    worker="liar-1",
    stepgrad=__version__,
    python="3.11.7",
    torch="2.13.0",
    packages={"torch": "2.13.0"},
    device="cpu",
    places=1,
    tier=Tier.A,
    layers=list(Layer),
    canary_age_seconds=0.0,
)
ANNOUNCED = msgspec.json.encode(TOLD)
CHUNK_OF_HEADER = Chunk(header=Header(format=FORMAT, stepgrad="x", python="x", torch="x", device="cpu", seed=0, limits=LIMITS))
HEADER = Head().payload(encode_chunk(CHUNK_OF_HEADER))
LAST = Head(end="finished").payload(encode_chunk(Chunk(ended=Finished())))
END = b'{"ended":null,"wall_seconds":1,"cpu_seconds":1,"peak_memory_bytes":1}'
YEARS = END.replace(b'"wall_seconds":1', b'"wall_seconds":9e8')
FIRST = (BEGAN, ANNOUNCED)
HONEST = (FIRST, (CHUNK, HEADER), (CHUNK, LAST), (ENDED, END))

Lie = Callable[[asyncio.StreamWriter], Awaitable[None]]


def ended(**end: object) -> bytes:
    return msgspec.json.encode({"ended": end, "wall_seconds": 1, "cpu_seconds": 1, "peak_memory_bytes": 1})


def said(*frames: tuple[int, bytes]) -> Lie:
    return raw(*(frame(kind, payload) for kind, payload in frames))


def raw(*pieces: bytes, is_chunked: bool = False) -> Lie:
    async def say(writer: asyncio.StreamWriter) -> None:
        coding = b"Transfer-Encoding: chunked\r\n" if is_chunked else b""
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + coding + b"\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return say


async def endless(writer: asyncio.StreamWriter) -> None:
    """Send response headers without end."""
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: " + b"x" * 4000 + b"\r\n")
        await writer.drain()


def printed(number: int) -> bytes:
    text = Output(id=OutputId(number), tick=Tick(number), stream="stdout", text="x" * 4000)
    return Head().payload(encode_chunk(Chunk(outputs=[text])))


@asynccontextmanager
async def liar(
    lie: Lie,
    told: bytes = ANNOUNCED,
    status: int = 200,
    headers: str = "",
    port: int = 0,
    heads: list[bytes] | None = None,
) -> AsyncIterator[str]:
    """Run a worker that sends the capabilities `told` and responds to each run with `lie`. Yield its URL."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if heads is not None:
                heads.append(head)
            if head.startswith(f"GET /{RELEASE}/health ".encode()):
                length = f"Content-Length: {len(told)}\r\n{headers}Connection: close\r\n\r\n"
                writer.write(f"HTTP/1.1 {status} OK\r\n{length}".encode() + told)
            else:
                await lie(writer)
            await writer.drain()
        except ConnectionError:
            pass  # the web process closed the connection
        finally:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", port) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def asked_of(engine: FleetEngine, request: Request = ASKED) -> Traced:
    await until(lambda: engine._workers.trouble is None)
    async with asyncio.timeout(PATIENCE):
        return await traced(engine.run(request, VISITOR, Listener()))


@pytest.mark.parametrize(
    ("lie", "end"),
    [
        pytest.param(said(FIRST, (CHUNK, b"{")), Interfered, id="no head"),
        pytest.param(said(FIRST, (CHUNK, HEADER), (CHUNK, LAST), (CHUNK, LAST)), Interfered, id="two ends"),
        pytest.param(said(FIRST, (CHUNK, HEADER), (ENDED, END)), None, id="no end where the run had to report one"),
        pytest.param(said(FIRST, (CHUNK, Head(end="finished").payload(b"{")), (ENDED, END)), Interfered, id="no chunk"),
        pytest.param(
            said(FIRST, (CHUNK, HEADER), (CHUNK, HEADER), (CHUNK, LAST), (ENDED, END)), Interfered, id="a second header"
        ),
        pytest.param(
            said(FIRST, (CHUNK, HEADER), *((CHUNK, printed(number)) for number in range(2000))),
            TraceTooLarge,
            id="a flood of chunks",
        ),
        pytest.param(said(FIRST, (OUTPUT, b"x" * 1001)), OutputTooLarge, id="a flood of output"),
        pytest.param(said(FIRST, (OUTPUT, b"")), None, id="empty output"),
        pytest.param(said(FIRST, *[(OUTPUT, b"x")] * 2), None, id="output in small frames"),
        pytest.param(raw(*[b"1\r\nx\r\n"] * 5000, is_chunked=True), None, id="one byte at a time"),
        pytest.param(
            said(FIRST, (CHUNK, HEADER), (CHUNK, LAST), (ENDED, YEARS)),
            None,
            id="years",
        ),
        pytest.param(said(*HONEST), Finished, id="nothing but the truth"),
        pytest.param(said(*HONEST, (FAILED, b"late"), *HONEST), Finished, id="more after the end"),
        pytest.param(said((CHUNK, HEADER)), None, id="no beginning"),
        pytest.param(said(*[FIRST] * 3), None, id="three beginnings"),
        pytest.param(said(FIRST, (200, b"")), None, id="an unknown kind"),
        pytest.param(said(FIRST, (ENDED, b"[]")), None, id="no end"),
        pytest.param(said(FIRST, (FAILED, b"<script>" * 1000)), None, id="it failed"),
        pytest.param(said((BEGAN, b"{}")), None, id="an announcement that is none"),
        pytest.param(said((BEGAN, b" " * (100 << 10) + ANNOUNCED)), None, id="a long announcement"),
        pytest.param(said((BEGAN, msgspec.json.encode({**msgspec.to_builtins(TOLD), "tier": "C"}))), None, id="no tier"),
        pytest.param(raw(b"no frame at all, and long enough for one"), None, id="no frames"),
        pytest.param(raw(FRAME_HEADER.pack(MAGIC, CHUNK, 1 << 31), b"x" * 4096), None, id="a huge frame"),
        pytest.param(raw(), None, id="nothing"),
        pytest.param(endless, None, id="endless headers"),
        *(
            pytest.param(said(FIRST, (CHUNK, HEADER), (ENDED, ended(**told))), end, id=f"the end {told}")
            for told, end in (
                ({"kind": "timed_out", "clock": "wall", "seconds": LIMITS.wall_seconds}, TimedOut),
                ({"kind": "timed_out", "clock": "cpu", "seconds": LIMITS.cpu_seconds}, TimedOut),
                ({"kind": "timed_out", "clock": "cpu", "seconds": LIMITS.wall_seconds}, None),
                ({"kind": "timed_out", "clock": "wall", "seconds": 1e300}, None),
                ({"kind": "timed_out", "clock": "wall", "seconds": -5}, None),
                ({"kind": "crashed", "signal": 11, "name": "SIGSEGV"}, Crashed),
                ({"kind": "crashed", "signal": 11, "name": "SIGKILL"}, None),
                ({"kind": "crashed", "signal": 11, "name": "Call 555-0100."}, None),
                ({"kind": "crashed", "signal": 0, "name": "SIGRTMIN+-34"}, None),
                ({"kind": "crashed", "signal": 2**53, "name": f"SIGRTMIN+{2**53 - 34}"}, None),
                ({"kind": "out_of_memory", "limit_bytes": 7}, None),
                ({"kind": "stopped", "limit": "steps", "reached": 7}, None),
                ({"kind": "finished"}, None),
                ({"kind": "worker_stopped"}, None),
            )
        ),
    ],
)
async def test_a_lie_harms_its_own_run(lie: Lie, end: type | None) -> None:
    async with liar(lie) as url, fleet_engine(url) as engine:
        if end is None:
            with pytest.raises(EngineUnavailable) as caught:
                await asked_of(engine)
            assert caught.value.kind == "run_lost"
        else:
            assert isinstance((await asked_of(engine)).trace.ended, end)
        assert engine.admission.running == 0


async def test_a_worker_that_seals_less_than_it_announced_loses_its_run() -> None:
    less = msgspec.json.encode(msgspec.structs.replace(TOLD, tier=Tier.B))
    async with liar(said((BEGAN, less), (ENDED, END))) as url, fleet_engine(url, needed=Tier.A) as engine:
        with pytest.raises(EngineUnavailable) as caught:
            await asked_of(engine)
        assert caught.value.kind == "run_lost" and "tier B" in str(caught.value.__cause__)


async def test_a_run_has_the_device_of_its_worker() -> None:
    began = (BEGAN, msgspec.json.encode(msgspec.structs.replace(TOLD, device="cuda:0")))
    async with liar(said(began, (CHUNK, HEADER), (CHUNK, LAST), (ENDED, END))) as url, fleet_engine(url) as engine:
        assert (await asked_of(engine)).trace.header.device == "cuda:0"


@pytest.mark.parametrize(
    ("told", "status", "refusal"),
    [
        (b"{", 200, "invalid announcement"),
        (b" " * (100 << 10) + ANNOUNCED, 200, "invalid announcement"),
        (b"Without landlock.", 503, "No worker is available"),
        (b"<b>none</b>", 404, "No worker is available"),
        (ANNOUNCED, 302, "No worker is available"),
        *(
            (msgspec.json.encode({**msgspec.to_builtins(TOLD), **lie}), 200, "invalid announcement")
            for lie in (
                {"torch": "2.13.0 <b>"},
                {"torch": ""},
                {"python": "3.11.7\n"},
                {"stepgrad": "1" * 65},
                {"packages": {"torch": "now at 555-0100"}},
                {"packages": {"a b": "1"}},
                {"places": 0},
                {"places": -1},
                {"places": 9999},
                {"tier": None},
                {"worker": "a b"},
                {"device": "tpu"},
            )
        ),
    ],
)
async def test_an_announcement_that_is_none_gets_no_run(told: bytes, status: int, refusal: str) -> None:
    async with liar(said(), told, status) as url, fleet_engine(url) as engine:
        assert engine._workers.count == engine._workers.slots == engine.admission.capacity.slots == 0
        assert engine._workers.refusal is not None and refusal in engine._workers.refusal
        assert "<b>" not in engine._workers.refusal
        with pytest.raises(EngineUnavailable, match="No worker is available"):
            await traced(engine.run(ASKED, VISITOR, Listener()))


@pytest.mark.parametrize(
    ("workers", "places"),
    [("3", 3), ("0", 1), ("-1", 1), ("1e9", 1), ("9" * 8, 100), ("9" * 9, 1), ("\u0663".encode().decode("latin-1"), 1)],
)
async def test_the_number_of_workers_is_bounded(workers: str, places: int) -> None:
    async with liar(said(), headers=f"Stepgrad-Workers: {workers}\r\n") as url, fleet_engine(url) as engine:
        assert engine._workers.slots == engine.admission.capacity.slots == places


async def test_a_run_is_sent_again_only_where_none_has_begun() -> None:
    """The web process repeats a request after the status codes 503 and 404 only."""
    statuses = [503, 404, 503]
    asked = 0

    async def refuse(writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        if statuses:
            writer.write(f"HTTP/1.1 {statuses.pop()} Not now\r\nContent-Length: 0\r\n\r\n".encode())
        else:
            await said(*HONEST)(writer)

    async with liar(refuse) as url, fleet_engine(url) as engine:
        assert (await asked_of(engine)).trace.ended == Finished()
        assert asked == 4
        for status in (500, 502, 504, 429, 302, 204):
            statuses.append(status)
            asked = 0
            with pytest.raises(EngineUnavailable) as caught:
                await asked_of(engine)
            assert (caught.value.kind, asked) == ("run_lost", 1), status


async def test_a_worker_that_falls_silent_ends_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run keeps the steps received so far, and ends soon after its time limit."""
    monkeypatch.setattr(module, "LONGEST_SECONDS", 0.5)

    async def silent(writer: asyncio.StreamWriter) -> None:
        await said(FIRST, (CHUNK, HEADER))(writer)
        await asyncio.sleep(PATIENCE)

    async with liar(silent) as url, fleet_engine(url) as engine:
        brief = Request(source="x = 1\n", limits=msgspec.structs.replace(LIMITS, wall_seconds=0.1))
        assert (await asked_of(engine, brief)).trace.ended == WorkerStopped()
        assert engine.admission.running == 0


async def test_a_worker_sets_no_cookie() -> None:
    """Otherwise, the web process would send a worker's cookies to all workers."""
    heads: list[bytes] = []

    async def refuse(writer: asyncio.StreamWriter) -> None:
        if len(heads) < 3:
            writer.write(b"HTTP/1.1 503 No\r\nSet-Cookie: a=" + b"x" * 4000 + b"\r\nContent-Length: 0\r\n\r\n")
        else:
            await said(*HONEST)(writer)

    async with liar(refuse, headers="Set-Cookie: b=1\r\n", heads=heads) as url, fleet_engine(url) as engine:
        assert (await asked_of(engine)).trace.ended == Finished()
        assert len(heads) >= 3 and not any(b"cookie" in head.lower() for head in heads)


async def test_many_names_are_no_more_workers_than_there_are() -> None:
    async with liar(said()) as url, fleet_engine(url) as engine:
        for number in range(300):
            packages = {f"p{number}-{each}": "1" for each in range(200)}
            engine._workers.heard(msgspec.structs.replace(TOLD, worker=f"liar-{number}", packages=packages, places=256))
        assert len(engine._workers.known) == engine._workers.count == 1
        assert len(versions_of([msgspec.structs.replace(TOLD, packages={f"p{n}": "1"}) for n in range(300)])[2]) == 200


async def test_one_bad_look_keeps_no_runs_away() -> None:
    """A worker that is shutting down responds with 404. The next health check may reach another worker."""
    async with liar(said(*HONEST)) as url, fleet_engine(url) as engine:
        engine._workers._see("no_worker", "It drains.")
        assert engine._workers.trouble is None and engine.admission.capacity.slots == 1
        engine._workers._see("no_worker", "It drains.")
        assert engine._workers.trouble == "no_worker" and engine.admission.capacity.slots == 0
        assert (await asked_of(engine)).trace.ended == Finished()
