"""A part that dies in its second case."""

import os
import signal

from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    """Three, of which the second is the last."""
    return [
        Case("holds", lambda: None),
        Case("dies", lambda: os.kill(os.getpid(), signal.SIGSEGV)),
        Case("never", lambda: None),
    ]
