"""Real servers on free ports: `running` starts `stepgrad serve`, `hosted` starts a server in a shared process."""

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from pathlib import Path

import httpx

from tests import limits
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]


class Hosted:
    """A running server."""

    def __init__(self, url: str, data: Path, log: Path) -> None:
        self.url = url
        self.data = data
        self.log = log

    def client(self) -> httpx.Client:
        """Return a client with a timeout longer than any run."""
        # Without TLS settings, because loading them takes longer than a run.
        return httpx.Client(base_url=self.url, timeout=2 * PATIENCE, verify=False)

    def quiet(self) -> None:
        """Wait until nothing runs and the next run of the canary is not imminent; the canary runs once a minute."""
        with self.client() as client:

            def is_quiet() -> bool:
                answer = client.get("/api/v1/health")
                if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:  # a run of the canary is late on a busy machine
                    return False
                health = answer.raise_for_status().json()
                return (health["running"], health["waiting"]) == (0, 0) and health["canary_age_seconds"] < 40

            wait_until(is_quiet)


class Running(Hosted):
    """A running server with its process."""

    def __init__(self, process: subprocess.Popen[str], url: str, data: Path, temporary: Path, log: Path) -> None:
        super().__init__(url, data, log)
        self.process = process
        self.temporary = temporary
        self.end = -signal.SIGTERM
        """The expected exit status."""

    def kill(self) -> None:
        """Kill the server with SIGKILL, as in a crash."""
        self.process.kill()
        self.process.wait()
        self.end = -signal.SIGKILL


class _Host:
    """The process of `tests.web.host`, which ends with this one."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="stepgrad-test-"))
        self._folder.chmod(0o755)
        self._up = 0
        self._log = self._folder / "log"
        command = [sys.executable, "-m", "tests.web.host"]
        with self._log.open("a") as stderr:
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True
            )
        atexit.register(self._end)

    @contextmanager
    def serving(self, settings: Mapping[str, str]) -> Iterator[Hosted]:
        if not self._up:
            os.truncate(self._log, 0)
        self._up += 1
        data = Path(tempfile.mkdtemp(dir=self._folder))
        data.chmod(0o777)
        with limits.starting():
            line = self._ask(open=_environment({"data": str(data), "port": "0", **settings}))
        assert line.startswith("Stepgrad is at http://"), line + self._log.read_text()
        url = line.split()[-1]
        try:
            yield Hosted(url, Path(settings.get("data", data)), self._log)
        finally:
            self._up -= 1
            assert self._ask(close=int(url.rpartition(":")[2])) == "\n", self._log.read_text()
            shutil.rmtree(data)

    def _ask(self, **command: object) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def _end(self) -> None:
        self._process.communicate(timeout=PATIENCE)
        shutil.rmtree(self._folder)


_host = cache(_Host)


@contextmanager
def hosted(**settings: str) -> Iterator[Hosted]:
    """Run a server of this checkout with these settings (without their prefix) in a process shared with other servers.

    Such a server starts in a twentieth of the time, and shares the sandbox and the log. It does not drop root. Tests may only
    stop it, not kill it.
    """
    with _host().serving(settings) as up:
        yield up


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    return {f"STEPGRAD_{name.upper()}": value for name, value in settings.items()}


@contextmanager
def running(**settings: str) -> Iterator[Running]:
    """Run `stepgrad serve` of this checkout with these settings (without their prefix); stop it at the end."""
    with running_command(sys.executable, "-m", "app", **settings) as up:
        yield up


@contextmanager
def running_command(*stepgrad: str, port: str = "0", **settings: str) -> Iterator[Running]:
    """Like `running`, with another command and port."""
    # The server drops root, so it cannot enter pytest's directory, which is private to one user.
    folder = Path(tempfile.mkdtemp(prefix="stepgrad-test-"))
    folder.chmod(0o755)
    temporary = folder / "tmp"
    temporary.mkdir()
    temporary.chmod(0o777)
    data, log = folder / "data", folder / "log"
    environment = {**os.environ, "STEPGRAD_DATA": str(data), "TMPDIR": str(temporary), **_environment(settings)}
    command = [*stepgrad, "serve", "--port", port]
    with log.open("w") as stderr:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        assert process.stdout is not None
        with limits.starting():
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
