"""Runs that need a GPU go to workers with a GPU, simulated here. The web process reports both queues in its metrics."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from app.compose.engines import Engines, fleet
from app.compose.settings import Settings
from app.engine import Requester
from app.trace.ends import Finished
from app.trace.records import Limits, Request
from tests.engine.listening import Listener
from tests.fleet.proxy import free_port
from tests.fleet.test_untrusted import HONEST, Lie, liar, said
from tests.sandbox.traced import traced
from tests.waiting import until

AGNOSTIC = Request(
    source="import torch\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
    limits=Limits(trace_bytes=1 << 20, output_bytes=1000),
)


def noting(queue: str, taken: list[tuple[str, list[int]]], engines: list[Engines]) -> Lie:
    async def answer(writer: asyncio.StreamWriter) -> None:
        taken.append((queue, [each.running for each in engines[0].admissions]))
        await said(*HONEST)(writer)

    return answer


async def test_a_run_that_speaks_of_cuda_goes_to_a_gpu_while_there_is_one(tmp_path: Path) -> None:
    taken: list[tuple[str, list[int]]] = []
    made: list[Engines] = []
    gpu_port = free_port()
    async with AsyncExitStack() as parts:
        cpu = await parts.enter_async_context(liar(noting("cpu", taken, made)))
        settings = Settings(data=tmp_path, workers_url=cpu, gpu_workers_url=f"http://127.0.0.1:{gpu_port}")
        engines = await parts.enter_async_context(fleet(settings))
        made.append(engines)

        async def run(request: Request) -> None:
            ran = await traced(engines.engine.run(request, Requester(visitor="visitor", address="192.0.2.1"), Listener()))
            assert ran.trace.ended == Finished()

        assert not engines.has_gpu()
        await run(AGNOSTIC)
        assert engines.engine.queue_of(AGNOSTIC) == "cpu", "as on a machine without a GPU"
        async with liar(noting("gpu", taken, made), port=gpu_port):
            await until(engines.has_gpu)
            await run(AGNOSTIC)
            assert engines.engine.queue_of(AGNOSTIC) == "gpu"
            await run(Request(source="x = 1\n", limits=AGNOSTIC.limits))
        await until(lambda: not engines.has_gpu())
        await run(AGNOSTIC)
        assert taken == [("cpu", [1, 0]), ("gpu", [0, 1]), ("cpu", [1, 0]), ("cpu", [1, 0])], "each is counted where it goes"
