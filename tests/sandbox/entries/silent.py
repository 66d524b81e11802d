"""A tracer that records no output of a snippet."""

from collections.abc import Callable

from .plain import preload, warm_up
from .plain import run as run_plain

__all__ = ["preload", "run", "warm_up"]


def run(request: bytes, emit: Callable[[bytes], None]) -> None:
    """Execute the source without its output."""
    import os

    os.dup2(0, 1)
    run_plain(request, emit)
