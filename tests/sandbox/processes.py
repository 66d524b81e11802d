"""The processes of a sandbox as the host sees them."""

import asyncio
import os
from pathlib import Path
from typing import Final, NamedTuple

from app.sandbox.inside import child, start

STANDBY: Final = child.STANDBY.decode()
BETWEEN: Final = start.BETWEEN.decode()


class Process(NamedTuple):
    """One line of `ps`."""

    pid: int
    parent: int
    name: str
    arguments: str
    began: int = 0
    """Ticks since the machine was started: a pid comes again after some thousands of processes, and never with the same tick."""

    def uids(self) -> list[int]:
        """Real, effective, saved and file system uid on the host."""
        return [int(word) for word in _field(self.pid, "Uid").split()]

    def namespace(self, kind: str) -> str:
        """Which namespace of that kind it is in."""
        return str(Path(f"/proc/{self.pid}/ns/{kind}").readlink())

    def oom_score_adj(self) -> int:
        """How gladly the kernel kills it when memory runs out."""
        return int(Path(f"/proc/{self.pid}/oom_score_adj").read_text())

    def status(self, field: str) -> str:
        """A field of /proc/<pid>/status."""
        return _field(self.pid, field)


PATIENCE = 120
"""Seconds within which what must come has come, on however busy a machine."""

unrelated: set[tuple[int, int]] = set()
"""Processes of other tests, which share this one's: they were here before the first test of the file (`conftest.py`)."""


def family(pid: int) -> list[Process]:
    """Every process that descends from `pid`, parents first, without unrelated."""
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
    """The descendants of `pid` without standby children and processes that only wait for such a child."""
    found = family(pid)
    standing = {process.pid for process in found if process.name == STANDBY}
    waiting = {process.parent for process in found if process.pid in standing}
    standing |= {process.pid for process in found if process.pid in waiting and process.name == BETWEEN}
    return [process for process in found if process.pid not in standing]


async def until_below(count: int, pid: int | None = None) -> list[Process]:
    """Wait, with patience, until `count` processes descend from `pid` (this one), and return them. 0: none, not even on
    standby."""
    look = below if count else family
    async with asyncio.timeout(PATIENCE):
        while len(found := look(pid or os.getpid())) != count:  # noqa: ASYNC110 - the kernel sends no event for this
            await asyncio.sleep(0.01)
    return found


async def until_one_stands_by() -> Process:
    """Wait until a child of this process' sandbox stands by."""
    async with asyncio.timeout(PATIENCE):
        while not (found := [process for process in family(os.getpid()) if process.name == STANDBY]):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.01)
    return found[-1]


async def until_gone(pids: set[int]) -> None:
    """Wait until the processes are gone: SIGKILL returns before its process has ended."""
    waited_for = {(process.pid, process.began) for process in _processes() if process.pid in pids}
    async with asyncio.timeout(PATIENCE):
        while {(process.pid, process.began) for process in _processes()} & waited_for:  # noqa: ASYNC110 - the kernel sends no event for this
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
