"""Run HAProxy with docs/haproxy.cfg on free ports of this machine."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
import pytest

from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

FILE: Final = Path(__file__).parents[1] / "docs/haproxy.cfg"


def haproxy() -> str:
    """Return the path of haproxy. Debian installs it in a folder that may not be on PATH."""
    program = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.fail("These tests start haproxy: install Debian's package, as `make test` does.")
    return program


def free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


def are_up(figures: str, backend: str, *servers: str) -> bool:
    """Whether HAProxy considers all these servers of a backend available, according to its metrics at the URL `figures`."""
    told = httpx.get(figures, verify=False).text
    wanted = (f'haproxy_server_status{{proxy="{backend}",server="{server}",state="UP"}} 1' for server in servers)
    return all(line in told for line in wanted)


class Started:
    """An HAProxy process that can be stopped and restarted.

    `log` is the file for its output; None means stderr.
    """

    def __init__(self, file: Path, environment: dict[str, str], is_up: Callable[[], bool], log: Path | None = None) -> None:
        self._file = file
        self._environment = {**os.environ, **environment}
        self._is_up = is_up
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        """Start HAProxy, and wait until it forwards requests."""
        # setpriv kills HAProxy when this process dies. Without -W, HAProxy is a single process and receives the signal
        # itself.
        command = ["setpriv", "--pdeathsig", "KILL", haproxy(), "-db", "-f", str(self._file), *arguments]
        with nullcontext() if self._log is None else self._log.open("a") as log:
            process = self._process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)
        wait_until(lambda: process.poll() is not None or self._is_up())
        assert process.poll() is None, self._log and self._log.read_text()

    def reload(self) -> None:
        """Start a new process that takes over the sockets, and wait until the old process has finished its connections."""
        assert self._process is not None
        old = self._process
        self.start("-sf", str(old.pid))
        old.wait(PATIENCE)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop HAProxy with SIGTERM, which closes its connections at once."""
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(PATIENCE)

    def kill(self) -> None:
        self.stop(signal.SIGKILL)


class HAProxy(Started):
    """An HAProxy at `url`, with metrics at `figures`, in front of two web processes."""

    def __init__(self, webs: tuple[str, str], site: str | None = None) -> None:
        port, metrics = free_ports(2)
        self.url = f"http://127.0.0.1:{port}"
        self.figures = f"http://127.0.0.1:{metrics}/metrics"
        one, other = (urlsplit(web).netloc for web in webs)
        self._site = site or f"127.0.0.1:{port}"
        given = {"BIND": f"127.0.0.1:{port}", "SITE": self._site, "METRICS": f"127.0.0.1:{metrics}"}
        super().__init__(FILE, {**given, "WEB_1": one, "WEB_2": other}, self._passes_on)

    def up(self, web: int) -> bool:
        """Whether HAProxy sends requests for rooms to web process 1 or 2."""
        return are_up(self.figures, "rooms", f"web-{web}")

    def _passes_on(self) -> bool:
        try:
            return httpx.get(f"{self.url}/robots.txt", headers={"Host": self._site}, verify=False).status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def running_haproxy(one: str, other: str, site: str | None = None) -> Iterator[HAProxy]:
    """Run HAProxy in front of two web processes until the end of the `with` block."""
    proxy = HAProxy((one, other), site)
    try:
        proxy.start()
        yield proxy
    finally:
        proxy.stop()
