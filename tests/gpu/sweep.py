"""Run all snippets of the recorder's tests with CUDA as the default device, and compare each trace with torch."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.gpu import runs
from tests.gpu.case import Case
from tests.tracer.differential import differences

SNIPPETS = Path(__file__).parents[1] / "tracer/snippets"
AT_A_TIME = 4
"""The number of processes at the same time. Each keeps the device open."""


def cases(device: str) -> list[Case]:
    """Return a case for each snippet. Several snippets run at a time, before their cases are evaluated."""
    of_thread = threading.local()

    def check(path: Path) -> None:
        if not hasattr(of_thread, "runs"):
            of_thread.runs = runs.Runs()
        source = on_default_device(path.read_text("utf-8"), device)
        found = differences(of_thread.runs.plain(source), of_thread.runs.recorded(source))
        assert not found, "\n".join(found)

    pool = ThreadPoolExecutor(max_workers=min(AT_A_TIME, os.cpu_count() or 1))
    return [Case(path.stem, pool.submit(check, path).result) for path in sorted(SNIPPETS.glob("*.py"))]


def on_default_device(source: str, device: str) -> str:
    """Make the device the default device, without changing the line numbers of the snippet."""
    chosen = f"import torch; torch.set_default_device({device!r})\n"
    changed = source.replace("import torch\n", chosen, 1)
    return changed if changed != source else chosen + source
