"""A tracer with an import that starts a thread. A fork would not copy the thread."""

import threading

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
