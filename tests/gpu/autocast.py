"""Programs under `autocast("cuda")`, with GradScaler, and functions that choose their own dtype."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """Return a case for each program."""
    return runs.cases(runs.Runs(), "autocast", device)
