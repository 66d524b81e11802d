"""Programs with `autocast("cuda")`, with GradScaler, and with autograd Functions that choose a dtype."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    return runs.cases(runs.Runs(), "autocast", device)
