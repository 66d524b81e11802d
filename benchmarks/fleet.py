"""The budget of a fleet, on the wall clock: a lesson by way of HAProxy and a worker, against a server without them."""

import statistics
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

import httpx

from app.lessons import lessons
from benchmarks.serving import post, seconds
from benchmarks.table import Row, Size, at_most
from tests.fleet.proxy import proxy
from tests.fleet.running import PLACES, running_worker
from tests.web.server import Running, running

TITLE = "Fleet: POST to the last byte of the document, by way of a worker (wall clock, median)"


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How often each thing is done."""

    warm_up: int
    runs: int
    crowd: int


COUNTS = {Size.SMALLEST: Counts(warm_up=1, runs=2, crowd=2), Size.FULL: Counts(warm_up=10, runs=100, crowd=300)}


def measure(size: Size) -> list[Row]:
    """A lesson on a warm server and on a warm fleet, in turns, so that whatever else the machine does slows both."""
    counts = COUNTS[size]
    source = next(lesson.snippet.source for lesson in lessons() if lesson.snippet.ends == "finished")
    with ExitStack() as parts:
        here = parts.enter_context(running(visitor_burst="1e6", runs_in_flight=str(PLACES)))
        between = parts.enter_context(proxy(parts.enter_context(running_worker()).url))
        there = parts.enter_context(running(visitor_burst="1e6", workers_url=between.url))
        local, fleet = parts.enter_context(here.client()), parts.enter_context(there.client())
        for _ in range(counts.warm_up):
            post(local, source)
            post(fleet, source)
        crowds = [at_once(server, counts.crowd, source) for server in (here, there)]
        pairs = [(taken(local, source), taken(fleet, source)) for _ in range(counts.runs)]
    before, after = (statistics.median(times) * 1000 for times in zip(*pairs, strict=True))
    together, ratio = f"{counts.crowd} at once", crowds[1] / crowds[0]
    return [
        Row(what="a lesson on one machine, p50", measured=f"{before:.1f} ms"),
        at_most("what a fleet adds to it, p50", f"{after - before:.1f} ms", after - before, 15, "ms"),
        Row(what=f"{together} on one machine, all answered", measured=f"{crowds[0]:.2f} s"),
        at_most(f"{together} through a fleet", f"{crowds[1]:.2f} s = {ratio:.2f} x that", ratio, 1.5, "x"),
    ]


def at_once(server: Running, count: int, source: str) -> float:
    """How long it takes until everybody of a class who pressed Run at the same moment has an answer, in seconds."""
    clients = [server.client() for _ in range(count)]
    for client in clients:
        client.get("/api/v1/health")
    with ThreadPoolExecutor(count) as pool:
        took = seconds(lambda: list(pool.map(lambda client: post(client, source), clients)))
    for client in clients:
        client.close()
    return took


def taken(client: httpx.Client, source: str) -> float:
    """How long one run takes."""
    return seconds(lambda: post(client, source))
