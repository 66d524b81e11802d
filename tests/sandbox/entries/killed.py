"""A tracer whose zygote is killed before it is ready, as where memory runs out."""

import os
import signal

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    """The end."""
    os.kill(os.getpid(), signal.SIGKILL)
