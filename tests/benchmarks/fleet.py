"""Measure the wall-clock time of a lesson with HAProxy and a remote worker, compared with a server that runs it itself."""

import statistics
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from app.lessons import lessons
from tests.benchmarks.serving import post, seconds
from tests.benchmarks.table import Row, Size, at_most
from tests.fleet.proxy import proxy
from tests.fleet.running import PLACES, running_worker
from tests.fleet.tls import certificates, encrypted_worker, of_haproxy
from tests.web.server import Running, running

TITLE = "Fleet: POST to the last byte of the document, by way of a worker (wall clock, median)"


@dataclass(frozen=True, kw_only=True)
class Counts:
    warm_up: int
    runs: int
    crowd: int
    school: int
    """The number of students who press Run just before another visitor."""


COUNTS = {
    Size.SMALLEST: Counts(warm_up=1, runs=2, crowd=2, school=2),
    Size.FULL: Counts(warm_up=10, runs=100, crowd=300, school=150),
}


def measure(size: Size) -> list[Row]:
    """Alternate between the servers, so that other programs on the machine affect all of them."""
    counts = COUNTS[size]
    source = next(lesson.snippet.source for lesson in lessons() if lesson.snippet.ends == "finished")
    with ExitStack() as parts:
        here = parts.enter_context(running(visitor_burst="1e6", runs_in_flight=str(PLACES)))
        between = parts.enter_context(proxy(parts.enter_context(running_worker()).url))
        there = parts.enter_context(running(visitor_burst="1e6", workers_url=between.url, proxies="127.0.0.1"))
        folder = Path(parts.enter_context(TemporaryDirectory()))
        certificates(folder, "authority", "web-1", "worker-1=127.0.0.1")
        encrypted = parts.enter_context(proxy(parts.enter_context(encrypted_worker(folder)).url, tls=of_haproxy(folder)))
        behind_tls = parts.enter_context(running(visitor_burst="1e6", workers_url=encrypted.url))
        clients = [parts.enter_context(server.client()) for server in (here, there, behind_tls)]
        for _ in range(counts.warm_up):
            for client in clients:
                post(client, source)
        crowds = [at_once(server, counts.crowd, source) for server in (here, there)]
        waited = beside_a_school(there, counts.school, source)
        turns = [[taken(client, source) for client in clients] for _ in range(counts.runs)]
    before, after, secret = (statistics.median(times) * 1000 for times in zip(*turns, strict=True))
    together, ratio = f"{counts.crowd} at once", crowds[1] / crowds[0]
    return [
        Row(what="a lesson on one machine, p50", measured=f"{before:.1f} ms"),
        at_most("what a fleet adds to it, p50", f"{after - before:.1f} ms", after - before, 15, "ms"),
        at_most("what a fleet behind TLS adds to it, p50", f"{secret - before:.1f} ms", secret - before, 20, "ms"),
        Row(what=f"{together} on one machine, all answered", measured=f"{crowds[0]:.2f} s"),
        at_most(f"{together} through a fleet", f"{crowds[1]:.2f} s = {ratio:.2f} x that", ratio, 1.5, "x"),
        at_most(f"a single visitor beside a class of {counts.school}", f"{waited:.2f} s", waited, 2, "s"),
    ]


def at_once(server: Running, count: int, source: str) -> float:
    """Return the time until a whole class has its results, in seconds. All students press Run at the same time."""
    clients = [server.client() for _ in range(count)]
    for client in clients:
        client.get("/api/v1/health")
    with ThreadPoolExecutor(count) as pool:
        took = seconds(lambda: list(pool.map(lambda client: post(client, source), clients)))
    for client in clients:
        client.close()
    return took


def beside_a_school(server: Running, count: int, source: str) -> float:
    """Return how long a visitor with another IP address waits after a class has pressed Run, in seconds."""
    with ExitStack() as parts:
        clients = [parts.enter_context(server.client()) for _ in range(count + 1)]
        for number, client in enumerate(clients):
            client.headers["X-Forwarded-For"] = "192.0.2.1" if number else "198.51.100.1"
            client.get("/api/v1/health")
        visitor, *school = clients
        operator = parts.enter_context(server.client())
        with ThreadPoolExecutor(count) as pool:
            asking = [pool.submit(post, client, source) for client in school]
            while operator.get("/api/v1/health").json()["running"] == 0:
                pass
            waited = taken(visitor, source)
            for each in asking:
                each.result()
    return waited


def taken(client: httpx.Client, source: str) -> float:
    """Return the duration of one run in seconds."""
    return seconds(lambda: post(client, source))
