"""Whom Redis lets do what: the users of `docs/redis.acl`, and a worker whose user is taken away."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pytest
from redis.exceptions import NoPermissionError

from app.engine import Requester
from app.fleet import names, open_redis
from app.trace.ends import Finished, WorkerStopped
from app.trace.records import Request
from tests.engine.listening import Listener
from tests.fleet.running import RunningWorker, fleet_engine, running_worker
from tests.redis_server import RedisServer, redis_server
from tests.sandbox.conftest import PATIENT
from tests.sandbox.processes import PATIENCE

GOOD = Request(source="x = 1\n", limits=PATIENT)
LONG = Request(source="import time\nx = 1\ntime.sleep(1000)\n", limits=PATIENT)
MINE, OTHERS = "worker-1.0", "worker-2.0"


def somebody(number: int) -> Requester:
    return Requester(visitor=f"visitor {number}", address="192.0.2.1")


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as up:
        yield up


@asynccontextmanager
async def as_user(redis: RedisServer, user: str) -> AsyncIterator[Any]:
    client = open_redis(redis.url_of(user))
    try:
        yield client
    finally:
        await client.aclose()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("HMGET", names.CPU.request(OTHERS, "run"), "request"), id="what another worker is asked"),
        pytest.param(
            ("BLMOVE", names.CPU.queue(OTHERS), names.CPU.taken(MINE), "LEFT", "RIGHT", "0.1"), id="another worker's queue"
        ),
        pytest.param(("BLPOP", names.CPU.control(OTHERS), "0.1"), id="what another worker is to stop"),
        pytest.param(("HSET", names.CPU.announced(OTHERS), "places", "0"), id="another worker's announcement"),
        pytest.param(("HSET", names.CPU.announced("worker-10.0"), "places", "0"), id="a worker whose name begins alike"),
        pytest.param(("XADD", names.CPU.reply(OTHERS, "secret"), "*", "ended", ""), id="another worker's reply"),
        pytest.param(("XREAD", "STREAMS", names.CPU.reply(OTHERS, "secret"), "0"), id="to read another worker's reply"),
        pytest.param(("SET", names.rate("addresses", "0"), "0"), id="how often somebody asked"),
        pytest.param(("HMGET", names.recent("request"), "1"), id="to read what others recorded"),
        pytest.param(("HSET", names.recent("request"), "hash", "0"), id="another recording in the place of one"),
        pytest.param(("LRANGE", names.RECENT_ORDER, "0", "-1"), id="which recordings there are"),
        pytest.param(("SET", names.recorded("0"), "x"), id="who may fetch a recording"),
        pytest.param(("BLPOP", names.stops("0"), "0.1"), id="which runs a web is to stop"),
        pytest.param(("LRANGE", names.stopped("0"), "0", "-1"), id="whether a run was stopped"),
        pytest.param(("HSET", names.files("0123456789ab"), "bundle/player.js", "x"), id="a script of the page"),
        pytest.param(("SET", names.web("0"), ""), id="to be a web"),
        pytest.param(("UNLINK", names.CPU.workers), id="the set of the workers"),
        pytest.param(("SREM", names.CPU.workers, OTHERS), id="another worker's place in that set"),
        pytest.param(("SMEMBERS", names.CPU.workers), id="who else is there"),
        pytest.param(("SADD", names.CPU.announced(MINE), "x"), id="a set of its own"),
        pytest.param(("SADD", names.GPU.workers, MINE), id="to be a worker of another queue"),
        pytest.param(("HSET", names.GPU.announced(MINE), "places", "1"), id="an announcement in another queue"),
        pytest.param(("HGETALL", names.CPU.order), id="how the order of the webs stands"),
        pytest.param(("KEYS", "*"), id="which keys there are"),
        pytest.param(("SCAN", "0"), id="which keys there are, by and by"),
        pytest.param(("RANDOMKEY",), id="any key"),
        pytest.param(("EVAL", "return 1", "0"), id="a script"),
        pytest.param(("FLUSHALL",), id="to delete everything"),
        pytest.param(("CONFIG", "GET", "*"), id="the configuration"),
        pytest.param(("CLIENT", "LIST"), id="who is connected"),
        pytest.param(("INFO",), id="all about Redis"),
        pytest.param(("MONITOR",), id="what others say"),
        pytest.param(("SUBSCRIBE", "stepgrad"), id="what is published"),
        pytest.param(("PUBLISH", "stepgrad", "x"), id="to publish"),
        pytest.param(("ACL", "SETUSER", "worker-1", "+@all"), id="more rights"),
        pytest.param(("SHUTDOWN",), id="the end of Redis"),
    ],
)
async def test_a_worker_may_do_no_more_than_it_needs(redis: RedisServer, command: tuple[str, ...]) -> None:
    async with as_user(redis, "worker-1") as client:
        with pytest.raises(NoPermissionError):
            await client.execute_command(*command)


@pytest.mark.parametrize(
    "command",
    [
        ("FLUSHALL",),
        ("CONFIG", "GET", "*"),
        ("KEYS", "*"),
        ("ACL", "LIST"),
        ("SHUTDOWN",),
        ("SET", "other", "x"),
    ],
)
async def test_the_web_may_use_its_keys_alone(redis: RedisServer, command: tuple[str, ...]) -> None:
    async with as_user(redis, "web") as client:
        with pytest.raises(NoPermissionError):
            await client.execute_command(*command)


async def test_a_worker_with_a_gpu_is_one_of_its_queue_alone(redis: RedisServer) -> None:
    async with as_user(redis, "gpu-1") as client:
        await client.hset(names.GPU.announced("gpu-1.0"), "places", "0")
        await client.sadd(names.GPU.workers, "gpu-1.0")
        with pytest.raises(NoPermissionError):
            await client.sadd(names.CPU.workers, "gpu-1.0")


async def test_an_announcement_of_another_type_harms_nobody_else(redis: RedisServer) -> None:
    """Where it is a stream instead of a hash, the web still sees the others."""
    async with as_user(redis, "worker-1") as client, fleet_engine(redis.url) as engine:
        await client.xadd(names.CPU.announced(MINE), {"ended": ""})
        await client.execute_command("SADD", names.CPU.workers, MINE)
        await engine._workers.look()
        assert engine._workers.trouble == "no_worker"
        await client.unlink(names.CPU.announced(MINE))


@pytest.fixture(scope="module")
def workers(redis: RedisServer) -> Iterator[dict[str, RunningWorker]]:
    """Two, each with its own user."""
    with ExitStack() as up:
        yield {user: up.enter_context(running_worker(redis.url_of(user))) for user in ("worker-1", "worker-2")}


async def test_a_worker_is_revoked_by_one_command(redis: RedisServer, workers: dict[str, RunningWorker]) -> None:
    """It waits and says why, its run ends as that of a worker that stopped, and the web goes on with the other."""
    revoked, other = workers["worker-1"], workers["worker-2"]
    async with fleet_engine(redis.url) as engine:
        listeners = [Listener(), Listener()]
        runs = [asyncio.create_task(engine.run(LONG, somebody(number), each)) for number, each in enumerate(listeners)]
        await asyncio.wait_for(asyncio.gather(*(each.has_step.wait() for each in listeners)), PATIENCE)
        assert len(revoked.told("claimed")) == len(other.told("claimed")) == 1
        assert redis.tell("ACL", "DELUSER", "worker-1") == ":1\r\n"
        began = time.monotonic()
        done, going = await asyncio.wait(runs, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        assert [task.result().trace.ended for task in done] == [WorkerStopped()] and len(going) == 1
        assert time.monotonic() - began < 3.5
        async with asyncio.timeout(PATIENCE):
            while len(engine._workers.usable) > 1:  # noqa: ASYNC110 - it looks twice a second
                await asyncio.sleep(0.05)
        assert engine._workers.usable[0].id == other.name
        assert (await engine.run(GOOD, somebody(3), Listener())).trace.ended == Finished()
        for listener in listeners:
            listener.stop.set_result(None)
        await asyncio.wait(runs)
    give_up = time.monotonic() + PATIENCE
    while not revoked.told("ended"):  # it was stopped there, too
        assert time.monotonic() < give_up
        await asyncio.sleep(0.05)
    assert len(revoked.told("claimed")) == 1
    assert revoked.process.poll() is None
    assert any("was revoked" in line["error"] for line in revoked.told("redis"))
