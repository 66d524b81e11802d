"""The environment in which attacks are tried: separate mount, pid, ipc and network namespaces, which are thrown away afterwards.

Even without any layers of the sandbox, an attack reaches only this environment: the host's file system is read-only, /tmp and
/dev/shm are separate, there are no other processes, and its uid is unused on the host.
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
"""The path of the project in an arena. A run without an outer sandbox covers /tmp, where this checkout may be."""
UID: Final = 65520
"""The uid on the host, if root can choose it. No run has this uid."""

ANSWER_SECONDS: Final = 600.0
"""Longer than any attack takes, including its clocks and the wait for leftovers."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """The configuration of the sandbox under attack."""

    without: frozenset[Layer] = NONE
    method: str | None = None
    """How the zygote starts a child; None means that it chooses itself."""
    bound_proc: bool = False
    """Whether the kernel refuses bubblewrap a new /proc, as in a container."""
    torch: bool = True
    """Whether the real tracer runs the attacks; otherwise one without torch, which starts immediately."""

    def settings(self) -> SandboxSettings:
        """Return the settings of the sandbox."""
        here = Path(__file__).parent
        paths = (here / "within",) if self.torch else (here / "within", here.parent)
        tracer = {} if self.torch else {"tracer": "entries.plain"}
        method = {} if self.method is None else {"method": self.method}
        packages = ("torch", "numpy", "sortedcontainers")  # like an operator's list: torch does not need sortedcontainers
        return SandboxSettings(without=self.without, packages=packages, extra_paths=paths, **tracer, **method)  # type: ignore[arg-type]


class Arena:
    """The client of an arena: a process that receives names of attacks and answers with verdicts."""

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
        """Try an attack. If the arena dies, that counts as harm, and the next attack gets a new arena."""
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
    """The arenas of several configurations, one at a time."""

    def __init__(self) -> None:
        self._open: Arena | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open is not None:
            self._open.__exit__()

    def attack(self, configuration: Configuration, name: str) -> Verdict:
        """Try an attack in an arena of this configuration, which is reused if it is still open."""
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
    """Return the path in an arena of a file on the host."""
    return PLACE / path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def _as_nobody(command: list[str]) -> list[str]:
    """Return the command as a server that dropped root starts it; unchanged if this process is not root."""
    if os.geteuid() != 0:
        return command
    start = f"import sys; sys.path[:] = {[str(ROOT), *filter(None, sys.path)]!r}; from app.sandbox.unroot import main; main()"
    readable = [ROOT, Path(sys.executable), Path(sys.prefix), Path(sys.base_prefix), Path(command[0])]
    return [sys.executable, "-I", "-S", "-c", start, str(UID), *map(str, readable), "--", *command]
