"""Fixtures that run snippets in forks of processes that have already imported torch."""

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
    """Return a worker that reports torch's state after each statement, without a recorder."""
    return worker("plain")


@pytest.fixture(scope="session")
def bare() -> Worker:
    """Return a worker that reports a snippet's output, warnings and exception, without a recorder."""
    return worker("bare")


@pytest.fixture(scope="session")
def recorded() -> Worker:
    """Return a worker that records snippets."""
    return worker("recorded")


@pytest.fixture(scope="session")
def record() -> Record:
    """Return a function that records a snippet and validates the trace."""

    def read(source: str) -> Reading:
        trace = folded(source, chunks(source))
        check(trace)
        return Reading(trace)

    return read


def assert_nothing_differs(source: str, bare: Worker, recorded: Worker) -> None:
    """Assert that the recorder changes neither the output nor the warnings nor the exception of a snippet."""
    trace = folded(source, recorded.answer(source).encode().splitlines())
    ours, theirs = said_by(trace), json.loads(bare.answer(source))
    assert {what: ours[what] for what in theirs} == theirs
