"""A tracer with a zygote that stops responding after a signal."""

import signal
import time

from .plain import run, warm_up

__all__ = ["preload", "run", "warm_up"]


def preload() -> None:
    """Install signal handlers: SIGUSR1 computes for 50 ms, SIGUSR2 computes forever, SIGHUP sleeps forever."""
    signal.signal(signal.SIGUSR1, lambda *_: _work(0.05))
    signal.signal(signal.SIGUSR2, lambda *_: _work(1e9))
    signal.signal(signal.SIGHUP, lambda *_: time.sleep(1e6))


def _work(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
