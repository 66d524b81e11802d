"""Start real servers on free ports: `running` starts `stepgrad serve`, and `hosted` starts a server in a shared process."""

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
    def __init__(self, url: str, data: Path, log: Path) -> None:
        self.url = url
        self.data = data
        self.log = log

    def client(self) -> httpx.Client:
        """Return an HTTP client with a timeout longer than any run."""
        # Loading TLS settings would take longer than a run.
        return httpx.Client(base_url=self.url, timeout=2 * PATIENCE, verify=False)

    def quiet(self) -> None:
        """Wait until nothing runs, and until the canary, which runs once a minute, is not due soon."""
        with self.client() as client:

            def is_quiet() -> bool:
                answer = client.get("/api/v1/health")
                if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:  # the last run of the canary is too old
                    return False
                health = answer.raise_for_status().json()
                return (health["running"], health["waiting"]) == (0, 0) and health["canary_age_seconds"] < 40

            wait_until(is_quiet)


class Running(Hosted):
    """A server in its own process."""

    def __init__(self, process: subprocess.Popen[str], url: str, data: Path, temporary: Path, log: Path) -> None:
        super().__init__(url, data, log)
        self.process = process
        self.temporary = temporary
        self.end = -signal.SIGTERM

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.end = -signal.SIGKILL


class _Host:
    """The process of `tests.web.host`, which ends with the current process."""

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
    """Start a server in a process that it shares with other servers. Such a server starts twenty times as fast as with
    `running`.

    The servers share the sandbox and the log, and do not drop root. Tests must not kill such a server. The keyword arguments
    are settings without their prefix.
    """
    with _host().serving(settings) as up:
        yield up


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    return {f"STEPGRAD_{name.upper()}": value for name, value in settings.items()}


@contextmanager
def running(**settings: str) -> Iterator[Running]:
    """Run `stepgrad serve` until the end of the `with` block. The keyword arguments are settings without their prefix."""
    with running_command(sys.executable, "-m", "app", **settings) as up:
        yield up


@contextmanager
def running_command(*stepgrad: str, port: str = "0", **settings: str) -> Iterator[Running]:
    """Like `running`, with another command and port."""
    # A server started by root changes to another user, who cannot read pytest's temporary directory.
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
