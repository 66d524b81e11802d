"""`python -m benchmarks`: the budgets of serving, as a table.

Every figure is a ratio of two things measured in this one run on this one machine: the server against a fresh `python`.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from app.lessons import lessons
from tests.web.server import Running, running

WARM_RUNS = 60
FRESH_RUNS = 5
CLASS = 60
CROWD = 300
WARM_UP = 10


def main() -> int:
    """Measure and print; 0 when every budget is kept."""
    source = next(lesson.source for lesson in lessons() if lesson.ends == "finished")
    fresh = statistics.median(seconds(lambda: run_fresh(source)) for _ in range(FRESH_RUNS))
    with running() as server, server.client() as client:
        rows = one_at_a_time(client, source, fresh)
        rows += at_once(server, CLASS, source, fresh)
        rows += at_once(server, CROWD, source, fresh)
    print_table(rows)
    return 0 if all(is_kept for *_, is_kept in rows) else 1


Row = tuple[str, str, str, bool]
"""What, measured, budget, whether it is kept."""


def one_at_a_time(client: httpx.Client, source: str, fresh: float) -> list[Row]:
    """A lesson-sized snippet, POST to whole document, on a warm server, against the same snippet in a fresh process."""
    for _ in range(WARM_UP):
        post(client, source)
    times = sorted(seconds(lambda: post(client, source)) for _ in range(WARM_RUNS))
    middle, late = statistics.median(times), times[int(0.95 * len(times))]
    return [
        ("the snippet in a fresh python, p50", f"{fresh * 1000:.0f} ms", "", True),
        ("POST to document, p50", f"{middle * 1000:.1f} ms", "", True),
        ("POST to document, p95", f"{late * 1000:.1f} ms = {late / middle:.2f} x p50", "<= 2 x p50", late <= 2 * middle),
        ("fresh python / POST to document", f"{fresh / middle:.0f} x", ">= 30 x", fresh / middle >= 30),
    ]


def at_once(server: Running, count: int, source: str, fresh: float) -> list[Row]:
    """Everybody of a class presses Run at the same moment, each from a connection of their own."""

    def one(client: httpx.Client) -> float:
        return seconds(lambda: post(client, source))

    clients = [server.client() for _ in range(count)]
    for client in clients:
        client.get("/api/health")
    began = time.perf_counter()
    with ThreadPoolExecutor(count) as pool:
        times = list(pool.map(one, clients))  # raises for an answer that is not a document
    total = time.perf_counter() - began
    for client in clients:
        client.close()
    # Fresh processes share the cores: at most so many of them make progress at once.
    ratio = count / total * (fresh / cores())
    rows: list[Row] = [(f"{count} at once, all answered", f"{total:.2f} s, slowest {max(times):.2f} s", "", True)]
    if count == CLASS:
        rows[0] = (*rows[0][:2], "<= 3 s", total <= 3)
        rows.append((f"{count} at once, throughput / fresh processes", f"{ratio:.0f} x", ">= 30 x", ratio >= 30))
    return rows


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def post(client: httpx.Client, source: str) -> None:
    """One run, to the last byte of its document."""
    client.post("/api/traces", json={"source": source}).raise_for_status()


def run_fresh(source: str) -> None:
    """The snippet in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snippet.py"
        path.write_text(source)
        subprocess.run([sys.executable, path], check=True, stdout=subprocess.DEVNULL)


def seconds(work: Callable[[], object]) -> float:
    """How long `work` takes on the wall clock."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def print_table(rows: list[Row]) -> None:
    """What was measured, beside its budget."""
    width = max(len(what) for what, *_ in rows)
    measured_width = max(len(measured) for _, measured, *_ in rows)
    for what, measured, budget, is_kept in rows:
        verdict = "" if not budget else "kept" if is_kept else "MISSED"
        print(f"{what:<{width}}  {measured:<{measured_width}}  {budget:<10}  {verdict}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
