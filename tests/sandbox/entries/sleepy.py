"""A tracer whose preload never comes to its end."""

import signal

from .plain import run

__all__ = ["preload", "run"]


def preload() -> None:
    """Sleep for ever."""
    signal.pause()
