"""Measure the work after a run: memory while many clients load a large link, and delays by runs that are hard to explain."""

import json
import statistics
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Final

import httpx

from app.lessons import lessons
from tests.benchmarks.serving import post, seconds
from tests.benchmarks.table import Row, Size, at_most
from tests.sandbox.processes import below
from tests.web.server import Running, running

TITLE = "After the run: large links, and runs that are hard to explain"

LARGE: Final = "import torch\nfor number in range({rounds}):\n    x = torch.rand(4096)\n"
"""Its recording has 46 KB per iteration, because the trace contains all elements."""

HARD: Final = """import torch
x = torch.ones(1, requires_grad=True)
(x * 2).sum().backward()
held = [torch.ones(1) for _ in range({names})]
for _ in range({rounds}):
    g = x.grad
"""
"""Explaining this run takes long: many names, and many steps at which each of them may have changed."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    rounds: int
    gets: int
    later_seconds: float
    names: int
    hard: int
    lessons: int


COUNTS = {
    Size.SMALLEST: Counts(rounds=30, gets=3, later_seconds=0, names=20, hard=2, lessons=3),
    Size.FULL: Counts(rounds=540, gets=70, later_seconds=60, names=3000, hard=7, lessons=100),
}


def measure(size: Size) -> list[Row]:
    counts = COUNTS[size]
    limits = {"limits__wall_seconds": "60", "limits__cpu_seconds": "60", "limits__cells": "4096"}
    # With a slot for each client, no measured time includes waiting for a slot.
    limits |= {"runs_in_flight": str(counts.hard + 2), "queue_seconds": "60"}
    with running(visitor_burst="1e6", address_burst="1e6", **limits) as server, server.client() as client:
        return [*many_fetch_one_link(server, client, counts), *beside_hard_runs(server, client, counts)]


def many_fetch_one_link(server: Running, client: httpx.Client, counts: Counts) -> list[Row]:
    """Let many clients open a large link at the same time, with the page's requests."""
    made = client.post("/api/v1/snippets", json={"source": LARGE.format(rounds=counts.rounds)})
    address = f"/api/v1/snippets/{made.raise_for_status().json()['id']}"
    before = memory_mb(server)
    peak, stop = [before], Event()

    def watch() -> None:
        while not stop.wait(0.1):
            peak.append(memory_mb(server))

    watching = Thread(target=watch)
    watching.start()
    began = time.perf_counter()
    try:
        with ThreadPoolExecutor(counts.gets) as pool:
            sizes = list(pool.map(lambda _: opened(server, address), range(counts.gets)))
    finally:
        stop.set()
        watching.join()
    took = time.perf_counter() - began
    time.sleep(counts.later_seconds)
    left = memory_mb(server) - before
    what = f"{counts.gets} GETs of a link of {sizes[0] / 1e6:.0f} MB at once"
    return [
        Row(what=f"{what}, all whole", measured=f"{took:.1f} s"),
        at_most(f"{what}, web and explainers at the peak", f"{max(peak):.0f} MB", max(peak), 600, "MB"),
        at_most(f"{what}, more than before them {counts.later_seconds:g} s later", f"{left:.0f} MB", left, 100, "MB"),
    ]


def opened(server: Running, address: str) -> int:
    """Open a link with the page's requests, and return the size of its trace in bytes. Raises ValueError if a piece is
    missing.
    """
    with server.client() as client:
        shown = client.get(address, headers={"Accept": "application/json, application/x-ndjson"}).raise_for_status().json()
        unpacking, size, lines, head = zlib.decompressobj(31), 0, 0, b""
        with client.stream("GET", f"/api/v1/recordings/{shown['document']['recording']}") as response:
            for piece in response.raise_for_status().iter_raw():
                plain = unpacking.decompress(piece)
                if not lines:
                    head += plain
                lines += plain.count(b"\n")
                size += len(plain)
    if not unpacking.eof or json.loads(head.splitlines()[0])["pieces"] != lines:
        raise ValueError(f"of a recording {lines} pieces came")
    return size


def beside_hard_runs(server: Running, client: httpx.Client, counts: Counts) -> list[Row]:
    """Run snippets that are hard to explain, and at the same time lessons and one large snippet."""
    hard, large = HARD.format(names=counts.names, rounds=3 * counts.names), LARGE.format(rounds=counts.rounds // 10 + 1)
    quiet = statistics.median(seconds(lambda: post(client, lesson())) for _ in range(counts.lessons))
    quiet_large = seconds(lambda: post(client, large))
    with ThreadPoolExecutor(counts.hard + 1) as pool:
        began = time.perf_counter()
        answers = [pool.submit(run_alone, server, hard) for _ in range(counts.hard)]
        beside_large = pool.submit(lambda: seconds(lambda: run_alone(server, large)))
        times = sorted(seconds(lambda: post(client, lesson())) for _ in range(counts.lessons))
        told = [each.result() for each in answers]
        took = time.perf_counter() - began
    late, late_large = times[int(0.95 * len(times))], beside_large.result()
    ratio = late_large / quiet_large
    what = f"{counts.hard} runs at once that are hard to explain"
    parts = ", ".join(sorted({"in part" if unfinished else "whole" for unfinished in told}))
    return [
        Row(what=f"{what}, the last answered", measured=f"{took:.1f} s, told {parts}"),
        Row(what="a lesson while nobody else runs, p50", measured=f"{quiet * 1000:.0f} ms"),
        at_most(f"{what}, a lesson beside them, p95", f"{late * 1000:.0f} ms", late * 1000, 150, "ms"),
        at_most(f"{what}, a large run beside them", f"{late_large:.2f} s, {ratio:.1f} x its quiet time", ratio, 3, "x"),
    ]


def run_alone(server: Running, source: str) -> int:
    """Run a snippet as a new visitor, and return the number of finders that did not finish."""
    with server.client() as client:
        document = client.post("/api/v1/traces", json={"source": source}).raise_for_status().json()
    return int(document.get("unfinished", 0))


def lesson() -> str:
    """Return the snippet of a lesson that finishes."""
    return next(each.snippet.source for each in lessons() if each.snippet.ends == "finished")


def memory_mb(server: Running) -> float:
    """Return the resident memory in MB of the server and the processes that explain recordings, without the sandbox."""
    pids = [server.process.pid, *(each.pid for each in below(server.process.pid) if "app.explainers" in each.arguments)]
    return sum(resident_mb(pid) for pid in pids)


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process in MB; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))
