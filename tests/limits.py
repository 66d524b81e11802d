"""A test that hangs ends its process with the stack of every thread: `faulthandler_timeout` in pyproject.toml.

The start of a process that imports torch belongs to no test, and a recording that is made neither: afterwards the test has its
whole time again.
"""

import faulthandler
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

SEVERAL: Final = ("tests/browser/", "tests/fleet/", "tests/matrix/", "tests/rooms/", "tests/test_notebook.py")
"""Tests that drive browsers, several servers or a whole notebook, or install packages: they have twice the limit."""
MANY_PROGRAMS: Final = 5
"""How many times it a test marked `patient` has, which goes through many programs where a change concerns them."""
OF_A_START: Final = 2
"""How many times it the start of a process has, on however busy a machine."""

_running: list[pytest.Item] = []


def begin(item: pytest.Item) -> None:
    """The setup of a test begins."""
    _running[:] = [item]
    _give()


@contextmanager
def starting() -> Iterator[None]:
    """A process starts, or makes a recording."""
    _give(OF_A_START)
    yield
    _give()


def _give(times: int | None = None) -> None:
    """So many times the limit from now on, or as many as the test has that runs."""
    for item in _running:
        if seconds := float(item.config.getini("faulthandler_timeout")):
            stderr = item.config.stash[fault_handler_stderr_fd_key]
            faulthandler.dump_traceback_later((times or _times(item)) * seconds, exit=True, file=stderr)


def _times(item: pytest.Item) -> int:
    several = 2 if item.nodeid.startswith(SEVERAL) else 1
    return several if item.get_closest_marker("patient") is None else MANY_PROGRAMS
