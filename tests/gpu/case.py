"""The test cases of the GPU tests."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A property that must hold on the device."""

    name: str
    check: Callable[[], None]
    """Raises an exception with the observed value if the property does not hold."""
    needs_cuda: str | None = None
    """Why the case needs CUDA and does not run on the CPU; None if it runs on both."""


class CannotRunError(Exception):
    """Raised if none of a module's cases can run on this machine. The message names what is missing."""
