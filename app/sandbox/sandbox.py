"""The sandbox as the web process sees it: start it, run a Request in it, get the Run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from app.trace.chunks import Chunk, Trace
from app.trace.records import Request

UNPRIVILEGED_UID = 65521
"""Host uid of runs when started as root: below 65536, so that it exists in every container's user namespace, and in the gap
65520-65533 that no distribution gives to anybody (systemd's UIDS-GIDS document lists it as unused)."""


@dataclass(frozen=True, kw_only=True)
class SandboxSettings:
    """What a sandbox is made of. Limits are not here: they travel with each Request."""

    tracer: str = "app.tracer.entry"
    """Module that is imported inside: `preload()` once in the zygote, `run(request, emit)` in each sealed child."""
    packages: tuple[str, ...] = ("torch", "numpy", "msgspec")
    """Packages whose site-packages directories the inside may read."""
    extra_paths: tuple[Path, ...] = ()
    """More directories that the inside may read and import from."""
    unprivileged_uid: int = UNPRIVILEGED_UID
    """uid and gid on the host when started as root; otherwise runs have the caller's."""
    start_seconds: float = 60.0
    """How long the zygote may take to import everything."""
    recycle_runs: int = 5000
    """After so many runs a fresh zygote (with a new address-space layout) takes over."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a run used, by the clock of the server and the account of the kernel."""

    wall_seconds: float
    cpu_seconds: float
    peak_memory_bytes: int
    """Largest resident set, pages shared with the zygote included."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that ended, however it ended: `trace.ended` says how."""

    trace: Trace
    cost: Cost


class Sandbox:
    """A zygote behind bubblewrap, and one sealed child per run. Start it from the thread that lives as long as the process."""

    def __init__(self, settings: SandboxSettings) -> None:
        self._settings = settings

    async def __aenter__(self) -> "Sandbox":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the zygote and wait until it is ready. Raises SandboxUnavailable."""
        raise NotImplementedError

    async def close(self) -> None:
        """Kill everything that runs, and wait until it is gone."""
        raise NotImplementedError

    async def run(self, request: Request, *, on_progress: Callable[[Chunk], None] | None = None) -> Run:
        """Run `request`, telling `on_progress` each chunk as it is believed. Cancelling the caller kills the run.

        Raises SandboxDied and SandboxUnavailable; everything that a snippet can do is an end of the trace.
        """
        raise NotImplementedError
