"""Distribute test files to the processes of pytest-xdist.

A process prefers tests that need the servers it has already started, and starts with those that take longest.
"""

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.imports import imported

ROOT = Path(__file__).parents[1]
BROWSER = "tests/browser/"
BY_TEST = (BROWSER, "tests/benchmarks/test_benchmarks.py")
"""Folders and files with individually distributed tests."""
SHARED = frozenset(f"tests/{name}.py" for name in ("recordings", "scripts", "commands", "web/server", "postgresql"))
"""Modules that start a server or a process once for all tests of a process. Most import torch, which takes 5 to 10 s of
processor time.
"""
WORTH_A_START = 60
"""Another process starts a server if tests that take at least this many seconds still need it."""
SECONDS_OF_A_TEST = 0.5
LONG = {
    "tests/explain/test_sentences.py": 60,
    "tests/benchmarks/test_benchmarks.py::test_a_part_runs_to_its_end[tests.benchmarks.rooms]": 60,
    "tests/test_docs.py": 30,
    "tests/test_notebook.py": 30,
    "tests/test_sampling.py": 30,
    "tests/test_texts.py": 60,
}
"""Estimated durations in seconds before any test run was measured: of a single test, and of files or tests that take longest."""
CACHE = "stepgrad/seconds"
"""The key for measured durations in pytest's cache."""


@cache
def is_whole(file: str) -> bool:
    """Whether all tests of the file run in one process, for example because they share a module fixture."""
    return not file.startswith(BY_TEST) or 'scope="module"' in (ROOT / file).read_text("utf-8")


def unit(nodeid: str) -> str:
    """Return what is distributed as a whole: the file of a test, or the test itself."""
    file = nodeid.partition("::")[0]
    return file if is_whole(file) else nodeid


@cache
def needs(unit: str) -> frozenset[str]:
    """Return the modules in SHARED that the tests need."""
    file = unit.partition("::")[0]
    return frozenset({BROWSER}) if file.startswith(BROWSER) else SHARED & imported(file)


class Dealing(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """A pytest-xdist scheduler.

    In each process, browser tests come first, and the browser is closed before other tests. Playwright's event loop does not
    permit another event loop.
    """

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._seconds: dict[str, float] = config.cache.get(CACHE, {})
        self._started: dict[Any, set[str]] = defaultdict(set)

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        left: dict[frozenset[str], float] = defaultdict(float)
        for each in self.workqueue:
            left[needs(each)] += self._time(each)
        first = max(self.workqueue, key=lambda each: self._urgency(each, node, left[needs(each)]))
        self._started[node] |= needs(first)
        self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)

    def _time(self, unit: str) -> float:
        return self._seconds.get(unit, LONG.get(unit, SECONDS_OF_A_TEST * len(self.workqueue[unit])))

    def _urgency(self, unit: str, node: Any, left: float) -> tuple[bool, float, float]:
        """Return a sort key for tests that need the same servers: their remaining seconds, divided by the number of processes
        that have started these servers.
        """
        needed, started = needs(unit), self._started[node]
        share = left / (1 + sum(needed <= others for others in self._started.values()))
        if needed <= started:
            share = float("inf") if needed else WORTH_A_START
        return BROWSER in needed & started, share, self._time(unit)


class Times:
    """Store the duration of each file or test in pytest's cache."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[unit(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        known = self._config.cache.get(CACHE, {})
        self._config.cache.set(CACHE, {**known, **{name: round(seconds, 1) for name, seconds in self._seconds.items()}})
