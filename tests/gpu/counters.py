"""Programs that write in place: version counters of tensors on the device, and errors of backward."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """Return a case for each program."""
    return runs.cases(runs.Runs(), "counters", device)
