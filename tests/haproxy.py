"""HAProxy by the documented file, docs/haproxy.cfg, on free ports of loopback."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
import pytest

from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

FILE: Final = Path(__file__).parents[1] / "docs/haproxy.cfg"


def haproxy() -> str:
    """The program: Debian's, which is not on everybody's PATH."""
    program = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.fail("These tests start haproxy: install Debian's package, as `make test` does.")
    return program


def free_ports(count: int) -> list[int]:
    """Unused ports."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


def are_up(figures: str, backend: str, *servers: str) -> bool:
    """Whether an HAProxy, by its figures at that address, sends requests of a backend to all of these servers."""
    told = httpx.get(figures, verify=False).text
    wanted = (f'haproxy_server_status{{proxy="{backend}",server="{server}",state="UP"}} 1' for server in servers)
    return all(line in told for line in wanted)


class HAProxy:
    """One in front of two webs, at `url`; its own figures are at `figures`."""

    def __init__(self, webs: tuple[str, str], site: str | None = None) -> None:
        port, metrics = free_ports(2)
        self.url = f"http://127.0.0.1:{port}"
        self.figures = f"http://127.0.0.1:{metrics}/metrics"
        one, other = (urlsplit(web).netloc for web in webs)
        self._site = site or f"127.0.0.1:{port}"
        given = {"BIND": f"127.0.0.1:{port}", "SITE": self._site, "METRICS": f"127.0.0.1:{metrics}"}
        self._environment = {**os.environ, **given, "WEB_1": one, "WEB_2": other}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it passes requests on."""
        # It goes when this process goes, however that ends.
        command = ["setpriv", "--pdeathsig", "KILL", haproxy(), "-db", "-f", str(FILE)]
        process = self._process = subprocess.Popen(command, env=self._environment)
        wait_until(lambda: process.poll() is not None or self._is_up())
        assert process.poll() is None

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it; SIGTERM hangs up at once."""
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(PATIENCE)

    def up(self, web: int) -> bool:
        """Whether it sends requests of rooms to the web with this number, 1 or 2."""
        return are_up(self.figures, "rooms", f"web-{web}")

    def _is_up(self) -> bool:
        try:
            return httpx.get(f"{self.url}/robots.txt", headers={"Host": self._site}, verify=False).status_code == 200
        except httpx.TransportError:
            return False


@contextmanager
def running_haproxy(one: str, other: str, site: str | None = None) -> Iterator[HAProxy]:
    """HAProxy in front of two webs, up to the end of the block."""
    proxy = HAProxy((one, other), site)
    try:
        proxy.start()
        yield proxy
    finally:
        proxy.stop()
