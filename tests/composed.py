"""Run the services of compose.yaml as processes on this machine, with its scripts, proxy and environment variables.

The processes lack the features of containers: networks, limits, seccomp and volumes.
"""

import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

import yaml

from tests.fleet.proxy import CONFIGURATION as FILE_OF_WORKERS
from tests.fleet.running import RunningWorker, running_worker
from tests.haproxy import FILE as FILE_OF_PROXY
from tests.haproxy import are_up, free_ports, haproxy
from tests.postgresql import binaries, somebody
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until
from tests.web.server import Running, running_command

ROOT: Final = Path(__file__).parents[1]
FILE: Final = ROOT / "compose.yaml"
SECRETS: Final = tuple(re.findall(r"\$\{(\w+_PASSWORD):\?", FILE.read_text("utf-8")))
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def composed(environment: dict[str, str]) -> Any:
    """Return compose.yaml with its variables replaced. Raises KeyError if a required variable is missing."""

    def value(match: re.Match[str]) -> str:
        name, kind, default = match.groups()
        return environment.get(name) or default if kind == "-" else environment[name]

    return yaml.safe_load(VARIABLE.sub(value, FILE.read_text("utf-8")).replace("$$", "$"))


class Composition:
    """The running services. PostgreSQL and the proxy run from the beginning; web processes and workers are started one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = ("proxy", "postgresql", "web-1", "web-2", "worker-1", "worker-2", "figures", "runs")
        self.ports = dict(zip(names, free_ports(len(names)), strict=True))
        proxy, figures = self.ports["proxy"], self.ports["figures"]
        self.url = f"http://127.0.0.1:{proxy}"
        self.figures = f"http://127.0.0.1:{figures}/metrics"
        """The URL of the proxy's metrics."""
        given = {name: secrets.token_hex(24) for name in SECRETS} | {
            "PUBLISH": f"127.0.0.1:{proxy}",
            "SITE": f"127.0.0.1:{proxy}",
        }
        self._services = composed(given)["services"]
        self._processes: list[tuple[str, subprocess.Popen[bytes], signal.Signals]] = []
        self._here = {
            "127.0.0.1:8404": f"127.0.0.1:{figures}",
            ":8080": f"127.0.0.1:{proxy}",
            "@postgresql/": f"@127.0.0.1:{self.ports['postgresql']}/",
            "10.77.1.11:8000": f"127.0.0.1:{self.ports['web-1']}",
            "10.77.1.12:8000": f"127.0.0.1:{self.ports['web-2']}",
            "10.77.2.21:8000": f"127.0.0.1:{self.ports['worker-1']}",
            "10.77.3.22:8000": f"127.0.0.1:{self.ports['worker-2']}",
            "10.77.1.2:8100": f"127.0.0.1:{self.ports['runs']}",
            "10.77.1.2/32": "127.0.0.1/32",
            "0.0.0.0": "127.0.0.1",
            "/tmp/admin.sock": str(folder / "admin.sock"),
        }

    def environment(self, service: str) -> dict[str, str]:
        """Return the environment variables of a service, with addresses of this machine."""
        told: dict[str, str] = {}
        for name, value in self._services[service]["environment"].items():
            for there, here in self._here.items():
                value = value.replace(there, here)
            told[name] = value
        return told

    def web(self, service: str, **more: str) -> AbstractContextManager[Running]:
        """"""
        settings = self._settings(service)
        port = str(self.ports[service])
        return running_command(sys.executable, "-m", "app", port=port, **settings | {"accept_tier": "B"} | more)

    def worker(self, service: str) -> AbstractContextManager[RunningWorker]:
        return running_worker(**self._settings(service), port=str(self.ports[service]))

    def _settings(self, service: str) -> dict[str, str]:
        return {name.removeprefix("STEPGRAD_").lower(): value for name, value in self.environment(service).items()}

    def start(self, service: str, *command: str, end: signal.Signals = signal.SIGTERM, **more: str) -> None:
        """Start a service, which dies with the current process. `end` is the signal that stops the service."""
        environment = {**os.environ, **self.environment(service), "TMPDIR": str(self.folder), **more}
        whole = ["setpriv", "--pdeathsig", "KILL", *command]
        with (self.folder / f"{service}.log").open("w") as log:
            process = subprocess.Popen(whole, **(somebody() | {"env": environment}), cwd=self.folder, stdout=log, stderr=log)
        self._processes.append((service, process, end))

    def wait_for(self, service: str) -> None:
        def takes_connections() -> bool:
            with socket.socket() as client:
                is_up = client.connect_ex(("127.0.0.1", self.ports[service])) == 0
            assert is_up or self._processes[-1][1].poll() is None, (self.folder / f"{service}.log").read_text()
            return is_up

        wait_until(takes_connections)

    def are_up(self, backend: str, *servers: str) -> bool:
        """Whether the proxy considers all of these servers available."""
        return are_up(self.figures, backend, *servers)

    def pids(self) -> dict[str, int]:
        """Return the process ids of the services that are neither web processes nor workers."""
        return {service: process.pid for service, process, _ in self._processes}

    def stop(self) -> None:
        """Stop all services except web processes and workers."""
        for _, process, end in reversed(self._processes):
            process.send_signal(end)
            process.wait(PATIENCE)


@contextmanager
def composition() -> Iterator[Composition]:
    """Start PostgreSQL and the proxy with the scripts of compose.yaml, and stop them at the end."""
    binaries()
    base = tempfile.gettempdir() if len(tempfile.gettempdir()) < 60 else "/tmp"
    folder = Path(tempfile.mkdtemp(prefix="stepgrad-composed-", dir=base))
    folder.chmod(0o777)
    made = Composition(folder)
    here = ROOT / "docs/compose"
    for file in (here / "postgresql.sh", FILE_OF_PROXY, FILE_OF_WORKERS):
        shutil.copy(file, folder)  # the files of the checkout may be readable only for its owner
    try:
        place = ["-p", str(made.ports["postgresql"]), "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"]
        made.start("postgresql", "sh", "postgresql.sh", *place, end=signal.SIGQUIT, DATA=str(folder / "data"))
        made.wait_for("postgresql")
        made.start("proxy", haproxy(), "-W", "-db", "-f", FILE_OF_PROXY.name, "-f", FILE_OF_WORKERS.name)
        made.wait_for("proxy")
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder)
