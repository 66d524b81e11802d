"""Ordinary training code, in ordinary/, one file each: nothing is said about it but the hints listed here.

Adding a case is adding a file.
"""

from functools import cache
from pathlib import Path

import pytest

from app.explain import explain
from app.trace.chunks import Trace
from app.trace.ends import Finished
from tests.explain.recorded import record

SNIPPETS = {path.name.removesuffix(".py.txt"): path for path in sorted((Path(__file__).parent / "ordinary").glob("*.py.txt"))}

HINTS = {"straight-through": ["grad_accumulated 16"]}
"""What is true of a snippet and good to know, though nothing is wrong with it."""


@cache
def recordings() -> dict[str, Trace]:
    return dict(zip(SNIPPETS, record([path.read_text(encoding="utf-8") for path in SNIPPETS.values()]), strict=True))


def test_there_are_many() -> None:
    assert len(SNIPPETS) >= 90 and set(HINTS) <= set(SNIPPETS)


@pytest.mark.parametrize("name", SNIPPETS)
def test_nothing_is_wrong_with_it(name: str) -> None:
    document = explain(recordings()[name])
    assert isinstance(document.trace.ended, Finished)
    assert [finding.severity for finding in document.findings] == ["hint"] * len(document.findings)
    assert [f"{finding.kind} {finding.line}" for finding in document.findings] == HINTS.get(name, [])
