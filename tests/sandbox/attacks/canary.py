"""Targets on the host that detect a successful attack: a file, sockets and processes."""

import asyncio
import os
import secrets
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

ABSTRACT: Final = "\0stepgrad-canary"

VICTIM: Final = """
import os, signal, sys
secret = os.environ["STEPGRAD_SECRET"] + " of the victim"
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
print("ready", flush=True)
while (number := signal.sigwait(signal.valid_signals() - {signal.SIGCHLD, signal.SIGCONT})) == signal.SIGRTMAX:
    print("unharmed", flush=True)
print(number, secret, flush=True)
"""
"""A process with the uid of the runs, which may therefore inspect it.

On SIGRTMAX it reports what happened to it. The kernel delivers SIGRTMAX after all pending signals with lower numbers, so the
report includes them.
"""


class Canary:
    """The targets: a file, a TCP port, an abstract socket, a victim process and the current process.

    The file, the sockets and the victim's memory contain a secret.
    """

    def __init__(self, directory: Path) -> None:
        self.secret = os.environ["STEPGRAD_SECRET"] = secrets.token_hex(16)
        directory.mkdir()
        directory.chmod(0o777)
        self.file = directory / "secret"
        self.file.write_text(self.secret)
        self.port = 0
        self.connections = 0
        self.signals: list[str] = []
        self.victim = self._start_victim()
        self._before = self._on_disk()

    @classmethod
    @asynccontextmanager
    async def perched(cls) -> AsyncIterator["Canary"]:
        """Create the targets. /tmp must be in a separate mount namespace."""
        canary = cls(Path("/tmp/canary"))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGHUP, signal.SIGIO, signal.SIGURG):
            loop.add_signal_handler(number, canary.signals.append, number.name)
        tcp = await asyncio.start_server(canary._connected, "127.0.0.1", 0)
        canary.port = tcp.sockets[0].getsockname()[1]
        async with tcp, await asyncio.start_unix_server(canary._connected, ABSTRACT):
            yield canary
        canary.victim.kill()
        canary.victim.wait()

    @property
    def constants(self) -> str:
        """Return a line of Python that defines constants for the attack, such as the port number."""
        names = f"FILE, PORT, ABSTRACT, VICTIM, SERVER = {str(self.file)!r}, {self.port}, {ABSTRACT!r}"
        return f"{names}, {self.victim.pid}, {os.getpid()}"

    def harm(self) -> list[str]:
        """Return the targets that were touched since the last call."""
        found = [f"the server got {name}" for name in self.signals]
        found += ["somebody connected"] * bool(self.connections)
        if self._on_disk() != self._before:
            found.append("a file of the host was changed")
        if not self._unharmed():
            found.append("the victim was signalled")
            self.victim.kill()
            self.victim.wait()
            self.victim = self._start_victim()
        self.signals.clear()
        self.connections = 0
        self._before = self._on_disk()
        return found

    def _start_victim(self) -> subprocess.Popen[bytes]:
        victim = subprocess.Popen([sys.executable, "-I", "-S", "-c", VICTIM], stdout=subprocess.PIPE)
        assert victim.stdout is not None
        assert victim.stdout.readline() == b"ready\n"
        return victim

    def _unharmed(self) -> bool:
        assert self.victim.stdout is not None
        self.victim.send_signal(signal.SIGRTMAX)
        while not select.select([self.victim.stdout], [], [], 0.01)[0]:
            if state(self.victim.pid) == "T":
                return False
        return self.victim.stdout.readline() == b"unharmed\n"

    async def _connected(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        writer.close()

    def _on_disk(self) -> list[tuple[str, int, int]]:
        places = (self.file.parent, Path("/dev/shm"), Path("/tmp"))
        return [
            (str(path), path.lstat().st_size * path.is_file(), path.lstat().st_mode)
            for place in places
            for path in sorted(place.iterdir())
        ]


def state(pid: int) -> str:
    """Return the letter of a process state, as in proc(5)."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
