"""Fixtures for the tests of the recorder: workers that run snippets in forks of shared warm processes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.trace.check import check
from tests.recordings import chunks, folded, worker
from tests.tracer.bare import said_by
from tests.tracer.reading import Reading
from tests.tracer.workers import Worker

Record = Callable[[str], Reading]
SNIPPETS = Path(__file__).parent / "snippets"


@pytest.fixture(scope="session")
def plain() -> Worker:
    """Reports torch's state after every statement."""
    return worker("plain")


@pytest.fixture(scope="session")
def bare() -> Worker:
    """Runs snippets without a recorder."""
    return worker("bare")


@pytest.fixture(scope="session")
def recorded() -> Worker:
    """Records snippets."""
    return worker("recorded")


@pytest.fixture(scope="session")
def record() -> Record:
    """Records a snippet and checks its trace."""

    def read(source: str) -> Reading:
        trace = folded(source, chunks(source))
        check(trace)
        return Reading(trace)

    return read


def assert_nothing_differs(source: str, bare: Worker, recorded: Worker) -> None:
    """Check that a recorded snippet prints, warns and raises the same as an unrecorded one."""
    trace = folded(source, recorded.answer(source).encode().splitlines())
    ours, theirs = said_by(trace), json.loads(bare.answer(source))
    assert {what: ours[what] for what in theirs} == theirs
