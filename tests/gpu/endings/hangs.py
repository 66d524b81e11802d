"""A test module that never ends and starts a child process that never ends."""

import os
import subprocess
import sys
from pathlib import Path

from tests.gpu.case import Case

PLACE = "TEST_STEPGRAD_GPU_PID"
"""An environment variable with the path of a file, to which the module writes the id of its child process."""


def cases(device: str) -> list[Case]:
    def hang() -> None:
        started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(os.environ[PLACE]).write_text(str(started.pid))
        started.wait()

    return [Case("holds", lambda: None), Case("hangs", hang)]
