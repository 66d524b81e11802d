"""Scripts that import torch and Stepgrad, each run in a fork of one process that has imported both."""

import multiprocessing
import os
import runpy
import sys
from collections.abc import Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 120
"""A script that takes longer is stuck."""


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch._dynamo", "app.tracer.library", "app.report.transcript", "app.standalone"])
    return context


def run(script: Path, path: Sequence[Path] = ()) -> tuple[int, str, str]:
    """Exit code, output and errors of `python script` in its folder, where `stepgrad` and `path` can be imported."""
    said = [script.with_suffix(suffix) for suffix in (".stdout", ".stderr")]
    importable = [str(ROOT / "app" / "public"), str(ROOT), *map(str, path)]
    process = _context().Process(target=_run, args=(script, importable, said), daemon=True)  # a stuck one ends with the tests
    process.start()
    process.join(SECONDS)
    assert process.exitcode is not None, f"{script.name} takes longer than {SECONDS} s"
    return process.exitcode, *(each.read_text() for each in said)  # type: ignore[return-value]


def _run(script: Path, path: list[str], said: list[Path]) -> None:
    os.chdir(script.parent)
    for descriptor, file in enumerate(said, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), descriptor)
    sys.argv = [str(script)]
    sys.path[:] = [str(script.parent), *path, *sys.path]
    runpy.run_path(str(script), run_name="__main__")
