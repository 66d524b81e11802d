"""Two pools of runs: snippets that use CUDA run on GPUs, others on the CPU."""

from collections.abc import Callable

from app.engine.admission import Requester
from app.engine.local import Engine, Queue, Watcher
from app.sandbox import Run
from app.trace.records import Request


class Pools:
    """An engine of two pools. While there is no GPU, all runs use the CPU's."""

    def __init__(self, cpu: Engine, gpu: Engine, has_gpu: Callable[[], bool] = lambda: True) -> None:
        self._cpu = cpu
        self._gpu = gpu
        self._has_gpu = has_gpu

    async def run(self, request: Request, requester: Requester, watcher: Watcher) -> Run:
        """Run `request` in its pool."""
        return await self._pool(request).run(request, requester, watcher)

    async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
        """The same in a background slot."""
        return await self._pool(request).run_in_background(request, requester, gives_way=gives_way)

    def queue_of(self, request: Request) -> Queue:
        """The queue of its pool."""
        return "gpu" if self._pool(request) is self._gpu else "cpu"

    def _pool(self, request: Request) -> Engine:
        return self._gpu if wants_gpu(request) and self._has_gpu() else self._cpu


def wants_gpu(request: Request) -> bool:
    """Whether the snippet mentions CUDA and runs without a stand-in for it.

    The text decides: nothing else is known before it runs. `"cuda" if torch.cuda.is_available() else "cpu"` is such a text, too.
    """
    return "cuda" in request.source and not request.stand_in
