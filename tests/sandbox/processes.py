"""Inspect the processes of a sandbox from the host."""

import asyncio
import os
from pathlib import Path
from typing import Final, NamedTuple

from app.sandbox.inside import child, start

STANDBY: Final = child.STANDBY.decode()
BETWEEN: Final = start.BETWEEN.decode()


class Process(NamedTuple):
    """A process, with the facts that `ps` shows."""

    pid: int
    parent: int
    name: str
    arguments: str
    began: int = 0
    """The start time in clock ticks since boot. It distinguishes a process from a later one with the same pid."""

    def uids(self) -> list[int]:
        """Return the real, effective, saved and file system uid on the host."""
        return [int(word) for word in _field(self.pid, "Uid").split()]

    def namespace(self, kind: str) -> str:
        """Return the id of the process's namespace of this kind, such as "pid"."""
        return str(Path(f"/proc/{self.pid}/ns/{kind}").readlink())

    def oom_score_adj(self) -> int:
        """Return the process's oom_score_adj. When memory runs out, the kernel first kills the processes with the highest
        score.
        """
        return int(Path(f"/proc/{self.pid}/oom_score_adj").read_text())

    def status(self, field: str) -> str:
        """Return a field of /proc/<pid>/status."""
        return _field(self.pid, field)


PATIENCE = 120
"""The timeout in seconds for waiting. It allows for a busy machine."""

unrelated: set[tuple[int, int]] = set()
"""Processes of earlier tests in the same pytest process (set by conftest.py)."""


def family(pid: int) -> list[Process]:
    """Return all descendants of `pid` except UNRELATED, parents first."""
    everyone = [process for process in _processes() if (process.pid, process.began) not in unrelated]
    found: list[Process] = []
    wanted = {pid}
    while True:
        more = [process for process in everyone if process.parent in wanted and process not in found]
        if not more:
            return found
        found += more
        wanted = {process.pid for process in more}


def below(pid: int) -> list[Process]:
    """Return the descendants of `pid`, without standby children and their parents."""
    found = family(pid)
    standing = {process.pid for process in found if process.name == STANDBY}
    waiting = {process.parent for process in found if process.pid in standing}
    standing |= {process.pid for process in found if process.pid in waiting and process.name == BETWEEN}
    return [process for process in found if process.pid not in standing]


async def until_below(count: int, pid: int | None = None) -> list[Process]:
    """Wait until `pid`, by default this process, has `count` descendants, and return them.

    If `count` is 0, standby children do not count.
    """
    look = below if count else family
    async with asyncio.timeout(PATIENCE):
        while len(found := look(pid or os.getpid())) != count:  # noqa: ASYNC110 - no event exists
            await asyncio.sleep(0.01)
    return found


async def until_one_stands_by() -> Process:
    """Wait until the sandbox of this process has a standby child, and return the child."""
    async with asyncio.timeout(PATIENCE):
        while not (found := [process for process in family(os.getpid()) if process.name == STANDBY]):  # noqa: ASYNC110 - no event exists
            await asyncio.sleep(0.01)
    return found[-1]


async def until_gone(pids: set[int]) -> None:
    """Wait until the processes no longer exist. A process still exists for a moment after SIGKILL."""
    waited_for = {(process.pid, process.began) for process in _processes() if process.pid in pids}
    async with asyncio.timeout(PATIENCE):
        while {(process.pid, process.began) for process in _processes()} & waited_for:  # noqa: ASYNC110 - no event exists
            await asyncio.sleep(0.01)


def _processes() -> list[Process]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
                arguments = (entry / "cmdline").read_text().replace("\0", " ")
            except (FileNotFoundError, ProcessLookupError):
                continue
            name, rest = stat[stat.index("(") + 1 :].rsplit(")", 1)
            state, parent, *fields = rest.split()
            if state not in "ZX":
                found.append(Process(int(entry.name), int(parent), name, arguments, int(fields[17])))
    return found


def _field(pid: int, name: str) -> str:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return line.partition(":")[2].strip()
    raise LookupError(name)
