"""The queue of GPUs, with a worker that says that it has one: who is sent there, and what is told while there is one."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from redis.asyncio import Redis

from app.engine import Requester
from app.engines import Engines, fleet, this_web
from app.fleet import GPU
from app.settings import Settings
from app.trace.ends import Finished
from app.trace.records import Limits, Request
from tests.engine.listening import Listener
from tests.fleet.test_untrusted import HONEST, Lie, liar, said
from tests.redis_server import redis_server
from tests.sandbox.processes import PATIENCE

AGNOSTIC = Request(
    source="import torch\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
    limits=Limits(trace_bytes=1 << 20, output_bytes=1000),
)


def noting(queue: str, taken: list[str], running: list[list[int]], engines: Engines) -> Lie:
    async def answer(client: Redis, reply: str) -> None:
        taken.append(queue)
        running.append([each.running for each in engines.admissions])
        await said(*HONEST)(client, reply)

    return answer


async def test_a_run_that_speaks_of_cuda_goes_to_a_gpu_while_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []
    running: list[list[int]] = []
    async with AsyncExitStack() as parts:
        redis = parts.enter_context(redis_server())
        monkeypatch.setenv("STEPGRAD_REDIS_URL", redis.url)
        settings = Settings(data=tmp_path)
        web = await parts.enter_async_context(this_web(settings))
        engines = await parts.enter_async_context(fleet(settings, web, b"secret"))
        await parts.enter_async_context(liar(redis.url_of("operator"), noting("cpu", taken, running, engines)))

        async def until(*, has_gpu: bool) -> None:
            async with asyncio.timeout(PATIENCE):
                while engines.has_gpu() != has_gpu or engines.sealing.refusal:  # noqa: ASYNC110 - it looks twice a second
                    await asyncio.sleep(0.02)

        async def run(request: Request) -> None:
            made = await engines.engine.run(request, Requester(visitor="visitor", address="192.0.2.1"), Listener())
            assert made.trace.ended == Finished()

        await until(has_gpu=False)
        await run(AGNOSTIC)
        assert taken == [engines.engine.queue_of(AGNOSTIC)] == ["cpu"], "as on a machine without a GPU"
        async with liar(redis.url_of("operator"), noting("gpu", taken, running, engines), keys=GPU):
            await until(has_gpu=True)
            await run(AGNOSTIC)
            assert taken[1:] == [engines.engine.queue_of(AGNOSTIC)] == ["gpu"]
            assert running == [[1, 0], [0, 1]], "each is counted where it goes"
            await run(Request(source="x = 1\n", limits=AGNOSTIC.limits))
            assert taken[2:] == ["cpu"]
        await until(has_gpu=False)
        await run(AGNOSTIC)
        assert taken[3:] == ["cpu"]
