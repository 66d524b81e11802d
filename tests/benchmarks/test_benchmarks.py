"""Every part of `make bench` runs at its smallest size. Measured times are ignored.

Only the number of calls of the recorder's functions is checked, because it is the same on every machine.
"""

import re
from types import ModuleType

import pytest

from tests.benchmarks import sizing
from tests.benchmarks.__main__ import PARTS
from tests.benchmarks.forks import warm_up
from tests.benchmarks.recorder import EVENTS, calls_of
from tests.benchmarks.table import Size, show


@pytest.mark.sweep
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_a_part_runs_to_its_end(part: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    rows = part.measure(Size.SMALLEST)
    show(part.TITLE, rows)
    told = capsys.readouterr().out.splitlines()
    assert told[1] == part.TITLE and len(told) == 3 + len(rows) >= 7
    for row in rows:
        assert re.search(r"\d|none over", row.measured), row
        assert not re.search("nan|inf", row.measured), row
    assert sum(row.budget != "" for row in rows) >= 2


@pytest.mark.long
def test_the_parts_of_a_fleet_are_sized() -> None:
    rows = sizing.measure(Size.SMALLEST)
    assert len(rows) == 12 and all(re.search(r"\d", row.measured) for row in rows)


def test_no_event_takes_many_more_calls_than_it_did() -> None:
    """The limit has a margin, because the number of calls depends on the versions of Python and torch."""
    warm_up()
    for event in EVENTS:
        calls = calls_of(event)
        assert 0.5 * event.calls < sum(calls.values()) < 1.5 * event.calls, (event.what, calls)
