"""A test module with a process that dies in the second case."""

import os
import signal

from tests.gpu.case import Case


def cases(device: str) -> list[Case]:
    return [
        Case("holds", lambda: None),
        Case("dies", lambda: os.kill(os.getpid(), signal.SIGSEGV)),
        Case("never", lambda: None),
    ]
