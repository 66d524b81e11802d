"""The command `check`, which runs files in the sandbox and reports findings, with an exit code for continuous integration."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import Progress

from app.commands.snippet_files import own_sandbox, read_snippet, write
from app.errors import FAILED, FINISHED, MISUSED, CommandError
from app.explain import explain
from app.report import Checked, as_json, as_sarif, as_text, has_failed
from app.sandbox import SandboxError
from app.sandbox.decoded_run import trace_of
from app.trace.records import Limits, Request

FORMATS: Final[dict[str, Callable[[Sequence[Checked], str], str]]] = {"text": as_text, "json": as_json, "sarif": as_sarif}


def check(options: argparse.Namespace, limits: Limits) -> int:
    """Run each file and write the report; return 1 if a run did not finish or has an error or a warning, else 0.

    Raises CommandError with code 2 if a file cannot be read or run, because the check is then incomplete.
    """
    files = [file for given in options.files for file in _files(given)]
    paths = [_relative(file) for file in files]
    sources = [read_snippet(file, limits) for file in files]
    requests = [Request(source=source, seed=options.seed, limits=limits, stand_in=options.stand_in) for source in sources]
    try:
        checked = asyncio.run(_run(paths, requests, limits))
    except SandboxError as error:
        raise CommandError(str(error), MISUSED) from None
    write(options.output, FORMATS[options.format](checked, options.language).encode())
    return FAILED if has_failed(checked) else FINISHED


async def _run(paths: list[str], requests: list[Request], limits: Limits) -> list[Checked]:
    bar = Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    async with own_sandbox(limits) as sandbox:
        with bar:
            files = bar.track(list(zip(paths, requests, strict=True)), description="running")
            return [Checked(path, explain(trace_of(await sandbox.run(request)))) for path, request in files]


def _files(given: str) -> list[str]:
    """The Python files below a folder, except in hidden folders and virtual environments; for a file, the file itself."""
    if given == "-" or not os.path.isdir(given):
        return [given]
    found = []
    for folder, folders, files in os.walk(given):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not Path(folder, name, "pyvenv.cfg").exists()
        )
        found += [os.path.join(folder, name) for name in sorted(files) if name.endswith(".py")]
    if not found:
        raise CommandError(f"{given} contains no Python file.", MISUSED)
    return found


def _relative(file: str) -> str:
    """The path of a file, relative to the working directory if possible, so that reports omit the layout of this machine."""
    if file == "-":
        return file
    path, here = Path(os.path.abspath(file)), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
