"""Programs with tensors on the device: the recorder reads their elements, for every dtype, view and size."""

from app.trace.chunks import Trace
from app.trace.query import END, value_at
from app.trace.records import Contents, Summary
from tests.gpu import runs
from tests.gpu.case import Case

LARGE = """import torch
large = torch.arange(5000.0, device="cuda")
large.mul_(2)
large[17] = -1
wide = torch.arange(4096, device="cuda", dtype=torch.float64).div_(64).reshape(64, 64)
"""


def cases(device: str) -> list[Case]:
    """Return a case for each program, and one for large storages."""
    made = runs.Runs()

    def summarised_as_on_the_cpu() -> None:
        here = summaries(made.recorded(runs.spelled(LARGE, device)))
        on_cpu = summaries(made.recorded(runs.spelled(LARGE, "cpu")))
        assert len(here) == 2 and all(isinstance(contents, Summary) for contents in here), here
        assert here == on_cpu, f"{here}\nis not what the CPU's bytes give:\n{on_cpu}"

    return [*runs.cases(made, "values", device), Case("large_storages", summarised_as_on_the_cpu)]


def summaries(trace: Trace) -> list[Contents | None]:
    """Return the final contents of each storage of more than 4096 bytes."""
    large = [storage for storage in trace.storages if (value_at(storage.nbytes, END) or 0) > 4096]
    return [value_at(storage.contents, END) for storage in large]
