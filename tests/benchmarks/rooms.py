"""Measure rooms with many clients, which run on the same machine as the server."""

import asyncio
from dataclasses import dataclass

from tests.benchmarks.table import Row, Size, at_most
from tests.fleet.webs import running_webs
from tests.postgresql import cluster
from tests.rooms.crowd import SNIPPET, percentile
from tests.rooms.lectures import LARGE, SETTINGS, arrivals, lecture
from tests.web.server import running

TITLE = "Rooms: from the teacher's step to the last student (wall clock)"
P95_MS = 100
MOST_MS = 300
ARRIVED_SECONDS = 10


@dataclass(frozen=True, kw_only=True)
class Counts:
    rooms: tuple[tuple[int, int], ...]
    """The number of concurrent rooms, and of students in each."""
    running_snippets: int
    steps: int
    arriving: int
    within: float
    source: str


COUNTS = {
    Size.SMALLEST: Counts(rooms=((1, 2),), running_snippets=1, steps=2, arriving=2, within=0.1, source=SNIPPET.format(2)),
    Size.FULL: Counts(rooms=((1, 300), (20, 30)), running_snippets=30, steps=60, arriving=300, within=5, source=LARGE),
}


def measure(size: Size) -> list[Row]:
    counts = COUNTS[size]
    rows = []
    with running(**SETTINGS) as server:
        for rooms, students in counts.rooms:
            for runs in (0, counts.running_snippets):
                times = asyncio.run(lecture(server.url, rooms, students, runs, counts.steps))
                rows += told(f"{rooms} x {students} students, {runs} of them run snippets", times, is_bound=runs > 0)
        arrived = asyncio.run(arrivals(server, counts.arriving, counts.within, counts.source))
        what = (
            f"{counts.arriving} join within {counts.within:g} s, with a document of {arrived.document_bytes >> 10} KiB packed"
        )
        rows.append(at_most(what, f"all after {arrived.seconds:.1f} s", arrived.seconds, ARRIVED_SECONDS, "s"))
    return rows + over_two_webs(counts)


def over_two_webs(counts: Counts) -> list[Row]:
    """Measure a room with HAProxy and two web processes, also after the web process with the room is killed."""
    rooms, students = counts.rooms[0]
    rows = []
    with cluster() as made, made.database() as database, running_webs(database) as webs:
        for dead in (None, 0, 1):
            if dead is not None:
                webs[dead].kill()
            times = asyncio.run(lecture(webs.proxy.url, rooms, students, 0, counts.steps))
            what = "two webs" if dead is None else f"web {2 - dead}, the other is dead"
            rows += told(f"{rooms} x {students} students through the proxy, {what}", times, is_bound=True)
            if dead is not None:
                webs[dead].start()
                webs.both_up()
    return rows


def told(what: str, times: list[float], *, is_bound: bool) -> list[Row]:
    late, latest = 1000 * percentile(times, 0.95), 1000 * max(times)
    measured = f"p50 {1000 * percentile(times, 0.5):.0f} ms, p95 {late:.0f} ms", f"{latest:.0f} ms"
    if not is_bound:
        return [Row(what=what, measured=f"{measured[0]}, max {measured[1]}")]
    return [at_most(what, measured[0], late, P95_MS, "ms p95"), at_most(f"{what}, max", measured[1], latest, MOST_MS, "ms")]
