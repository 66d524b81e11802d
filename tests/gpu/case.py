"""The cases of a part."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A property that must hold on the device."""

    name: str
    check: Callable[[], None]
    """Raises if the check fails; the message has the observed value."""
    needs_cuda: str | None = None
    """The reason if the case needs CUDA and is left out on the CPU."""


class CannotRunError(Exception):
    """A requirement of the whole part is missing; the message names it."""
