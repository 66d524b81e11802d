"""The world in which attacks are tried: separate mount, pid, ipc and network namespaces, which are thrown away afterwards.

With any layers of the sandbox removed, an attack reaches only this world: the host's file system is read-only in it, /tmp and
/dev/shm are separate, it has no other processes, and its uid on the host is unused.
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
"""Where the project stands in an arena: a run that has no outer sandbox covers /tmp, and this checkout may lie there."""
UID: Final = 65520
"""On the host, when that is root's to choose: not the uid of any run."""

ANSWER_SECONDS: Final = 600.0
"""Longer than any attack takes, its clocks and the patience with what comes after it together."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """How the sandbox under attack is made."""

    without: frozenset[Layer] = NONE
    method: str | None = None
    """The zygote's way to start a child; None: the one that it chooses itself."""
    bound_proc: bool = False
    """Whether the kernel refuses bubblewrap a new /proc, as in a container."""
    torch: bool = True
    """Whether the real tracer runs the attacks, else one that needs no torch and starts in no time."""

    def settings(self) -> SandboxSettings:
        """The sandbox's own."""
        here = Path(__file__).parent
        paths = (here / "within",) if self.torch else (here / "within", here.parent)
        tracer = {} if self.torch else {"tracer": "entries.plain"}
        method = {} if self.method is None else {"method": self.method}
        packages = ("torch", "numpy", "sortedcontainers")  # an operator's list: the last one is not of torch's
        return SandboxSettings(without=self.without, packages=packages, extra_paths=paths, **tracer, **method)  # type: ignore[arg-type]


class Arena:
    """An arena as the tests see it: a process that is given the names of attacks and answers with verdicts."""

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
        """Try it. An arena that dies of it is one more harm, and the next attack gets a new one."""
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
    """The arena of one configuration after the other."""

    def __init__(self) -> None:
        self._open: Arena | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open is not None:
            self._open.__exit__()

    def attack(self, configuration: Configuration, name: str) -> Verdict:
        """Try it in an arena of that configuration, the same one as before if it is still open."""
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
    """Where a file of the host stands in an arena."""
    return PLACE / path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _as_nobody(command: list[str]) -> list[str]:
    """The command as it is started by a server that gave root up, if it had it."""
    if os.geteuid() != 0:
        return command
    start = f"import sys; sys.path[:] = {[str(ROOT), *filter(None, sys.path)]!r}; from app.sandbox.unroot import main; main()"
    readable = [ROOT, Path(sys.executable), Path(sys.prefix), Path(sys.base_prefix), Path(command[0])]
    return [sys.executable, "-I", "-S", "-c", start, str(UID), *map(str, readable), "--", *command]
