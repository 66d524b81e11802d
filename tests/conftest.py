"""What every test shares, and how tests are dealt out where several processes run them."""

import os

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from tests.sandbox import processes

# Derandomised, so that a run says something about the change under test and not about luck; no deadline, because a shared
# machine is slow now and then.
settings.register_profile("stepgrad", derandomize=True, deadline=None)
settings.load_profile("stepgrad")

BROWSER = "tests/browser/"
"""Its tests share one browser, whose event loop allows no other one beside it."""


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist tells no types
    """A process takes a whole file at a time, so that what its tests share is started once; of the browser's, all files."""

    def _split_scope(self, nodeid: str) -> str:
        return BROWSER if nodeid.startswith(BROWSER) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByFile:
    """The files in their order: the browser's, which take longest, come first."""
    return ByFile(config, log)


@pytest.fixture(scope="module", autouse=True)
def know_strangers() -> None:
    """Warm processes of other files wait below this one; they belong to no sandbox of this file."""
    processes.strangers.clear()
    processes.strangers.update(process.pid for process in processes.below(os.getpid()))
