"""Webs and workers of neighbouring releases: they work together, or refuse each other with a sentence that names both."""

import asyncio
from collections.abc import Iterator
from typing import Any, cast

import msgspec
import pytest

from app import __version__
from app.fleet import FleetEngine, names
from app.fleet.messages import FAILED, PROTOCOL
from app.trace.codec import encode_request
from app.trace.ends import Finished
from app.trace.records import FORMAT, Request
from tests.fleet.running import fleet_engine
from tests.fleet.test_untrusted import END, HONEST, TOLD, asked_of, liar, said
from tests.fleet.test_worker import Waiting, hand_over, worker_of
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.processes import PATIENCE
from tests.waiting import until

NOW = msgspec.to_builtins(TOLD)
WEB = f"this web is Stepgrad {__version__}"


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as up:
        yield up


async def refused(engine: FleetEngine) -> None:
    """Wait until a worker is seen that is given no runs."""
    async with asyncio.timeout(PATIENCE):
        while not any(engine._workers.unused.values()):  # noqa: ASYNC110 - it looks twice a second
            await asyncio.sleep(0.02)


async def test_a_later_release_may_tell_more(redis: RedisServer) -> None:
    """Of itself, and of how a run ended."""
    told = msgspec.json.encode({**NOW, "stepgrad": "9.9.9", "accelerators": [{"name": "x"}]})
    end = msgspec.json.encode({**msgspec.json.decode(END), "joules": 3.5})
    async with fleet_engine(redis.url) as engine, liar(redis.url_of("operator"), said(*HONEST[:-1], (b"ended", end)), told):
        run = await asked_of(engine)
        assert run.trace.ended == Finished() and run.cost.cpu_seconds == 1
        assert engine._workers.latest[0].stepgrad == "9.9.9"


@pytest.mark.parametrize(
    ("told", "reason", "sentence"),
    [
        pytest.param(
            {"stepgrad": "9.9.9", "protocol": PROTOCOL + 1, "format": FORMAT, "python": {"major": 4}},
            "protocol",
            f"The worker liar is Stepgrad 9.9.9 and speaks protocol {PROTOCOL + 1}; {WEB} with protocol {PROTOCOL}.",
            id="a later protocol, which tells itself otherwise",
        ),
        pytest.param(
            {**NOW, "stepgrad": "0.0.9", "protocol": PROTOCOL - 1},
            "protocol",
            f"The worker liar is Stepgrad 0.0.9 and speaks protocol {PROTOCOL - 1}; {WEB} with protocol {PROTOCOL}.",
            id="an earlier protocol",
        ),
        pytest.param(
            {**NOW, "stepgrad": "9.9.9", "format": FORMAT + 1},
            "format",
            f"The worker liar is Stepgrad 9.9.9 and records format {FORMAT + 1}; {WEB} with format {FORMAT}.",
            id="another format",
        ),
    ],
)
async def test_another_protocol_or_format_is_refused(
    redis: RedisServer, told: dict[str, Any], reason: str, sentence: str
) -> None:
    async with (
        fleet_engine(redis.url) as engine,
        liar(redis.url_of("operator"), said(), msgspec.json.encode(told)),
    ):
        await refused(engine)
        assert engine._workers.unused[reason] == sum(engine._workers.unused.values()) == 1
        assert engine._workers.refusal == f"No worker is there to run snippets. {sentence}"


async def test_a_request_that_says_more_is_refused_and_the_worker_goes_on(redis: RedisServer) -> None:
    """What it does not know it must not leave out: the run would be another one than was asked for."""
    engine, stopping = Waiting(), asyncio.Event()
    later = msgspec.json.encode({"source": "x = 1\n", "threads": 3})
    async with worker_of(redis, engine) as (client, worker):
        working = asyncio.create_task(worker.work(stopping))
        for run, payload in (("later", later), ("none", b"\xff"), ("now", encode_request(Request(source="x = 1\n")))):
            await hand_over(client, worker, run, payload)
            if run == "now":
                await until(lambda: engine.running == 1)
            else:
                replies: Any = {names.CPU.reply(worker.id, run): b"0"}
                ((_, ((_, words),)),) = await cast(Any, client.xread(replies, block=int(PATIENCE * 1000)))
                assert b"request" in words[FAILED], words
        engine.may_end.set()
        stopping.set()
        assert await asyncio.wait_for(working, PATIENCE) is True
