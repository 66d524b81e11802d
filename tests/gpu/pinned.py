"""Programs with pinned memory, which a GPU copies from without waiting."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """One for each program."""
    return runs.cases(runs.Runs(), "pinned", device)
