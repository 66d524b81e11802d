"""Run a PostgreSQL server in a temporary folder. The server accepts connections only on a Unix socket."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

VERSIONS: Final = (17, 16, 15)
USER, PORT = "stepgrad", "5432"
QUICK: Final = ("fsync=off", "full_page_writes=off", "autovacuum=off", "shared_buffers=16MB", "authentication_timeout=10s")
"""Without fsync, a power failure could lose data, but a killed process cannot."""

EMPTY: Final = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'test' AND pid <> pg_backend_pid()",
    "ALTER DATABASE test RESET ALL",
    "DROP SCHEMA public CASCADE",
    "CREATE SCHEMA public",
    "GRANT USAGE ON SCHEMA public TO PUBLIC",
)


def binaries() -> Path:
    """Return the folder of `initdb` and `postgres`. Debian installs them outside of PATH."""
    on_path = shutil.which("postgres")
    folders = [Path(f"/usr/lib/postgresql/{version}/bin") for version in VERSIONS]
    folders += [Path(on_path).resolve().parent] if on_path else []
    for folder in folders:
        if all(os.access(folder / name, os.X_OK) for name in ("initdb", "postgres")):
            return folder
    pytest.fail("These tests start a PostgreSQL, 15 to 17: install Debian's package postgresql, as `make test` does.")


class Cluster:
    """A PostgreSQL server with its files and its socket in `folder`."""

    def __init__(self, folder: Path, password: str) -> None:
        self.folder = folder
        self.password = password
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        """Return the URL of a database, in the format of Stepgrad's settings."""
        return f"postgresql://{USER}:{self.password}@/{database}?host={self.folder}&port={PORT}"

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        settings = [word for setting in QUICK for word in ("-c", setting)]
        place = ["-D", str(self.folder / "data"), "-k", str(self.folder), "-p", PORT, "-c", "listen_addresses="]
        # setpriv stops the server when this process dies.
        command = ["setpriv", "--pdeathsig", "QUIT", str(binaries() / "postgres"), *place, *settings]

        def is_ready() -> bool:
            if self._is_ready():
                return True
            if self._process is None or self._process.poll() is not None:  # retries after a kill
                with (self.folder / "log").open("a") as log:
                    self._process = subprocess.Popen(command, stdout=log, stderr=log, **somebody())
            return False

        wait_until(is_ready, (self.folder / "log").read_text)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT is a fast shutdown, SIGQUIT an immediate one, and SIGKILL simulates a crash."""
        process = self._process
        assert process is not None
        if how == signal.SIGKILL:
            self.signal(how)
        else:
            process.send_signal(how)
        process.wait(PATIENCE)
        self._process = None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the server and its child processes."""
        assert self._process is not None
        pid = self._process.pid
        backends = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        os.kill(pid, number)  # the server first, so that it starts no new child process
        for backend in backends:
            with suppress(ProcessLookupError):
                os.kill(int(backend), number)

    def run(self, *statements: str, database: str = "postgres") -> list[Any]:
        """Run SQL statements as superuser, each in its own transaction. Return the rows of the last statement."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursors = [connection.execute(statement) for statement in statements]
            return cursors[-1].fetchall() if cursors[-1].description else []

    @contextmanager
    def database(self, *options: str) -> Iterator[str]:
        """Yield the URL of an empty database.

        Without `options`, an existing database is emptied, which takes a tenth of the processor time of creating one.
        """
        if options:
            self.run(f"CREATE DATABASE other STRATEGY file_copy {' '.join(options)}")
            yield self.url("other")
            self.run("DROP DATABASE other WITH (FORCE)")
        else:
            if not self.run("SELECT 1 FROM pg_database WHERE datname = 'test'"):
                self.run("CREATE DATABASE test")
            self.run(*EMPTY, database="test")
            yield self.url("test")

    def _is_ready(self) -> bool:
        try:
            lines = (self.folder / "data" / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        ours = self._process is not None and lines[:1] == [str(self._process.pid)]
        return ours and len(lines) == 8 and lines[7].strip() == "ready"


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Run a server until the end of the `with` block."""
    # the path of a socket may have at most 107 bytes
    base = tempfile.gettempdir() if len(tempfile.gettempdir()) < 60 else "/tmp"
    folder = Path(tempfile.mkdtemp(prefix="stepgrad-pg-", dir=base))
    made = Cluster(folder, secrets.token_hex(8))
    try:
        (folder / "password").write_text(made.password)
        whose = somebody()
        if "user" in whose:
            shutil.chown(folder, whose["user"], whose["group"])
            shutil.chown(folder / "password", whose["user"], whose["group"])
        options = ["--username", USER, "--pwfile", str(folder / "password"), "--auth", "scram-sha-256"]
        make = [str(binaries() / "initdb"), "-D", str(folder / "data"), "--no-sync", "--encoding=UTF8", "--locale=C", *options]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL, **whose)
        (folder / "password").unlink()
        folder.chmod(0o755)  # servers that have dropped root must also connect
        made.start()
        yield made
        made.stop(signal.SIGQUIT)
    finally:
        if made._process is not None:
            made.stop(signal.SIGKILL)
        shutil.rmtree(folder)


def somebody() -> dict[str, Any]:
    """Return keyword arguments for a process without root and without PostgreSQL settings in its environment.

    PostgreSQL refuses to run as root.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    if os.geteuid() != 0:
        return {"env": environment}
    return {"env": environment, "user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
