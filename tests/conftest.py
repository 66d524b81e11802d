"""Configure pytest: time limits, distribution to processes, and sampling; and fixtures for all tests."""

import compileall
import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from app.compose.settings import memory_of_this_machine
from tests import limits, postgresql, recordings, sampling
from tests.browser.chromium import LEFT_OUT
from tests.dealing import Dealing, Times
from tests.sandbox import processes

# Derandomised, so that a failure comes from the change under test and not from chance. Without a deadline, because a shared
# machine is sometimes slow.
settings.register_profile("stepgrad", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("stepgrad")

APP = Path(__file__).parents[1] / "app"
PROCESS_BYTES = 3 << 30
"""The maximum memory that a test process needs, with its browser, its server and their runs."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Dealing:
    """Distribute tests by the servers that they need and by their duration."""
    return Dealing(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of processors plus one, because tests often wait; fewer if there is not enough memory."""
    return max(1, min(len(os.sched_getaffinity(0)) + 1, memory_of_this_machine() // PROCESS_BYTES))


def pytest_configure(config: pytest.Config) -> None:
    """Choose the folder for recordings in the main process. The processes of pytest-xdist inherit it."""
    if recordings.FOLDER not in os.environ:
        os.environ[recordings.FOLDER] = str(recordings.folder())
        # Servers and sandboxes cannot write compiled modules. Without this, each of several hundred processes would compile
        # all modules.
        compileall.compile_dir(APP, quiet=2)
        config.pluginmanager.register(Times(config))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Start the time limit of a test."""
    limits.begin(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Restore `__main__`, which a recording in a test process replaces. A forked script would run the file of this module."""
    main, arguments = sys.modules["__main__"], sys.argv
    try:
        return (yield)
    finally:
        sys.modules["__main__"], sys.argv = main, arguments


def pytest_report_header(config: pytest.Config) -> str:
    sample = sampling.choose(config)
    return "sweeps: all of them" if sample is None else sample.told()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests that are not in the sample. pytest applies `-m` to the remaining tests."""
    sampling.mark(items)
    if (sample := sampling.choose(config)) is not None:
        chosen = {item for item in items if sample.has(item)}
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = [item for item in items if item in chosen]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many tests were skipped because no browser is available, and why."""
    skipped = terminalreporter.getreports("skipped")
    left_out = [report for report in skipped if isinstance(report.longrepr, tuple) and LEFT_OUT in report.longrepr[2]]
    if left_out:
        terminalreporter.write_line(f"Left out: {len(left_out)} tests with a browser, because {LEFT_OUT}.")


def pytest_collection_finish() -> None:
    """Exempt all objects that exist after collection from garbage collection."""
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def know_strangers() -> None:
    """Remember the processes that earlier tests started, so that tests of the sandbox ignore them."""
    processes.unrelated.clear()
    processes.unrelated.update((process.pid, process.began) for process in processes.below(os.getpid()))


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgresql.Cluster]:
    """Start a PostgreSQL server for all tests of this process. A test that stops the server must start it again."""
    with postgresql.cluster() as up:
        yield up
