"""Runs snippets in warm processes and caches the results, for all tests of this run and of the next one.

A result is a file in build/recordings, named by a hash of the kind of run, the snippet and the options. The seed is always 0.
The name of the folder is a hash of everything that affects a result. Folders with other hashes are removed.
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
"""The environment variable with the folder, for every process of a session; set in tests/conftest.py."""

ROOT = Path(__file__).parents[1]
MADE_BY = (
    "app/__init__.py",
    "app/trace/*.py",
    "app/tracer/**/*.py",
    "tests/trace/*.py",
    "tests/tracer/**/*.py",
    "tests/recordings.py",
)
"""The files that affect a result, in addition to Python, torch and numpy."""


def folder() -> Path:
    """Return the folder for the current checkout. Creates it if necessary, and removes the folders of older checkouts."""
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
    """Return the warm process of this kind, which ends with this process."""
    started = Process(kind)
    atexit.register(started.__exit__)
    return started


def worker(how: How) -> Worker:
    """Return the worker for runs of this kind."""
    return Worker(how, process("plain" if how in ("plain", "bare") else "recording"))


def answer(source: str, how: How = "recorded", *, turn: int = 1, **options: Any) -> str:
    """Return the output of a run. A run that must be repeated for a comparison has another `turn`."""
    asked = json.dumps([how, source, turn, options], sort_keys=True)
    kept = Path(os.environ[FOLDER]) / hashlib.sha256(asked.encode()).hexdigest()
    if kept.exists():
        return kept.read_bytes().decode()
    with limits.starting():
        said = worker(how).answer(source, **options)
    # Rename atomically: another process may look for the file at this moment.
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
        file.write(said.encode())
    Path(file.name).rename(kept)
    return said


def chunks(source: str, how: How = "recorded", **options: Any) -> list[bytes]:
    """Return the chunks that the recorder sends while a snippet runs."""
    return answer(source, how, **options).encode().splitlines()


def folded(source: str, sent: list[bytes]) -> Trace:
    """Return the trace that the recorder's chunks fold to."""
    folding = Folding(source)
    for payload in sent:
        folding.add(decode_chunk(payload))
    return folding.trace(Interfered(reason="The recorder sent no end."), HEADER)
