"""What the tests of the recorder share: one warm process of each kind, in whose forks snippets run."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.trace.check import check
from tests.tracer.reading import Reading
from tests.tracer.test_differential import folded
from tests.tracer.workers import Worker

Record = Callable[[str], Reading]
SNIPPETS = Path(__file__).parent / "snippets"


@pytest.fixture(scope="session")
def plain() -> Iterator[Worker]:
    """Says what torch says after every statement."""
    with Worker("plain") as worker:
        yield worker


@pytest.fixture(scope="session")
def bare() -> Iterator[Worker]:
    """Runs snippets that nobody watches."""
    with Worker("bare") as worker:
        yield worker


@pytest.fixture(scope="session")
def recorded() -> Iterator[Worker]:
    """Records snippets."""
    with Worker("recorded") as worker:
        yield worker


@pytest.fixture(scope="session")
def record(recorded: Worker) -> Record:
    """Records a snippet and checks its trace."""

    def read(source: str) -> Reading:
        trace = folded(source, recorded.answer(source).encode().splitlines())
        check(trace)
        return Reading(trace)

    return read


@pytest.fixture(scope="session")
def snippet(record: Record) -> Record:
    """Records the one file in `snippets/` whose name begins so."""

    def read(name: str) -> Reading:
        (path,) = SNIPPETS.glob(f"{name}_*.py")
        return record(path.read_text("utf-8"))

    return read
