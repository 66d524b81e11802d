"""Run snippets, with or without the recorder, and cache the results for all tests.

build/recordings has a file for each result, named by a hash of the kind of run, the snippet and the options. The seed is
always 0. The name of the folder is a hash of everything else that affects the results; folders with other hashes are removed.
"""

import atexit
import hashlib
import json
import os
import shutil
import sys
import tempfile
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from app.trace.chunks import Folding, Trace
from app.trace.codec import decode_chunk
from app.trace.ends import Interfered
from tests import limits
from tests.trace.header import HEADER
from tests.tracer.workers import How, Process, Worker

FOLDER = "TEST_STEPGRAD_RECORDINGS"
"""The environment variable with the path of the folder, set in tests/conftest.py for all test processes."""

ROOT = Path(__file__).parents[1]
MADE_BY = (
    "app/__init__.py",
    "app/trace/*.py",
    "app/tracer/**/*.py",
    "tests/trace/*.py",
    "tests/tracer/**/*.py",
    "tests/recordings.py",
)
"""The files that affect results, besides the versions of Python, torch and numpy."""


def folder() -> Path:
    """Return the folder for the current checkout. Creates the folder, and removes the folders of other checkouts."""
    digest = hashlib.sha256(f"{ROOT} {sys.version} {version('torch')} {version('numpy')}".encode())
    for path in sorted(path for pattern in MADE_BY for path in ROOT.glob(pattern) if not path.name.startswith("test_")):
        digest.update(path.read_bytes())
    kept = ROOT / "build" / "recordings" / digest.hexdigest()[:16]
    kept.mkdir(parents=True, exist_ok=True)
    for other in kept.parent.iterdir():
        if other != kept:
            shutil.rmtree(other, ignore_errors=True)
    return kept


@cache
def process(kind: Literal["plain", "recording"]) -> Process:
    """Return the process that runs snippets of this kind. The returned process ends with the current process."""
    started = Process(kind)
    atexit.register(started.__exit__)
    return started


def worker(how: How) -> Worker:
    """Return the worker for this kind of runs."""
    return Worker(how, process("plain" if how in ("plain", "bare") else "recording"))


def answer(source: str, how: How = "recorded", *, turn: int = 1, **options: Any) -> str:
    """Return the result of a run. Another `turn` repeats the run instead of using the cached result."""
    asked = json.dumps([how, source, turn, options], sort_keys=True)
    kept = Path(os.environ[FOLDER]) / hashlib.sha256(asked.encode()).hexdigest()
    if kept.exists():
        return kept.read_bytes().decode()
    with limits.starting():
        said = worker(how).answer(source, **options)
    # The rename is atomic, because another process may read the file at the same time.
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
        file.write(said.encode())
    Path(file.name).rename(kept)
    return said


def chunks(source: str, how: How = "recorded", **options: Any) -> list[bytes]:
    """Return the chunks of JSON that the recorder sends while it runs a snippet."""
    return answer(source, how, **options).encode().splitlines()


def folded(source: str, sent: list[bytes]) -> Trace:
    """Join chunks to a trace."""
    folding = Folding(source)
    for payload in sent:
        folding.add(decode_chunk(payload))
    return folding.trace(Interfered(reason="The recorder sent no end."), HEADER)
