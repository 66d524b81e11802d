"""Correct programs have no findings.

Programs in no_findings/ are ordinary training code; the hints listed here are accepted. Programs in near_misses/ resemble
mistakes and have no findings at all. To add a case, add a file.
"""

from functools import cache
from pathlib import Path

import pytest

from app.explain import explain
from app.trace.ends import Finished
from tests.explain.recorded import Traces, record

FOLDER = Path(__file__).parent
SNIPPETS = {path.name.removesuffix(".py.txt"): path for path in sorted((FOLDER / "no_findings").glob("*.py.txt"))}
NEAR_MISSES = sorted((FOLDER / "near_misses").glob("*.py.txt"))

HINTS = {"straight-through": ["grad_accumulated 16"]}
"""Hints that are useful although the program is correct."""


@cache
def recordings() -> Traces:
    return Traces({name: path.read_text(encoding="utf-8") for name, path in SNIPPETS.items()})


def test_there_are_many() -> None:
    assert len(SNIPPETS) >= 90 and set(HINTS) <= set(SNIPPETS)


@pytest.mark.sweep
@pytest.mark.parametrize("name", SNIPPETS)
def test_nothing_is_wrong_with_it(name: str) -> None:
    document = explain(recordings()[name])
    assert isinstance(document.trace.ended, Finished)
    assert [finding.severity for finding in document.findings] == ["hint"] * len(document.findings)
    assert [f"{finding.kind} {finding.line}" for finding in document.findings] == HINTS.get(name, [])


@pytest.mark.sweep
@pytest.mark.parametrize("path", NEAR_MISSES, ids=lambda path: path.name.removesuffix(".py.txt"))
def test_what_only_looks_like_a_finding_is_none(path: Path) -> None:
    (trace,) = record([path.read_text(encoding="utf-8")])
    assert isinstance(trace.ended, Finished), trace.ended
    assert explain(trace).findings == []
