"""HAProxy in front of workers, with the configuration that operators get."""

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from app.fleet.messages import RELEASE
from tests.fleet.running import PLACES
from tests.haproxy import free_ports, haproxy
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

CONFIGURATION = Path(__file__).parents[2] / "docs/haproxy-workers.cfg"


def free_port() -> int:
    """A port on which nothing listens now."""
    return free_ports(1)[0]


class Proxy:
    """A HAProxy that can be killed and started again. It knows two workers, which need not be up."""

    def __init__(self, workers: Sequence[str], folder: Path, next_release: str = RELEASE, tls: str = "") -> None:
        port = free_port()
        self.admin = folder / "admin.sock"
        self.url = f"http://127.0.0.1:{port}"
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        first, second = (each.partition("//")[2] for each in (*workers, workers[0])[:2])
        self._environment = {
            **os.environ,
            "WORKERS": f"127.0.0.1:{port}",
            "RELEASE": RELEASE,
            "NEXT_RELEASE": next_release,
            "PLACES": str(PLACES),
            "TLS": tls,
            "ADMIN": str(self.admin),
            "WORKER_1": first,
            "WORKER_2": second if len(workers) > 1 else "127.0.0.1:1",
        }

    def reload(self) -> None:
        """Start another process in its place, which takes over its socket and lets its connections end."""
        assert self._process is not None
        old = self._process
        self.start("-sf", str(old.pid))
        old.wait(PATIENCE)

    def start(self, *arguments: str) -> None:
        """Start it and wait until it passes requests on."""
        # It goes when this process goes, however that ends. Without -W there is one process, which a signal reaches.
        command = ["setpriv", "--pdeathsig", "KILL", haproxy(), "-db", "-f", str(CONFIGURATION), *arguments]
        with self._log.open("a") as log:
            self._process = process = subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)
        wait_until(lambda: process.poll() is not None or self._is_up())
        assert process.poll() is None, self._log.read_text()

    def kill(self) -> None:
        """As if somebody pulled the plug."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(PATIENCE)

    def _is_up(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", httpx.URL(self.url).port)) == 0


@contextmanager
def proxy(*workers: str, next_release: str = RELEASE, tls: str = "") -> Iterator[Proxy]:
    """A proxy in front of one or two workers, by their URLs."""
    with tempfile.TemporaryDirectory(prefix="stepgrad-proxy-") as folder:
        up = Proxy(workers, Path(folder), next_release, tls)
        up.start()
        try:
            yield up
        finally:
            up.kill()
