"""Isolate attacks on the sandbox from the machine that runs the tests.

An arena has its own mount, pid, ipc and network namespaces. Even an attack that breaks every layer of the sandbox reaches
only the arena: the host's file system is read-only, /tmp and /dev/shm are separate, no other processes are visible, and the
uid is unused on the host.
"""

import json
import os
import select
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

import msgspec

from app.sandbox import SandboxSettings
from app.sandbox.inside.layers import Layer
from tests.sandbox.attacks.attack import NONE, Verdict

ROOT: Final = Path(__file__).resolve().parents[3]
PLACE: Final = Path("/mnt/stepgrad")
"""The project's path inside an arena. Runs without an outer sandbox cover /tmp, where the checkout may be."""
UID: Final = 65520
"""The uid on the host if the tests run as root. No run of the sandbox has this uid."""

ANSWER_SECONDS: Final = 600.0
"""Longer than any attack takes, including its timeouts and the cleanup."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """The configuration of the sandbox that is attacked."""

    without: frozenset[Layer] = NONE
    method: str | None = None
    """How the zygote starts a child process; None means that the zygote chooses."""
    bound_proc: bool = False
    """Whether the kernel denies bubblewrap a new /proc, as it does in a container."""
    torch: bool = True
    """Whether attacks run with the real tracer. The other tracer starts immediately, because it does not import torch."""

    def settings(self) -> SandboxSettings:
        here = Path(__file__).parent
        paths = (here / "within",) if self.torch else (here / "within", here.parent)
        tracer = {} if self.torch else {"tracer": "entries.plain"}
        method = {} if self.method is None else {"method": self.method}
        packages = ("torch", "numpy", "sortedcontainers")  # like an operator's list: torch does not need sortedcontainers
        return SandboxSettings(without=self.without, packages=packages, extra_paths=paths, **tracer, **method)  # type: ignore[arg-type]


class Arena:
    """The client of an arena process, which receives names of attacks and returns verdicts."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            with self._process:
                self._process.kill()
            self._process = None

    def attack(self, name: str) -> Verdict:
        """Run an attack. If the arena process dies, the attack was harmful, and the next attack gets a new arena."""
        if self._process is None:
            self._process = self._start()
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        answered, _, _ = select.select([self._process.stdout], [], [], ANSWER_SECONDS)
        line = self._process.stdout.readline() if answered else ""
        if not line:
            self.__exit__()
            return Verdict(end="none", said="", harm=["the server died" if answered else "the server hangs"], stall_seconds=0)
        return msgspec.json.decode(line, type=Verdict)

    def _start(self) -> subprocess.Popen[str]:
        command = [
            *_wall(),
            str(_inside(Path(sys.executable))),
            "-m",
            "tests.sandbox.attacks.fight",
            json.dumps(asdict(self.configuration), default=sorted),
        ]
        process = subprocess.Popen(_as_nobody(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            with process:
                process.kill()
            raise RuntimeError(f"the arena did not open ({self.configuration})")
        return process


class Arenas:
    """Arenas for different configurations, of which one at a time is open."""

    def __init__(self) -> None:
        self._open: Arena | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open is not None:
            self._open.__exit__()

    def attack(self, configuration: Configuration, name: str) -> Verdict:
        """Run an attack in an arena with this configuration. The arena stays open for the next attack with the same
        configuration.
        """
        if self._open is None or self._open.configuration != configuration:
            self.__exit__()
            self._open = Arena(configuration)
        return self._open.attack(name)


def _wall() -> list[str]:
    # fmt: off
    return [
        str(shutil.which("bwrap")), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
        "--tmpfs", "/tmp", "--tmpfs", str(PLACE.parent), "--ro-bind", str(ROOT), str(PLACE), "--tmpfs", "/dev/shm",
        "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--die-with-parent",
        "--chdir", str(PLACE), "--",
    ]
    # fmt: on


def _inside(path: Path) -> Path:
    """Return a host file's path inside an arena."""
    return PLACE / path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _as_nobody(command: list[str]) -> list[str]:
    """Return a command that runs without root, as a server does after it has dropped root. Without root, return the command
    unchanged.
    """
    if os.geteuid() != 0:
        return command
    start = f"import sys; sys.path[:] = {[str(ROOT), *filter(None, sys.path)]!r}; from app.sandbox.unroot import main; main()"
    readable = [ROOT, Path(sys.executable), Path(sys.prefix), Path(sys.base_prefix), Path(command[0])]
    return [sys.executable, "-I", "-S", "-c", start, str(UID), *map(str, readable), "--", *command]
