"""A test that hangs ends its process with the stack of every thread: `faulthandler_timeout` in pyproject.toml.

A process that others share, once it has started, and a recording, once it is made, give the test its whole time again.
"""

import faulthandler
from typing import Final

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

SEVERAL: Final = ("tests/browser/", "tests/fleet/", "tests/matrix/", "tests/rooms/")
"""Folders with tests that drive browsers and several servers, or install packages: they have three times the limit."""
MANY_PROGRAMS: Final = 15
"""The same for a test marked `patient`, which goes through many programs where a change concerns them."""

_running: list[pytest.Item] = []


def begin(item: pytest.Item) -> None:
    """The setup of a test begins."""
    _running[:] = [item]
    restart()


def restart() -> None:
    """Give the test that runs its whole time again, if it has a limit."""
    for item in _running:
        if seconds := float(item.config.getini("faulthandler_timeout")):
            times = 3 if item.nodeid.startswith(SEVERAL) else 1
            if item.get_closest_marker("patient") is not None:
                times = MANY_PROGRAMS
            stderr = item.config.stash[fault_handler_stderr_fd_key]
            faulthandler.dump_traceback_later(times * seconds, exit=True, file=stderr)
