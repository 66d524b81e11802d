"""Measure the wall-clock time of runs and links, relative to starting a new `python`."""

import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx

from app.lessons import lessons
from tests.benchmarks.table import Row, Size, at_least, at_most
from tests.sandbox.processes import below
from tests.web.server import Running, running

TITLE = "Serving: POST to the last byte of the document (wall clock, median)"
CLASS = 60
CROWD = 300
FIXABLE = """import torch
x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
y.sum().backward()
"""
LARGE = """import torch
torch.manual_seed({number})
x = torch.randn(16, 16, requires_grad=True)
for _ in range(250):
    (x @ x).sin().sum().backward()
    x.grad = None
"""
"""Its recording has 6 MB."""
IMPORTS = "import numpy, torch, torch._dynamo"
"""The imports of torch when a zygote starts. The first optimizer imports torch._dynamo."""
IDLE_SECONDS = 0.1
"""Long enough for the server to measure the delay of its event loop (app/web/operations/metrics.py)."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    fresh_runs: int
    warm_up: int
    warm_runs: int
    """The number of runs in each round."""
    warm_rounds: int
    deaths: int
    """The sandbox starts the next zygote without delay after at most this many deaths (app/sandbox/sandbox.py)."""
    crowds: tuple[int, ...]
    large: int
    """The number of links with large recordings."""
    tried: int
    """The number of visitors who run snippets while the server tries out fixes."""
    rounds: int


COUNTS = {
    Size.SMALLEST: Counts(
        fresh_runs=1, warm_up=1, warm_runs=2, warm_rounds=1, deaths=1, crowds=(2,), large=1, tried=2, rounds=1
    ),
    Size.FULL: Counts(
        fresh_runs=5, warm_up=10, warm_runs=60, warm_rounds=3, deaths=3, crowds=(CLASS, CROWD), large=70, tried=100, rounds=3
    ),
}


def measure(size: Size) -> list[Row]:
    counts = COUNTS[size]
    source = next(lesson.snippet.source for lesson in lessons() if lesson.snippet.ends == "finished")
    fresh = statistics.median(seconds(lambda: run_fresh(source)) for _ in range(counts.fresh_runs))
    with (
        running(visitor_burst="1e6") as server,
        server.client() as client,
    ):  # no rate limit for the single client
        rows = one_at_a_time(client, source, fresh, counts)
        for crowd in counts.crowds:
            rows += at_once(server, crowd, source, fresh)
        rows += after_deaths(server, client, source, counts.deaths)
    with running(visitor_burst="1e6", address_burst="1e6", runs_of_one_address="1000") as server:
        rows.append(beside_trials(server, counts))
    with running(visitor_burst="1e6", address_links_per_day="1000", visitor_links_per_day="1000") as server:
        rows.append(large_links(server, counts.large))
    return rows


def one_at_a_time(client: httpx.Client, source: str, fresh: float, counts: Counts) -> list[Row]:
    """Measure a snippet as long as a lesson, from the request to the end of the document, and the same in a new process.

    Several rounds are measured, and the one with the lowest p95 / p50 counts. Background work of the server affects every
    round, but other programs on the machine affect only some rounds: under load, p95 / p50 varied from 1.5 to 3.0 between
    rounds.
    """
    for _ in range(counts.warm_up):
        post(client, source)
    rounds = [[seconds(lambda: post(client, source)) for _ in range(counts.warm_runs)] for _ in range(counts.warm_rounds)]
    late, middle = min(((late_of(times), statistics.median(times)) for times in rounds), key=lambda each: each[0] / each[1])
    return [
        Row(what="the snippet in a fresh python, p50", measured=f"{fresh * 1000:.0f} ms"),
        Row(what="POST to document, p50", measured=f"{middle * 1000:.1f} ms"),
        at_most("POST to document, p95", f"{late * 1000:.1f} ms = {late / middle:.2f} x p50", late / middle, 2, "x p50"),
        at_least("fresh python / POST to document", f"{fresh / middle:.0f} x", fresh / middle, 60, "x"),
    ]


def at_once(server: Running, count: int, source: str, fresh: float) -> list[Row]:
    """Let a class press Run at the same time, each over its own connection."""

    def one(client: httpx.Client) -> float:
        return seconds(lambda: post(client, source))

    clients = [server.client() for _ in range(count)]
    for client in clients:
        client.get("/api/v1/health")
    before = lateness(clients[0])
    began = time.perf_counter()
    with ThreadPoolExecutor(count) as pool:
        times = list(pool.map(one, clients))  # raises unless every response is a document
    total = time.perf_counter() - began
    time.sleep(IDLE_SECONDS)
    late = percentile(lateness(clients[0]) - before, 0.95)
    for client in clients:
        client.close()
    what, measured = f"{count} at once, all answered", f"{total:.2f} s, slowest {max(times):.2f} s"
    lag = at_most(f"{count} at once, event loop late, p95", f"at most {late * 1000:g} ms", late * 1000, 10, "ms")
    if count != CLASS:
        return [Row(what=what, measured=measured), lag]
    # The new processes share the cores, so no more than `cores()` run at once.
    ratio = count / total * (fresh / cores())
    return [
        at_most(what, measured, total, 3, "s"),
        at_least(f"{count} at once, throughput / fresh processes", f"{ratio:.0f} x", ratio, 30, "x"),
        lag,
    ]


def beside_trials(server: Running, counts: Counts) -> Row:
    """Let a class run different snippets while the server tries out fixes of their previous runs."""
    clients = [(server.client(), server.client()) for _ in range(counts.tried)]
    quiet, beside = [], []
    with ThreadPoolExecutor(counts.tried) as asking, ThreadPoolExecutor(counts.tried) as pressing:

        def press(turn: int) -> float:
            presses = [
                pressing.submit(seconds, partial(post, each, distinct(turn, number)))
                for number, (each, _) in enumerate(clients)
            ]
            return statistics.mean(press.result() for press in presses)

        press(0)
        for turn in range(1, 2 * counts.rounds, 2):
            quiet.append(press(turn))
            asked = [asking.submit(tried, each, distinct(turn, number)) for number, (_, each) in enumerate(clients)]
            beside.append(press(turn + 1))
            for answer in asked:
                answer.result()
    for pair in clients:
        for each in pair:
            each.close()
    before, after = statistics.median(quiet), statistics.median(beside)
    what = f"{counts.tried} at once while fixes are tried, mean wait"
    return at_most(what, f"{after:.2f} s = {after / before:.2f} x without", after / before, 1.1, "x")


def large_links(server: Running, count: int) -> Row:
    """Measure the memory of the web process while links with large recordings are created and opened."""
    before = resident(server, "VmRSS")
    with server.client() as client, ThreadPoolExecutor(8) as pool:
        ids = []
        for number in range(count):
            shared = client.post("/api/v1/snippets", json={"source": LARGE.format(number=number)})
            ids.append(shared.raise_for_status().json()["id"])
        for shown in pool.map(lambda each: client.get(f"/api/v1/snippets/{each}"), ids):
            shown.raise_for_status()
    told = f"{resident(server, 'VmRSS')} MB, at most {resident(server, 'VmHWM')} MB; {before} MB before"
    return Row(what=f"memory of the web with {count} large links", measured=told)


def resident(server: Running, what: str) -> int:
    """Return the memory of the server process in MB: `VmRSS` is the current value, `VmHWM` the maximum."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(rf"^{what}:\s+(\d+)", status, re.MULTILINE)
    assert found is not None
    return int(found[1]) >> 10


