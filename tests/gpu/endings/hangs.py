"""A part that never ends, nor does a process that it started."""

import os
import subprocess
import sys
from pathlib import Path

from tests.gpu.case import Case

PLACE = "TEST_STEPGRAD_GPU_PID"
"""The variable with the file for the id of its child process."""


def cases(device: str) -> list[Case]:
    """One that holds, and one that hangs."""

    def hang() -> None:
        started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(os.environ[PLACE]).write_text(str(started.pid))
        started.wait()

    return [Case("holds", lambda: None), Case("hangs", hang)]
