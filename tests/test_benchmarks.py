"""Every part of `make bench` runs to its end, at its smallest size: what it measures then is no figure to go by."""

import re
from types import ModuleType

import pytest

from benchmarks.__main__ import PARTS
from benchmarks.table import Size, show


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
