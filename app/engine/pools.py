"""Two pools of runs: snippets that use CUDA run on GPUs, others on the CPU."""

from collections.abc import Callable

from app.engine.admission import Requester
from app.engine.local import Engine, Queue, Watcher
from app.sandbox import Run
from app.trace.records import Request


class Pools:
    """An engine that combines a CPU pool and a GPU pool. While no GPU is available, all runs use the CPU pool."""

    def __init__(self, cpu: Engine, gpu: Engine, has_gpu: Callable[[], bool] = lambda: True) -> None:
        self._cpu = cpu
        self._gpu = gpu
        self._has_gpu = has_gpu

    async def run(self, request: Request, requester: Requester, watcher: Watcher) -> Run:
        """Run `request` in the matching pool."""
        return await self._pool(request).run(request, requester, watcher)

    async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
        """Run `request` in a background slot of the matching pool."""
        return await self._pool(request).run_in_background(request, requester, gives_way=gives_way)

    def queue_of(self, request: Request) -> Queue:
        """The queue in which `request` waits for a slot."""
        return "gpu" if self._pool(request) is self._gpu else "cpu"

    def _pool(self, request: Request) -> Engine:
        return self._gpu if wants_gpu(request) and self._has_gpu() else self._cpu


def wants_gpu(request: Request) -> bool:
    """Whether the source contains "cuda" and the request does not replace the GPU by the CPU.

    Before the run the server knows only the source. A source with `"cuda" if torch.cuda.is_available() else "cpu"` therefore
    also needs a GPU.
    """
    return "cuda" in request.source and not request.stand_in
