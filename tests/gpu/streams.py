"""Programs with CUDA streams and events: traces are correct for kernels on any stream."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    return runs.cases(runs.Runs(), "streams", device)
