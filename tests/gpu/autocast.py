"""Programs under `autocast("cuda")`, with its scaler, and functions that choose their own dtype."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """One for each program."""
    return runs.cases(runs.Runs(), "autocast", device)
