"""A real server in its own process, on a free port, with its own data and its own temporary directory."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.sandbox.processes import PATIENCE


class Running:
    """A server that is up."""

    def __init__(self, process: subprocess.Popen[str], url: str, data: Path, temporary: Path, log: Path) -> None:
        self.process = process
        self.url = url
        self.data = data
        self.temporary = temporary
        self.log = log
        self.end = -signal.SIGTERM
        """How it is to end."""

    def kill(self) -> None:
        """As if somebody pulled the plug."""
        self.process.kill()
        self.process.wait()
        self.end = -signal.SIGKILL

    def client(self) -> httpx.Client:
        """A client that waits as long as the longest run takes."""
        # Without TLS settings, which take longer to read than a run takes.
        return httpx.Client(base_url=self.url, timeout=2 * PATIENCE, verify=False)

    def quiet(self) -> None:
        """Wait until nothing runs, and for the canary, which takes a place once a minute, if it comes soon."""
        give_up = time.monotonic() + PATIENCE
        with self.client() as client:
            while True:
                health = client.get("/api/v1/health").raise_for_status().json()
                if (health["running"], health["waiting"]) == (0, 0) and health["canary_age_seconds"] < 40:
                    return
                assert time.monotonic() < give_up, health
                time.sleep(0.25)


@contextmanager
def running(**settings: str) -> Iterator[Running]:
    """`stepgrad serve` of this checkout with these settings (without their prefix), stopped at the end."""
    with running_command(sys.executable, "-m", "app", **settings) as up:
        yield up


@contextmanager
def running_command(*stepgrad: str, port: str = "0", **settings: str) -> Iterator[Running]:
    """The same by another command, and on a given port."""
    # Right below the system's own temporary directory: pytest's belong to its user alone, and the server gives root up.
    folder = Path(tempfile.mkdtemp(prefix="stepgrad-test-"))
    folder.chmod(0o755)
    temporary = folder / "tmp"
    temporary.mkdir()
    temporary.chmod(0o777)
    data, log = folder / "data", folder / "log"
    given = {f"STEPGRAD_{name.upper()}": value for name, value in settings.items()}
    environment = {**os.environ, "STEPGRAD_DATA": str(data), "TMPDIR": str(temporary), **given}
    command = [*stepgrad, "serve", "--port", port]
    with log.open("w") as stderr:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(f"Stepgrad is at http://{settings.get('host', '127.0.0.1')}:"), line + log.read_text()
        yield (up := Running(process, line.split()[-1], data, temporary, log))
        process.terminate()
        assert process.wait(PATIENCE) == up.end, log.read_text()
        assert process.stdout.read() == "", "one line when it is up, and no other"
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        shutil.rmtree(folder)
