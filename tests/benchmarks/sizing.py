"""Measure the resources per visitor of each service of a fleet, for docs/operating.md.

Run with `python -m tests.benchmarks.sizing`. Processor time does not depend on other programs. Memory is measured as
PSS: private memory plus a proportional share of shared memory. HAProxy and PostgreSQL run as in compose.yaml.
"""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx

from app.lessons import lessons
from tests.benchmarks.serving import seconds
from tests.benchmarks.table import Row, Size, show
from tests.composed import composition
from tests.sandbox.processes import PATIENCE, below

TITLE = "Sizing: processor time and memory of the parts of a fleet"
TICKS = os.sysconf("SC_CLK_TCK")
FREELY = {"visitor_per_second": "1e6", "visitor_burst": "1e6", "address_per_second": "1e6", "address_burst": "1e6"}
LINKS = {"address_links_per_day": "1000000", "visitor_links_per_day": "1000000"}
AT_ONCE = 8


@dataclass(frozen=True, kw_only=True)
class Counts:
    pages: int
    runs: int
    shares: int


COUNTS = {Size.SMALLEST: Counts(pages=2, runs=2, shares=2), Size.FULL: Counts(pages=1000, runs=1000, shares=300)}


def measure(size: Size) -> list[Row]:
    """Measure a page, a run, sharing and an opened link for web process, worker, HAProxy and PostgreSQL."""
    counts = COUNTS[size]
    source = next(lesson.snippet.source for lesson in lessons() if lesson.snippet.ends == "finished")
    with composition() as made, ExitStack() as up:
        worker = up.enter_context(made.worker("worker-1"))
        web = up.enter_context(made.web("web-1", **FREELY, **LINKS))
        parts = {"web": web.process.pid, "worker": worker.process.pid, **made.pids()}
        clients = [up.enter_context(httpx.Client(base_url=made.url, timeout=PATIENCE, verify=False)) for _ in range(AT_ONCE)]
        until_it_runs(clients[0], source)
        rows = [
            Row(what=f"memory of {name} when nothing runs", measured=f"{memory(pid):.0f} MB") for name, pid in parts.items()
        ]
        ids: list[str] = []

        def share(client: httpx.Client, number: int) -> None:
            shared = client.post("/api/v1/snippets", json={"source": f"{source}\n# {number}\n"})
            ids.append(shared.raise_for_status().json()["id"])

        def opened(client: httpx.Client, number: int) -> None:
            client.get(f"/api/v1/snippets/{ids[number % len(ids)]}").raise_for_status()

        def run(client: httpx.Client, _: int) -> None:
            client.post("/api/v1/traces", json={"source": source}).raise_for_status()

        kinds: tuple[tuple[str, int, Callable[[httpx.Client, int], object]], ...] = (
            ("the page", counts.pages, lambda client, _: client.get("/").raise_for_status()),
            ("a lesson's run", counts.runs, run),
            ("a lesson's run that is shared", counts.shares, share),
            ("an opened link", counts.pages, opened),
        )
        for what, count, do in kinds:
            rows += cost(what, count, clients, do, parts)
        rows += [Row(what=f"memory of {name} after all of it", measured=f"{memory(pid):.0f} MB") for name, pid in parts.items()]
        return rows


def until_it_runs(client: httpx.Client, source: str) -> None:
    """Wait until ten runs in a row have succeeded, which means that all processes are warm."""

    def statuses() -> list[int]:
        return [client.post("/api/v1/traces", json={"source": source}).status_code for _ in range(10)]

    while statuses() != [200] * 10:
        pass


def cost(
    what: str, count: int, clients: list[httpx.Client], do: Callable[[httpx.Client, int], object], parts: dict[str, int]
) -> list[Row]:
    """Return the processor time per request of each service. The benchmark sends several requests at a time."""

    def some(start: int) -> None:
        for number in range(start, count, len(clients)):
            do(clients[start], number)

    before = {name: spent(pid) for name, pid in parts.items()}
    with ThreadPoolExecutor(len(clients)) as pool:
        took = seconds(lambda: [each.result(10 * PATIENCE) for each in [pool.submit(some, n) for n in range(len(clients))]])
    told = {name: 1000 * (spent(pid) - before[name]) / count for name, pid in parts.items()}
    measured = ", ".join(f"{name} {milliseconds:.2f} ms" for name, milliseconds in told.items())
    return [Row(what=what, measured=f"{measured}; {count / took:.0f} a second here")]


def spent(pid: int) -> float:
    """Return the processor time in seconds of a process and its descendants, including those that have ended."""
    total = 0.0
    for each in (pid, *(process.pid for process in below(pid))):
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(int(field) for field in fields[11:15]) / TICKS
    return total


def memory(pid: int) -> float:
    """Return the memory of a process and its descendants in MB."""
    total = 0
    for each in (pid, *(process.pid for process in below(pid))):
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1000


if __name__ == "__main__":
    sys.exit(0 if show(TITLE, measure(Size.FULL)) else 1)
