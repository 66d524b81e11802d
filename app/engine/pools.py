"""Two pools of runs: snippets that use CUDA run on GPUs, others on the CPU."""

from collections.abc import Callable

from app.engine.admission import Requester
from app.engine.local import Engine, Queue, Watcher
from app.sandbox import Run
from app.trace.records import Request


class Pools:
    """An engine of two pools. While no GPU is available, all runs use the pool of the CPU."""

    def __init__(self, cpu: Engine, gpu: Engine, has_gpu: Callable[[], bool] = lambda: True) -> None:
        self._cpu = cpu
        self._gpu = gpu
        self._has_gpu = has_gpu

    async def run(self, request: Request, requester: Requester, watcher: Watcher) -> Run:
        """Run `request` in its pool."""
        return await self._pool(request).run(request, requester, watcher)

    async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
        """Run `request` in a background slot of its pool."""
        return await self._pool(request).run_in_background(request, requester, gives_way=gives_way)

    def queue_of(self, request: Request) -> Queue:
        """The queue of the pool of `request`."""
        return "gpu" if self._pool(request) is self._gpu else "cpu"

    def _pool(self, request: Request) -> Engine:
        return self._gpu if wants_gpu(request) and self._has_gpu() else self._cpu


def wants_gpu(request: Request) -> bool:
    """Whether the source contains "cuda", and the CPU does not stand in for the GPU.

    Only the source is known before the run. So `"cuda" if torch.cuda.is_available() else "cpu"` also needs a GPU.
    """
    return "cuda" in request.source and not request.stand_in
