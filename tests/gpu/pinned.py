"""Programs with pinned memory, from which a GPU can copy asynchronously."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    return runs.cases(runs.Runs(), "pinned", device)
