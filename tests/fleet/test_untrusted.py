"""A worker that lies: whatever it says harms its own runs alone."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast

import msgspec
import pytest
from redis.asyncio import Redis

from app import __version__
from app.engine import EngineUnavailable, Requester
from app.fleet import Announcement, FleetEngine, names
from app.fleet.claiming import claim
from app.fleet.connection import MOST_ANSWER, AnswerTooLarge
from app.fleet.living import LIFE_MILLISECONDS
from app.fleet.messages import PROTOCOL
from app.sandbox import Layer, Run
from app.sandbox.tiers import Tier
from app.trace.chunks import Chunk
from app.trace.codec import encode_chunk
from app.trace.ends import Crashed, Finished, Interfered, OutputTooLarge, TimedOut, TraceTooLarge, WorkerStopped
from app.trace.records import FORMAT, Header, Limits, Output, OutputId, Request, Tick
from tests.engine.listening import Listener
from tests.fleet.running import fleet_engine
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.processes import PATIENCE

LIMITS = Limits(trace_bytes=1 << 20, output_bytes=1000)
ASKED = Request(source="x = 1\n", limits=LIMITS)
TOLD = Announcement(
    stepgrad=__version__,
    protocol=PROTOCOL,
    format=FORMAT,
    python="3.11.7",
    torch="2.13.0",
    packages={"torch": "2.13.0"},
    tier=Tier.A,
    layers=list(Layer),
    canary_age_seconds=0.0,
    zygotes=1,
)
HEADER = encode_chunk(
    Chunk(header=Header(format=FORMAT, stepgrad="x", python="x", torch="x", device="cpu", seed=0, limits=LIMITS))
)
END = b'{"ended":{"kind":"finished"},"wall_seconds":1,"cpu_seconds":1,"peak_memory_bytes":1}'
HONEST = ((b"began", b""), (b"chunk", HEADER), (b"ended", END))


def ended(**end: object) -> bytes:
    return msgspec.json.encode({"ended": end, "wall_seconds": 1, "cpu_seconds": 1, "peak_memory_bytes": 1})


Words = tuple[tuple[bytes, bytes], ...]
Lie = Callable[[Redis, str], Awaitable[None]]


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as up:
        yield up


def said(*words: tuple[bytes, bytes]) -> Lie:
    async def say(client: Redis, reply: str) -> None:
        for kind, payload in words:
            await client.xadd(reply, {kind: payload})

    return say


async def huge(client: Redis, reply: str) -> None:
    """Three times what is read of one answer. (100 MB are refused in 0.3 s, but to make them keeps a busy Redis for 5 s.)"""
    await client.xadd(reply, {b"began": b""})
    await client.xadd(reply, {b"chunk": b"x" * (3 * MOST_ANSWER)})


async def many_kinds(client: Redis, reply: str) -> None:
    await client.xadd(reply, {b"%d" % number: b"" for number in range(100_000)})


async def no_stream(client: Redis, reply: str) -> None:
    await client.set(reply, b"")


def printed(number: int) -> bytes:
    text = Output(id=OutputId(number), tick=Tick(number), stream="stdout", text="x" * 4000)
    return encode_chunk(Chunk(outputs=[text]))


@asynccontextmanager
async def liar(
    url: str, lie: Lie, told: bytes = msgspec.json.encode(TOLD), places: object = 1, keys: names.Keys = names.CPU
) -> AsyncIterator[None]:
    """A worker that claims as ours do, and then says what it likes."""
    client = Redis.from_url(url)
    mine = "liar"

    async def announce() -> None:
        await cast(Any, client.hset(keys.announced(mine), mapping={"places": places, "told": told}))
        await cast(Any, client.sadd(keys.workers, mine))

    async def live() -> None:
        while True:
            await announce()
            run = cast(bytes | None, await client.blmove(keys.queue(mine), keys.taken(mine), 1))
            if run is not None:
                claimed = await claim(client, keys, mine, run.decode())
                assert claimed is not None
                await lie(client, claimed[1].decode())
                await cast(Any, client.lrem(keys.taken(mine), 0, run.decode()))

    await announce()  # the engine may have seen the one before
    task = asyncio.create_task(live())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        # Its own keys alone: a worker of the other queue is still there.
        await cast(Any, client.srem(keys.workers, mine))
        await client.delete(keys.announced(mine), keys.queue(mine), keys.taken(mine))
        await client.aclose()


async def asked_of(engine: FleetEngine) -> Run:
    async with asyncio.timeout(PATIENCE):
        while engine._workers.trouble is not None:  # noqa: ASYNC110 - it looks twice a second
            await asyncio.sleep(0.02)
        return await engine.run(ASKED, Requester(visitor="visitor", address="192.0.2.1"), Listener())


@pytest.mark.parametrize(
    ("lie", "end"),
    [
        pytest.param(said((b"began", b""), (b"chunk", b"{")), Interfered, id="no chunk"),
        pytest.param(said((b"began", b""), (b"chunk", HEADER), (b"chunk", HEADER)), Interfered, id="a second header"),
        pytest.param(said((b"began", b""), (b"chunk", b"x" * (600 << 10))), Interfered, id="a chunk that is too long"),
        pytest.param(
            said((b"began", b""), (b"chunk", HEADER), *((b"chunk", printed(number)) for number in range(2000))),
            TraceTooLarge,
            id="a flood of chunks",
        ),
        pytest.param(said((b"began", b""), (b"output", b"x" * 1001)), OutputTooLarge, id="a flood of output"),
        pytest.param(said(*HONEST), Finished, id="nothing but the truth"),
        pytest.param(said((b"chunk", HEADER)), None, id="no beginning"),
        pytest.param(said(*[(b"began", b"")] * 3), None, id="three beginnings"),
        pytest.param(said((b"began", b""), (b"crash", b"")), None, id="an unknown kind"),
        pytest.param(said((b"began", b""), (b"ended", b"[]")), None, id="no end"),
        pytest.param(said((b"began", b""), (b"ended", b"x" * (600 << 10))), None, id="an end that is too long"),
        pytest.param(said((b"failed", b"<script>" * 1000)), None, id="it failed"),
        *(
            pytest.param(said((b"began", b""), (b"chunk", HEADER), (b"ended", ended(**told))), end, id=f"the end {told}")
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
                ({"kind": "worker_stopped"}, None),
            )
        ),
        pytest.param(huge, None, id="a huge word"),
        pytest.param(many_kinds, None, id="a word of many kinds"),
        pytest.param(no_stream, None, id="no stream"),
    ],
)
async def test_a_lie_harms_its_own_run(redis: RedisServer, lie: Lie, end: type | None) -> None:
    async with fleet_engine(redis.url) as engine:
        async with liar(redis.url_of("operator"), lie):
            if end is None:
                with pytest.raises(EngineUnavailable) as caught:
                    await asked_of(engine)
                assert caught.value.kind == "run_lost"
                if lie is huge:  # told by its length: no byte of it was waited for
                    assert caught.value.__cause__ is not None
                    assert isinstance(caught.value.__cause__.__cause__, AnswerTooLarge)
            else:
                assert isinstance((await asked_of(engine)).trace.ended, end)
        async with liar(redis.url_of("operator"), said(*HONEST)):
            assert (await asked_of(engine)).trace.ended == Finished()
        assert engine.admission.running == 0


@pytest.mark.parametrize(
    ("told", "places", "refusal"),
    [
        (b"{", 1, "cannot be read"),
        (b"x" * 9000, 1, "No worker is there"),
        (msgspec.json.encode(msgspec.structs.replace(TOLD, format=FORMAT + 1)), 1, f"with format {FORMAT}"),
        (msgspec.json.encode(msgspec.structs.replace(TOLD, tier=None)), 1, "tier B is needed"),
        (msgspec.json.encode(msgspec.structs.replace(TOLD, refusal="Without landlock.")), 1, "Without landlock"),
        *(
            (msgspec.json.encode(msgspec.structs.replace(TOLD, **lie)), 1, "cannot be read")
            for lie in (
                {"torch": "2.13.0 <b>"},
                {"torch": ""},
                {"python": "3.11.7\n"},
                {"stepgrad": "1" * 65},
                {"packages": {"torch": "now at 555-0100"}},
                {"packages": {"a b": "1"}},
            )
        ),
        (msgspec.json.encode(TOLD), 0, "No worker is there"),
        (msgspec.json.encode(TOLD), -1, "No worker is there"),
        (msgspec.json.encode(TOLD), 9999, "No worker is there"),
        (msgspec.json.encode(TOLD), "1e9", "No worker is there"),
    ],
)
async def test_an_announcement_that_is_none_gets_no_run(redis: RedisServer, told: bytes, places: object, refusal: str) -> None:
    async with fleet_engine(redis.url) as engine, liar(redis.url_of("operator"), said(), told, places):
        client = Redis.from_url(redis.url_of("operator"))
        async with asyncio.timeout(PATIENCE):
            while not await client.exists(names.CPU.announced("liar")):  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.01)
        await client.aclose()
        await engine._workers.look()
        assert engine._workers.usable == []
        assert engine._workers.refusal is not None and refusal in engine._workers.refusal
        with pytest.raises(EngineUnavailable, match="No worker is there"):
            await engine.run(ASKED, Requester(visitor="visitor", address="192.0.2.1"), Listener())


async def test_a_worker_lives_no_longer_than_it_is_heard_of(redis: RedisServer) -> None:
    """Whatever it says itself, and where the clock of Redis went back."""
    operator = redis.url_of("operator")
    async with fleet_engine(redis.url) as engine, liar(operator, said()), Redis.from_url(operator) as client:
        async with asyncio.timeout(PATIENCE):
            while not await client.pexpire(names.CPU.announced("liar"), 3_600_000):  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0.01)
        await engine._workers.look()
        assert await client.pttl(names.CPU.announced("liar")) <= LIFE_MILLISECONDS


@asynccontextmanager
async def doomed(url: str, claims: bool) -> AsyncIterator[tuple[asyncio.Event, list[str]]]:
    """A worker that announces itself once, takes a run if one comes, and dies: before it claims the run, or right after."""
    client = Redis.from_url(url)
    mine, has_it = "doomed", asyncio.Event()
    mapping = {"places": 1, "told": msgspec.json.encode(TOLD)}
    runs: list[str] = []

    async def die() -> None:
        run = await cast("Awaitable[bytes]", client.blmove(names.CPU.queue(mine), names.CPU.taken(mine), PATIENCE))
        runs.append(run.decode())
        if claims:
            assert await claim(client, names.CPU, mine, runs[0]) is not None
        await client.unlink(names.CPU.announced(mine))
        has_it.set()

    await cast(Any, client.hset(names.CPU.announced(mine), mapping=mapping))
    await cast(Any, client.sadd(names.CPU.workers, mine))
    task = asyncio.create_task(die())
    try:
        yield has_it, runs
        await task
    finally:
        await client.flushall()
        await client.aclose()


@pytest.mark.parametrize("claims", [False, True])
async def test_a_run_of_a_worker_that_dies_goes_to_another_unless_it_was_claimed(redis: RedisServer, claims: bool) -> None:
    operator = redis.url_of("operator")
    async with fleet_engine(redis.url) as engine, doomed(operator, claims) as (has_it, runs):
        asked = asyncio.create_task(asked_of(engine))
        await asyncio.wait_for(has_it.wait(), PATIENCE)
        async with liar(operator, said(*HONEST)):
            assert (await asked).trace.ended == (WorkerStopped() if claims else Finished())
            async with Redis.from_url(operator) as client:
                assert await claim(client, names.CPU, "doomed", runs[0]) is None, "nobody will ever run it there"
        assert engine.admission.running == 0
