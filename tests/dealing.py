"""Distributes test files to worker processes: a process gets tests that need the servers it has already started, longest
first.
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
"""Folders and files whose tests are distributed one by one."""
SHARED = frozenset(f"tests/{name}.py" for name in ("recordings", "scripts", "commands", "web/server", "postgresql"))
"""Helpers that start a server or process for all tests of a worker process. Most import torch: 5 to 10 s of processor time."""
WORTH_A_START = 60
"""If at least this many seconds of tests remain, another process starts the servers they need."""
SECONDS_OF_A_TEST = 0.5
LONG = {
    "tests/explain/test_sentences.py": 60,
    "tests/benchmarks/test_benchmarks.py::test_a_part_runs_to_its_end[tests.benchmarks.rooms]": 60,
    "tests/test_docs.py": 30,
    "tests/test_notebook.py": 30,
    "tests/test_sampling.py": 30,
    "tests/test_texts.py": 60,
}
"""Estimated seconds in a fresh checkout, where no earlier run was measured: of one test, and of units of few but long tests."""
CACHE = "stepgrad/seconds"
"""The key in pytest's cache of the measured seconds of each unit."""


@cache
def is_whole(file: str) -> bool:
    """Whether one process runs the whole file, because its tests share a fixture that takes long to start."""
    return not file.startswith(BY_TEST) or 'scope="module"' in (ROOT / file).read_text("utf-8")


def unit(nodeid: str) -> str:
    """Return the unit of distribution that a test belongs to: its file, or the test itself."""
    file = nodeid.partition("::")[0]
    return file if is_whole(file) else nodeid


@cache
def needs(unit: str) -> frozenset[str]:
    """Return the helpers that a process must have started for the tests of a unit."""
    file = unit.partition("::")[0]
    return frozenset({BROWSER}) if file.startswith(BROWSER) else SHARED & imported(file)


class Dealing(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """A process with a browser first runs all browser tests, and closes the browser before any other test, because Playwright's
    event loop permits no second event loop.
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
        """Return a sort key: mainly the remaining seconds of tests with the same needs, divided by the number of processes that
        have started the needed servers.
        """
        needed, started = needs(unit), self._started[node]
        share = left / (1 + sum(needed <= others for others in self._started.values()))
        if needed <= started:
            share = float("inf") if needed else WORTH_A_START
        return BROWSER in needed & started, share, self._time(unit)


class Times:
    """Stores the duration of each unit for the next run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[unit(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        known = self._config.cache.get(CACHE, {})
        self._config.cache.set(CACHE, {**known, **{name: round(seconds, 1) for name, seconds in self._seconds.items()}})
