"""What the tests of the recorder share: one warm process that records."""

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
def record() -> Iterator[Record]:
    """Records a snippet, each in a fork of its own."""
    with Worker("recorded") as worker:

        def recorded(source: str) -> Reading:
            trace = folded(source, worker.answer(source).encode().splitlines())
            check(trace)
            return Reading(trace)

        yield recorded


@pytest.fixture(scope="session")
def snippet(record: Record) -> Record:
    """Records the one file in `snippets/` whose name begins so."""

    def recorded(name: str) -> Reading:
        (path,) = SNIPPETS.glob(f"{name}_*.py")
        return record(path.read_text("utf-8"))

    return recorded
