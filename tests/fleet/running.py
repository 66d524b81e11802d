"""Run real workers in separate processes, and an engine in this process that sends runs to them."""

import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from app.engine import Admission, Capacity
from app.fleet import FleetEngine, Workers, client_of
from app.sandbox.tiers import Tier
from tests.sandbox.processes import PATIENCE

PLACES = 4


class RunningWorker:
    def __init__(self, process: subprocess.Popen[str], name: str, url: str, log: Path) -> None:
        self.process = process
        self.name = name
        self.url = url
        self._log = log
        self.end = -signal.SIGTERM

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.end = -signal.SIGKILL

    def told(self, event: str) -> list[dict[str, Any]]:
        """Return the log entries of an event."""
        whole = self._log.read_text().rpartition("\n")[0]  # the worker may be writing the last line
        lines = [json.loads(line) for line in whole.splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]


@contextmanager
def running_worker(*arguments: str, **settings: str) -> Iterator[RunningWorker]:
    """Run `stepgrad worker` on a free port until the end of the `with` block."""
    with running_worker_within((), *arguments, **settings) as up:
        yield up


@contextmanager
def running_worker_within(within: tuple[str, ...], *arguments: str, **settings: str) -> Iterator[RunningWorker]:
    """Like `running_worker`, but the command `within` starts the worker."""
    # A worker started by root changes to another user, who cannot read pytest's temporary directory.
    folder = Path(tempfile.mkdtemp(prefix="stepgrad-worker-"))
    folder.chmod(0o755)
    temporary = folder / "tmp"
    temporary.mkdir()
    temporary.chmod(0o777)
    log = folder / "log"
    given = {"port": "0", "runs_in_flight": str(PLACES), "accept_tier": "B", **settings}
    named = {f"STEPGRAD_{name.upper()}": value for name, value in given.items()}
    environment = {**os.environ, "TMPDIR": str(temporary), **named}
    command = [*within, sys.executable, "-m", "app", "worker", *arguments]
    with log.open("w") as stderr:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("The worker "), line + log.read_text()
        yield (up := RunningWorker(process, line.split()[2], line.split()[-1], log))
        if up.end == -signal.SIGTERM:
            process.terminate()
        assert process.wait(PATIENCE) == up.end, log.read_text()
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        shutil.rmtree(folder)


@asynccontextmanager
async def fleet_engine(url: str, needed: Tier = Tier.B, tls: ssl.SSLContext | bool = False) -> AsyncIterator[FleetEngine]:
    """Yield an engine that sends runs to the workers at `url`, which may be stopped."""
    admission = Admission(Capacity(slots=0, queue_length=99, queue_seconds=PATIENCE, of_one_address=99))
    async with client_of(url, tls) as client:
        workers = Workers(client, needed, admission.resize)
        async with workers.watching():
            yield FleetEngine(client, "cpu", admission, workers, needed)
