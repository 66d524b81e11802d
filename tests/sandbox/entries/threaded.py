"""A tracer with a `preload` that leaves a thread running."""

import threading

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
