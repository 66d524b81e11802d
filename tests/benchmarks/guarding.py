"""Measure how much `stepgrad.guard()` slows down a training step, compared with tools of torch.

Run with `python -m tests.benchmarks.guarding`.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from time import process_time
from typing import Any

import torch

from app.public import stepgrad
from tests.benchmarks.forks import snippet
from tests.benchmarks.table import Row, Size, at_most, show

ROUNDS = {Size.SMALLEST: 3, Size.FULL: 15}
SAVES = {Size.SMALLEST: 1_000, Size.FULL: 100_000}
TITLE = f"Guard: a training step (processor time on one core, median of {ROUNDS[Size.FULL]} alternating rounds)"
GPT, SHAPE = "gpt", "D, T, HEADS = 64, 32, 4"
STEPS: dict[Size, list[tuple[str, str, tuple[tuple[str, str], ...], float]]] = {
    Size.SMALLEST: [("GPT step, 12 blocks, d 64, T 32", GPT, (), 1.8)],
    Size.FULL: [
        ("GPT step, 12 blocks, d 64, T 32", GPT, (), 1.8),
        ("GPT step, 12 blocks, d 384, T 64", GPT, ((SHAPE, "D, T, HEADS = 384, 64, 6"),), 1.15),
        ("ResNet-18, batch 2, 64 x 64", "resnet18", (), 1.25),
    ],
}
"""Each entry has a title, a snippet, replacements in the snippet, and the maximum slowdown of a step."""
BYTES_PER_SAVE = 400

Way = Callable[[], AbstractContextManager[Any]]


def _debug_mode() -> AbstractContextManager[Any]:
    from torch.utils._debug_mode import DebugMode

    return DebugMode()


WAYS: dict[str, Way] = {
    "bare": nullcontext,
    "guarded": stepgrad.guard,
    "guarded, a tenth of the steps": lambda: stepgrad.guard(sample=0.1),
    "detect_anomaly": lambda: torch.autograd.set_detect_anomaly(True),
    "DebugMode": _debug_mode,
}


def measure(size: Size) -> list[Row]:
    """Measure each training step in each way, and the memory for each saved tensor."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rows = [row for each in STEPS[size] for row in _ratios(*each, size)]
    finally:
        torch.set_num_threads(threads)
    return [*rows, _memory(size)]


def _ratios(what: str, name: str, replaced: tuple[tuple[str, str], ...], most: float, size: Size) -> list[Row]:
    step = _step(name, replaced)
    took: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(ROUNDS[size] + 1):
        for way, block in WAYS.items():
            begun = process_time()
            with block():
                step()
            took[way].append(process_time() - begun)
    medians = {way: statistics.median(times[1:]) for way, times in took.items()}
    bare, guarded = medians["bare"], medians["guarded"]
    told = f"{bare * 1e3:.1f} -> {guarded * 1e3:.1f} ms = {guarded / bare:.2f} x"
    others = [
        Row(what=f"  {way}", measured=f"{median / bare:.2f} x")
        for way, median in medians.items()
        if way not in {"bare", "guarded"}
    ]
    return [at_most(f"{what}: guarded", told, guarded / bare, most, "x"), *others]


def _step(name: str, replaced: tuple[tuple[str, str], ...]) -> Callable[[], None]:
    source = snippet(name)
    for old, new in replaced:
        assert old in source
        source = source.replace(old, new)
    made, _, body = source.partition("clock = [process_time()]\n")
    names: dict[str, Any] = {"clock": []}
    exec(made, names)
    run = compile(body, name, "exec")

    def step() -> None:
        names["model"].zero_grad()
        exec(run, names)
        names["clock"].clear()

    return step


def _memory(size: Size) -> Row:
    """Return the additional memory per saved tensor, measured in separate processes."""
    bare, guarded = (_resident(SAVES[size], is_guarded) for is_guarded in (False, True))
    added = (guarded - bare) / SAVES[size]
    return at_most("memory of a saved tensor", f"{added:.0f} bytes", added, BYTES_PER_SAVE, "bytes")


def _resident(count: int, is_guarded: bool) -> int:
    arguments = [sys.executable, "-m", "tests.benchmarks.guarding", str(count), str(int(is_guarded))]
    root = Path(__file__).parents[2]
    return int(subprocess.run(arguments, cwd=root, capture_output=True, text=True, check=True).stdout)


def _grow(count: int, is_guarded: bool) -> None:
    """Print by how many bytes this process grows during operators that save one tensor each."""
    with stepgrad.guard() if is_guarded else nullcontext():
        x = torch.ones(1, requires_grad=True)
        for _ in range(100):
            x = x.exp()
        before = _pages()
        for _ in range(count):
            x = x.exp()
        print((_pages() - before) * os.sysconf("SC_PAGESIZE"))
        sys.stdout.flush()
        os._exit(0)  # freeing such a long chain takes as long as creating it


def _pages() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _grow(int(sys.argv[1]), sys.argv[2] == "1")
    sys.exit(0 if show(TITLE, measure(Size.FULL)) else 1)
