"""A Redis of the tests' own: started in the temporary folder, reached by a socket there and by no port but one that a test gives.

Its users are those of the sample for operators, `docs/redis.acl`, and those that are off there are on.
"""

import re
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

USERS = (Path(__file__).parents[1] / "docs/redis.acl").read_text().replace(" off >", " on >")
PASSWORDS = dict(re.findall(r"^user (\S+) on >(\S+)", USERS, flags=re.MULTILINE))


class RedisServer:
    """A Redis that can be killed and started again. With `keeps`, all that was written is on the disk and comes back."""

    def __init__(self, folder: Path, options: tuple[str, ...], *, keeps: bool) -> None:
        self._folder = folder
        self._options = options
        self._keeps = keeps
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """How web and workers reach it."""
        return self.url_of("web")

    def url_of(self, user: str) -> str:
        """How one of the sample's users reaches it."""
        return f"unix://{user}:{PASSWORDS[user]}@{self._folder / 'socket'}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        program = shutil.which("redis-server")
        if program is None:
            pytest.fail("These tests start a Redis: install Debian's package redis-server, as `make test` does.")
        kept = ["--appendonly", "yes", "--appendfsync", "always"] if self._keeps else []
        (self._folder / "users.acl").write_text(USERS)
        kept += ["--aclfile", str(self._folder / "users.acl")]
        place = ["--port", "0", "--unixsocket", str(self._folder / "socket"), "--unixsocketperm", "777"]
        options = [*place, "--dir", str(self._folder), "--save", "", "--loglevel", "warning", *kept, *self._options]
        # It goes when this process goes, however that ends.
        command = ["setpriv", "--pdeathsig", "KILL", program, *options]
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        process = self._process
        wait_until(lambda: process.poll() is not None or self._is_ready())
        assert process.poll() is None, (self._folder / "log").read_text()

    def kill(self) -> None:
        """As if somebody pulled the plug."""
        self.signal(signal.SIGKILL)
        assert self._process is not None
        self._process.wait(PATIENCE)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def tell(self, *words: str) -> str:
        """The answer to a command of the operator's, as it comes."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect(str(self._folder / "socket"))
            client.sendall(f"AUTH operator {PASSWORDS['operator']}\r\n".encode())
            client.recv(1 << 16)
            client.sendall((" ".join(words) + "\r\n").encode())
            return client.recv(1 << 16).decode()

    def _is_ready(self) -> bool:
        try:
            return self.tell("PING") == "+PONG\r\n"
        except (FileNotFoundError, ConnectionError):
            return False


@contextmanager
def redis_server(*options: str, keeps: bool = False) -> Iterator[RedisServer]:
    """A Redis that is up, and gone afterwards."""
    # A socket's path has at most 107 bytes.
    base = tempfile.gettempdir() if len(tempfile.gettempdir()) < 60 else "/tmp"
    folder = Path(tempfile.mkdtemp(prefix="stepgrad-redis-", dir=base))
    folder.chmod(0o755)  # a worker that gave root up asks as well
    server = RedisServer(folder, options, keeps=keeps)
    try:
        server.start()
        yield server
    finally:
        if server._process is not None:
            server.kill()
        shutil.rmtree(folder)
