"""Time limits for tests. If a test hangs, its process ends and prints the stack of every thread.

The limit is `faulthandler_timeout` in pyproject.toml. The timer starts again after a process has imported torch or made a
recording, so that this time does not count.
"""

import faulthandler
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

SEVERAL: Final = ("tests/browser/", "tests/fleet/", "tests/matrix/", "tests/rooms/", "tests/test_notebook.py")
"""These tests have twice the limit: they drive browsers, several servers or a notebook, or install packages."""
MANY_PROGRAMS: Final = 5
"""The factor for a test marked `patient`, which may test many programs."""
OF_A_START: Final = 2
"""The factor for starting a process on a busy machine."""

_running: list[pytest.Item] = []


def begin(item: pytest.Item) -> None:
    """Start the time limit of a test."""
    _running[:] = [item]
    _give()


@contextmanager
def starting() -> Iterator[None]:
    """Suspend the time limit while a process starts or makes a recording."""
    _give(OF_A_START)
    yield
    _give()


def _give(times: int | None = None) -> None:
    """Restart the timer with `times` times the limit, or with the factor of the current test."""
    for item in _running:
        if seconds := float(item.config.getini("faulthandler_timeout")):
            stderr = item.config.stash[fault_handler_stderr_fd_key]
            faulthandler.dump_traceback_later((times or _times(item)) * seconds, exit=True, file=stderr)


def _times(item: pytest.Item) -> int:
    several = 2 if item.nodeid.startswith(SEVERAL) else 1
    return several if item.get_closest_marker("patient") is None else MANY_PROGRAMS
