"""A part that never ends, with a child process that never ends."""

import os
import subprocess
import sys
from pathlib import Path

from tests.gpu.case import Case

PLACE = "TEST_STEPGRAD_GPU_PID"
"""The environment variable with the path of the file for the id of the child process."""


def cases(device: str) -> list[Case]:
    """Return one case that holds, and one that hangs."""

    def hang() -> None:
        started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(os.environ[PLACE]).write_text(str(started.pid))
        started.wait()

    return [Case("holds", lambda: None), Case("hangs", hang)]
