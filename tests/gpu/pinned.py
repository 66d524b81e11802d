"""Programs with pinned memory, from which a GPU copies asynchronously."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """Return a case for each program."""
    return runs.cases(runs.Runs(), "pinned", device)
