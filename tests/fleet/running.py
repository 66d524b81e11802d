"""A real worker in its own process, and an engine of this process that hands runs to it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from app.engine import Capacity
from app.fleet import CPU, FleetEngine, Line, ThisWeb, open_redis
from app.sandbox.tiers import Tier
from tests.sandbox.processes import PATIENCE

PLACES = 4


class RunningWorker:
    """A worker that is up."""

    def __init__(self, process: subprocess.Popen[str], name: str, log: Path) -> None:
        self.process = process
        self.name = name
        self._log = log
        self.end = 0
        """How it is to end."""

    def kill(self) -> None:
        """As if somebody pulled the plug."""
        self.process.kill()
        self.process.wait()
        self.end = -signal.SIGKILL

    def told(self, event: str) -> list[dict[str, Any]]:
        """The lines of its log about an event."""
        lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]


@contextmanager
def running_worker(url: str, **settings: str) -> Iterator[RunningWorker]:
    """`stepgrad worker` of this checkout, stopped at the end."""
    # Right below the system's own temporary directory: pytest's belong to its user alone, and a worker gives root up.
    folder = Path(tempfile.mkdtemp(prefix="stepgrad-worker-"))
    folder.chmod(0o755)
    temporary = folder / "tmp"
    temporary.mkdir()
    temporary.chmod(0o777)
    log = folder / "log"
    given = {"redis_url": url, "runs_in_flight": str(PLACES), "accept_tier": "B", **settings}
    named = {f"STEPGRAD_{name.upper()}": value for name, value in given.items()}
    environment = {**os.environ, "TMPDIR": str(temporary), **named}
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "worker"], env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("The worker "), line + log.read_text()
        yield (up := RunningWorker(process, line.split()[2], log))
        process.terminate()
        assert process.wait(PATIENCE) == up.end, log.read_text()
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        shutil.rmtree(folder)


@asynccontextmanager
async def fleet_engine(url: str, queue_seconds: float = PATIENCE) -> AsyncIterator[FleetEngine]:
    """An engine whose runs go to the workers at `url`, which need not be there."""
    redis = open_redis(url)
    web = ThisWeb(redis)
    capacity = Capacity(places=0, queue_length=99, queue_seconds=queue_seconds, of_one_address=99)
    line = Line(web, CPU, capacity, Tier.B, b"secret")
    try:
        async with web.announced(), line.working():
            yield line.engine
    finally:
        await redis.aclose()
