"""Run HAProxy in front of remote workers with docs/haproxy-workers.cfg."""

import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from app.fleet.messages import RELEASE
from tests.fleet.running import PLACES
from tests.haproxy import Started, free_ports

CONFIGURATION = Path(__file__).parents[2] / "docs/haproxy-workers.cfg"


def free_port() -> int:
    return free_ports(1)[0]


class Proxy(Started):
    """An HAProxy at `url` for up to two workers, which may be stopped."""

    def __init__(self, workers: Sequence[str], folder: Path, next_release: str = RELEASE, tls: str = "") -> None:
        port = free_port()
        self.admin = folder / "admin.sock"
        self.url = f"http://127.0.0.1:{port}"
        first, second = (each.partition("//")[2] for each in (*workers, workers[0])[:2])
        environment = {
            "WORKERS": f"127.0.0.1:{port}",
            "RELEASE": RELEASE,
            "NEXT_RELEASE": next_release,
            "PLACES": str(PLACES),
            "TLS": tls,
            "ADMIN": str(self.admin),
            "WORKER_1": first,
            "WORKER_2": second if len(workers) > 1 else "127.0.0.1:1",
        }
        super().__init__(CONFIGURATION, environment, self._listens, folder / "log")

    def _listens(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", httpx.URL(self.url).port)) == 0


@contextmanager
def proxy(*workers: str, next_release: str = RELEASE, tls: str = "") -> Iterator[Proxy]:
    """Run HAProxy in front of the workers at one or two URLs."""
    with tempfile.TemporaryDirectory(prefix="stepgrad-proxy-") as folder:
        up = Proxy(workers, Path(folder), next_release, tls)
        up.start()
        try:
            yield up
        finally:
            up.kill()
