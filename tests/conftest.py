"""Hooks and fixtures for all tests."""

import compileall
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from app.compose.settings import memory_of_this_machine
from tests import limits, postgresql, recordings, sampling
from tests.browser.chromium import LEFT_OUT
from tests.dealing import Dealing, Times
from tests.sandbox import processes

# Derandomised, so that a failure is caused by the change under test and not by chance. No deadline, because a shared machine is
# sometimes slow.
settings.register_profile("stepgrad", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("stepgrad")

APP = Path(__file__).parents[1] / "app"
PROCESS_BYTES = 3 << 30
"""The maximum memory of one test process, including its browser, its server and their runs."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Dealing:
    """Distribute tests by the servers they need and by their duration."""
    return Dealing(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of processors plus one, because tests often wait. Return fewer if memory is short."""
    return max(1, min(len(os.sched_getaffinity(0)) + 1, memory_of_this_machine() // PROCESS_BYTES))


def pytest_configure(config: pytest.Config) -> None:
    """Set the folder of the recordings in the controlling process; worker processes inherit it."""
    if recordings.FOLDER not in os.environ:
        os.environ[recordings.FOLDER] = str(recordings.folder())
        # Servers, sandboxes and explainers may not write compiled modules here. Without this step, each of several hundred
        # processes would compile every module.
        compileall.compile_dir(APP, quiet=2)
        config.pluginmanager.register(Times(config))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Limit the time of a test."""
    limits.begin(item)


def pytest_report_header(config: pytest.Config) -> str:
    """Report which part of the sweeps runs."""
    sample = sampling.choose(config)
    return "sweeps: all of them" if sample is None else sample.told()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the cases that the sample of the sweeps omits, before `-m` selects by marker."""
    sampling.mark(items)
    if (sample := sampling.choose(config)) is not None:
        chosen = {item for item in items if sample.has(item)}
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report how many tests were skipped for lack of a browser, and why."""
    skipped = terminalreporter.getreports("skipped")
    left_out = [report for report in skipped if isinstance(report.longrepr, tuple) and LEFT_OUT in report.longrepr[2]]
    if left_out:
        terminalreporter.write_line(f"Left out: {len(left_out)} tests with a browser, because {LEFT_OUT}.")


def pytest_collection_finish() -> None:
    """Exempt imported and collected objects from garbage collection."""
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def know_strangers() -> None:
    """Register the warm processes of other test files as unrelated to the sandboxes of this file."""
    processes.unrelated.clear()
    processes.unrelated.update((process.pid, process.began) for process in processes.below(os.getpid()))


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgresql.Cluster]:
    """Start a PostgreSQL server that all tests of this process share. A test that stops the server must start it again."""
    with postgresql.cluster() as up:
        yield up
