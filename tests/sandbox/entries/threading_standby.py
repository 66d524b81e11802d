"""A tracer that leaves a thread running after the warm-up, as torch does with a GPU."""

import threading
import time
from collections.abc import Iterator

from .plain import preload, run

__all__ = ["preload", "run", "warm_up"]


def warm_up() -> Iterator[None]:
    """Start a thread that never ends, and wait long enough for it to be noticed."""
    yield
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    time.sleep(2)
