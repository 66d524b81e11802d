"""A tracer with a `warm_up` that leaves a thread running, as torch does with a GPU."""

import threading
import time
from collections.abc import Iterator

from .plain import preload, run

__all__ = ["preload", "run", "warm_up"]


def warm_up() -> Iterator[None]:
    """Start an endless thread, and wait until the sandbox can notice it."""
    yield
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    time.sleep(2)
