"""What every test shares, and how tests are dealt out where several processes run them."""

import compileall
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from app.settings import memory_of_this_machine
from tests import postgresql, recordings
from tests.browser.chromium import LEFT_OUT
from tests.sandbox import processes

# Derandomised, so that a run says something about the change under test and not about luck; no clock, because a shared machine
# is slow now and then.
settings.register_profile("stepgrad", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("stepgrad")

APP = Path(__file__).parents[1] / "app"
ALONE = ("tests/browser/", "tests/test_benchmarks.py")
"""What is dealt out test by test."""
SHORT = ("tests/store/", "tests/trace/")
"""Files that take a second or two each: they come last, so that no process waits long for what another has begun."""
PROCESS_BYTES = 3 << 30
"""What one process of the tests takes at most, with its browser, its server and the runs of both."""


class Dealing(LoadScopeScheduling):  # type: ignore[misc]  # xdist tells no types
    """A process takes a whole file at a time, so that what its tests share is started once; of the browser's, single tests.

    Those come first: each process has a server and a browser of its own for them, and closes both before it goes on, for
    Playwright's event loop allows no other one beside it.
    """

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(ALONE) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Dealing:
    """The files in their order, the browser's first."""
    return Dealing(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are processors, for tests wait for clocks, browsers and new processes; fewer where memory is short."""
    return max(1, min(len(os.sched_getaffinity(0)) + 1, memory_of_this_machine() // PROCESS_BYTES))


def pytest_configure(config: pytest.Config) -> None:
    """Where several processes run the tests, the first makes the folder of the recordings, and the others inherit it."""
    if recordings.FOLDER not in os.environ:
        os.environ[recordings.FOLDER] = folder = tempfile.mkdtemp(prefix="stepgrad-recordings-")
        config.add_cleanup(lambda: shutil.rmtree(folder))
        # Servers, sandboxes and explainers may write nothing here, so each of some hundred would compile all of it again.
        compileall.compile_dir(APP, quiet=2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The short ones last."""
    items.sort(key=lambda item: item.nodeid.startswith(SHORT))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were left out for want of a browser, and why."""
    skipped = terminalreporter.getreports("skipped")
    left_out = [report for report in skipped if isinstance(report.longrepr, tuple) and LEFT_OUT in report.longrepr[2]]
    if left_out:
        terminalreporter.write_line(f"Left out: {len(left_out)} tests with a browser, because {LEFT_OUT}.")


def pytest_collection_finish() -> None:
    """What was imported and collected stays: no collection of garbage looks through it again."""
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def know_strangers() -> None:
    """Warm processes of other files wait below this one; they belong to no sandbox of this file."""
    processes.unrelated.clear()
    processes.unrelated.update((process.pid, process.began) for process in processes.below(os.getpid()))


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgresql.Cluster]:
    """A PostgreSQL that the tests of this process share; a test that stops it starts it again."""
    with postgresql.cluster() as up:
        yield up
