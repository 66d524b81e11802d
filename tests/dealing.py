"""Distributes test files to worker processes, longest first."""

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[1]
BROWSER = "tests/browser/"
BY_TEST = (BROWSER, "tests/benchmarks/test_benchmarks.py")
"""Folders and files that are dealt out test by test."""
CACHE = "stepgrad/seconds"
"""Where pytest's cache has the seconds that each unit took."""


@cache
def is_whole(file: str) -> bool:
    """Whether one process runs the whole file: its tests share something that takes long to start."""
    return not file.startswith(BY_TEST) or 'scope="module"' in (ROOT / file).read_text("utf-8")


def unit(nodeid: str) -> str:
    """What one process takes at a time."""
    file = nodeid.partition("::")[0]
    return file if is_whole(file) else nodeid


class Dealing(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Browser tests come first: each process has a server and a browser for them, and closes both before other tests, because
    Playwright's event loop allows no other one.
    """

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._seconds: dict[str, float] = config.cache.get(CACHE, {})

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        first = max(self.workqueue, key=self._urgency)
        self.workqueue.move_to_end(first, last=False)
        super()._assign_work_unit(node)

    def _urgency(self, unit: str) -> tuple[bool, float]:
        return unit.startswith(BROWSER), self._seconds.get(unit, 0)


class Times:
    """Keeps how long each unit took, for the next time."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[unit(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        known = self._config.cache.get(CACHE, {})
        self._config.cache.set(CACHE, {**known, **{name: round(seconds, 1) for name, seconds in self._seconds.items()}})
