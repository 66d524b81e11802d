"""What a part is made of."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One thing that must hold on the device."""

    name: str
    check: Callable[[], None]
    """Raises where it does not hold; the text says what was seen."""
    needs_cuda: str | None = None
    """Why it means nothing on the CPU, where it is left out."""


class CannotRunError(Exception):
    """What the whole part needs is not there; the text says what."""
