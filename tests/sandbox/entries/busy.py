"""A tracer whose zygote does not respond for a while, or for ever, after a signal."""

import signal
import time

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    """SIGUSR1: 50 ms of work. SIGUSR2: endless work. SIGHUP: endless sleep."""
    signal.signal(signal.SIGUSR1, lambda *_: _work(0.05))
    signal.signal(signal.SIGUSR2, lambda *_: _work(1e9))
    signal.signal(signal.SIGHUP, lambda *_: time.sleep(1e6))


def _work(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
