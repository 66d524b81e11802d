"""Programs with in-place writes: version counters of tensors on the device, and backward's error messages."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    return runs.cases(runs.Runs(), "counters", device)
