"""Time limits: a test that hangs ends its process and prints the stack of every thread (`faulthandler_timeout` in
pyproject.toml).

The time to start a process that imports torch, or to make a recording, does not count: afterwards the test has its full limit
again.
"""

import faulthandler
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

SEVERAL: Final = ("tests/browser/", "tests/fleet/", "tests/matrix/", "tests/rooms/", "tests/test_notebook.py")
"""Tests that drive browsers, several servers or a whole notebook, or install packages. They have twice the limit."""
MANY_PROGRAMS: Final = 5
"""The factor for a test marked `patient`, which goes through many programs if a change concerns them."""
OF_A_START: Final = 2
"""The factor for the start of a process, even on a busy machine."""

_running: list[pytest.Item] = []


def begin(item: pytest.Item) -> None:
    """Start the limit of a test, at the beginning of its setup."""
    _running[:] = [item]
    _give()


@contextmanager
def starting() -> Iterator[None]:
    """Suspend the limit of the test while a process starts or makes a recording."""
    _give(OF_A_START)
    yield
    _give()


def _give(times: int | None = None) -> None:
    """Restart the timer with `times` times the limit, or with the factor of the running test."""
    for item in _running:
        if seconds := float(item.config.getini("faulthandler_timeout")):
            stderr = item.config.stash[fault_handler_stderr_fd_key]
            faulthandler.dump_traceback_later((times or _times(item)) * seconds, exit=True, file=stderr)


def _times(item: pytest.Item) -> int:
    several = 2 if item.nodeid.startswith(SEVERAL) else 1
    return several if item.get_closest_marker("patient") is None else MANY_PROGRAMS
