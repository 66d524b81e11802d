"""A tracer whose import leaves a thread running, which a fork would not copy."""

import threading

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    """Start a thread that never ends."""
    threading.Thread(target=threading.Event().wait, daemon=True).start()
