"""A worker of this process with an engine that waits: how it fails, how long it takes to stop, and that no place is lost."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from app.engine import EngineUnavailable, Requester
from app.fleet import Announcement, Worker, names, open_redis, scripts, workers
from app.sandbox import SandboxError
from app.trace.codec import encode_request
from app.trace.records import Request
from tests.engine.listening import Listener
from tests.fleet.running import fleet_engine
from tests.fleet.test_untrusted import TOLD
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.processes import PATIENCE
from tests.waiting import until

DRAIN_SECONDS = 2.0
PAYLOAD = encode_request(Request(source="x = 1\n"))


class Waiting:
    """An engine whose runs go on until they may end."""

    def __init__(self) -> None:
        self.running = 0
        self.may_end = asyncio.Event()

    async def run(self, *_: object) -> None:
        """As an engine that could not run it."""
        self.running += 1
        try:
            await self.may_end.wait()
        finally:
            self.running -= 1
        raise SandboxError("That was all.")


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with redis_server() as up:
        yield up


@asynccontextmanager
async def worker_of(
    server: RedisServer, engine: Waiting, told: Callable[[], Announcement] = lambda: TOLD
) -> AsyncIterator[tuple[Redis, Worker]]:
    redis = open_redis(server.url)
    worker = Worker(redis, names.CPU, cast(Any, engine), 2, told, DRAIN_SECONDS)
    await worker.announce()
    try:
        yield redis, worker
    finally:
        await redis.aclose()


async def hand_over(redis: Redis, worker: Worker, run: str, payload: bytes = PAYLOAD) -> None:
    keys = (
        names.CPU.announced(worker.id),
        names.CPU.queue(worker.id),
        names.CPU.taken(worker.id),
        names.CPU.request(worker.id, run),
    )
    assert await cast(Any, redis.eval(scripts.HAND_OVER, 4, *keys, run, payload, names.CPU.reply(worker.id, run)))


async def test_a_worker_that_cannot_announce_itself_any_more_says_so_and_ends(server: RedisServer) -> None:
    engine, times = Waiting(), iter([TOLD, TOLD])
    async with worker_of(server, engine, lambda: next(times)) as (redis, worker):
        await hand_over(redis, worker, "only")
        with capture_logs() as logs:
            assert await asyncio.wait_for(worker.work(asyncio.Event()), PATIENCE) is False
        assert [line["log_level"] for line in logs if line["event"] == "worker failed"] == ["error"]
        assert engine.running == 0
        assert not await redis.exists(names.CPU.announced(worker.id)), "no web waits for it"


async def test_a_worker_stops_by_one_deadline(server: RedisServer) -> None:
    engine, stopping = Waiting(), asyncio.Event()
    async with worker_of(server, engine) as (redis, worker):
        working = asyncio.create_task(worker.work(stopping))
        for run in ("first", "second"):
            await hand_over(redis, worker, run)
        await until(lambda: engine.running == 2)
        began = time.monotonic()
        stopping.set()
        assert await asyncio.wait_for(working, PATIENCE) is True
        assert DRAIN_SECONDS <= time.monotonic() - began < 2 * DRAIN_SECONDS
        assert engine.running == 0


async def test_a_worker_that_has_just_come_gets_the_next_run(server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although the web has looked before it came, and will not look again soon."""
    monkeypatch.setattr(workers, "LOOK_SECONDS", 2 * PATIENCE)
    engine, stopping, request = Waiting(), asyncio.Event(), Request(source="x = 1\n")
    engine.may_end.set()
    async with fleet_engine(server.url) as web:
        with pytest.raises(EngineUnavailable, match="No worker"):
            await web.run(request, Requester(visitor="", address=""), Listener())
        async with worker_of(server, engine) as (_, worker):
            working = asyncio.create_task(worker.work(stopping))
            with pytest.raises(EngineUnavailable) as caught:  # the engine's own end
                await web.run(request, Requester(visitor="", address=""), Listener())
            assert caught.value.kind == "run_lost"
            stopping.set()
            assert await asyncio.wait_for(working, PATIENCE) is True


async def test_a_run_that_is_queued_twice_takes_no_place_for_ever(server: RedisServer) -> None:
    engine, stopping = Waiting(), asyncio.Event()
    async with worker_of(server, engine) as (redis, worker):
        working = asyncio.create_task(worker.work(stopping))
        await hand_over(redis, worker, "twice")
        await until(lambda: engine.running == 1)
        await cast(Any, redis.rpush(names.CPU.queue(worker.id), "twice"))
        await until(lambda: not worker._stops)  # the second has found nothing to claim
        engine.may_end.set()
        await until(lambda: engine.running == 0 and not worker._tasks)
        engine.may_end.clear()
        for run in ("third", "fourth"):
            await hand_over(redis, worker, run)
        await until(lambda: engine.running == 2)
        engine.may_end.set()
        stopping.set()
        assert await asyncio.wait_for(working, PATIENCE) is True
