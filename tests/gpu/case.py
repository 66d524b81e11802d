"""What a part is made of."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One thing that must hold on the device."""

    name: str
    check: Callable[[], None]
    """Raises if the check fails; the message has the observed value."""
    needs_cuda: str | None = None
    """Why it means nothing on the CPU, where it is left out."""


class CannotRunError(Exception):
    """A requirement of the whole part is missing; the message names it."""