def distinct(turn: int, number: int) -> str:
    """Return a snippet that no one has run, with a mistake that has a fix."""
    return f"{FIXABLE}# {turn} {number}\n"


def tried(client: httpx.Client, source: str) -> None:
    """Request that the server tries out the fixes for a run, as the page does."""
    client.post("/api/v1/trials", json={"source": source}).raise_for_status()


def after_deaths(server: Running, client: httpx.Client, source: str, count: int) -> list[Row]:
    """Kill the zygote, and repeat a request until it succeeds. Return the median time.

    Importing torch takes nine tenths of this time (2.3 of 2.5 s of processor time). A new `python` imports it just before, so
    that a slow machine can be told from a slow start.
    """

    def ask() -> None:
        while client.post("/api/v1/traces", json={"source": source}).status_code != 200:
            time.sleep(0.01)

    imported, took = [], []
    for _ in range(count):
        imported.append(seconds(lambda: subprocess.run([sys.executable, "-c", IMPORTS], check=True)))
        *_, zygote = below(server.process.pid)
        os.kill(zygote.pid, signal.SIGKILL)
        took.append(seconds(ask))
    before, after = statistics.median(imported), statistics.median(took)
    told = f"{after:.2f} s = {after / before:.2f} x that import"
    return [
        Row(what="what a zygote imports of torch, in a fresh python", measured=f"{before:.2f} s"),
        at_most("the next run after a zygote's death", told, after, 3, "s"),
    ]


def lateness(client: httpx.Client) -> Counter[float]:
    """Return the number of delays of the server's event loop, by their upper bound in seconds."""
    counts: Counter[float] = Counter()
    below = 0.0
    for bound, total in re.findall(r'event_loop_late_seconds_bucket{le="([^"]+)"} (\S+)', client.get("/metrics").text):
        counts[float(bound)] = round(float(total) - below)
        below = float(total)
    return counts


def percentile(counts: Counter[float], share: float) -> float:
    """Return the upper bound of the `share` quantile."""
    seen = 0
    for bound in sorted(counts):
        seen += counts[bound]
        if seen >= share * counts.total():
            return bound
    raise ValueError("nothing was counted")


def late_of(times: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(times)[int(0.95 * len(times))]


def cores() -> int:
    """Return the number of cores that this process can use."""
    return len(os.sched_getaffinity(0))


def post(client: httpx.Client, source: str) -> None:
    """Run a snippet, and read the complete document."""
    client.post("/api/v1/traces", json={"source": source}).raise_for_status()


def run_fresh(source: str) -> None:
    """Run a snippet in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snippet.py"
        path.write_text(source)
        subprocess.run([sys.executable, path], check=True, stdout=subprocess.DEVNULL)


def seconds(work: Callable[[], object]) -> float:
    """Return the wall-clock time of `work`."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
