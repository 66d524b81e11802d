"""Programs with streams and events: the trace is correct for kernels on any stream."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """Return a case for each program."""
    return runs.cases(runs.Runs(), "streams", device)
