"""If CUDA is not available, findings say that a GPU is missing; otherwise they do not."""

from functools import partial

from app.explain import explain
from app.trace.chunks import Trace
from tests.explain.asking import ASKS, OUT_OF_SIGHT, PINNED, SECOND
from tests.explain.recorded import reworded
from tests.gpu import runs
from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """Return a case for each way to request a GPU."""
    hidden, seen = runs.Runs(runs.NO_DEVICE), runs.Runs()

    def told(lines: str) -> None:
        trace = hidden.recorded(f"import torch\n{lines}\n")
        assert kinds(trace) == ["no_gpu"], f"{kinds(trace)} of {trace.ended}"
        if lines not in (OUT_OF_SIGHT, PINNED):
            assert kinds(reworded(trace)) == ["no_gpu"], "found by torch's words alone"

    def there(lines: str) -> None:
        trace = seen.recorded(f"import torch\n{lines}\n")
        assert "no_gpu" not in kinds(trace), f"found where there is one, of {trace.ended}"

    asked = [*ASKS, OUT_OF_SIGHT, PINNED]
    found = [Case(f"none: {lines}", partial(told, lines)) for lines in asked]
    is_one = "without a GPU there is nothing that is there"
    return [*found, *(Case(f"there: {lines}", partial(there, lines), is_one) for lines in asked if lines != SECOND)]


def kinds(trace: Trace) -> list[str]:
    return [finding.kind for finding in explain(trace).findings]
