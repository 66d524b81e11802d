"""Programs with streams and events: what is recorded is what happens, whichever stream a kernel is on."""

from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """One for each program."""
    return runs.cases(runs.Runs(), "streams", device)
