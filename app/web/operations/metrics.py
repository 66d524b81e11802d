"""Prometheus metrics: runs by end, durations, queue, refusals, resources of the process."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from app.background import in_background
from app.engine import QUEUES, Admission, Queue, Sealing
from app.sandbox import Layer
from app.sandbox.tiers import Tier
from app.store import StoreError
from app.web.operations.execution_metrics import FleetCollector, FleetFigures, ZygotesCollector

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
LATE_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2)
LOOK_SECONDS = 0.02
"""Interval of measurements of the event loop, which take 0.2 % of a core."""

STORE_SECONDS = 2.0
"""Timeout of the request for the store's size. Prometheus waits 10 s by default."""


class RequestedRun(Protocol):
    """A requested run."""

    @property
    def is_waiting(self) -> bool:
        """Whether the run waits for a slot."""
        ...

    @property
    def waited_seconds(self) -> float:
        """Seconds since the run was queued."""
        ...


class Metrics:
    """The metrics of one application, in their own registry."""

    def __init__(self, admissions: Sequence[Admission], monitor: Sealing) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._ended = Counter("stepgrad_runs", "Runs by end.", ["queue", "ended"], registry=self._registry)
        self._refused = Counter(
            "stepgrad_refusals", "Refused requests for a run or a link.", ["reason"], registry=self._registry
        )
        self._answered = Counter(
            "stepgrad_rights", "Responses about corrected gradients, by result.", ["answer"], registry=self._registry
        )
        self._tried = Counter(
            "stepgrad_trials", "Tested fixes, by verdict and reason.", ["verdict", "reason"], registry=self._registry
        )
        self._drawn = Counter(
            "stepgrad_pictures", "Requested pictures for papers, by result.", ["format", "ended"], registry=self._registry
        )
        self._answers = Counter("stepgrad_answers", "Responses by HTTP status.", ["status"], registry=self._registry)
        self._seconds = self._by_queue("stepgrad_run_seconds", "Seconds from the request for a run to its trace.")
        self._waited = self._by_queue("stepgrad_wait_seconds", "Seconds that a run waited for its slot.")
        self._late = Histogram(
            "stepgrad_event_loop_late_seconds",
            "Delay of the event loop in seconds, measured 50 times a second.",
            buckets=LATE_SECONDS,
            registry=self._registry,
        )
        running = Gauge("stepgrad_running", "Active runs.", registry=self._registry)
        running.set_function(lambda: sum(each.running for each in admissions))
        waiting = Gauge("stepgrad_waiting", "Runs in the queues.", registry=self._registry)
        waiting.set_function(lambda: sum(each.waiting for each in admissions))
        self._asked: dict[Queue, set[RequestedRun]] = {queue: set() for queue in QUEUES}
        backlog = Gauge(
            "stepgrad_backlog_age_seconds",
            "Seconds that the longest waiting run has waited.",
            ["queue"],
            registry=self._registry,
        )
        for queue in QUEUES:
            backlog.labels(queue).set_function(partial(self._backlog_age, queue))
        self._look_at_store: Callable[[], Awaitable[None]] | None = None
        self._sealing(monitor)

    def _by_queue(self, name: str, description: str) -> Histogram:
        return Histogram(name, description, ["queue"], registry=self._registry, buckets=SECONDS)

    def watch_rooms(self, rooms: Callable[[], float], followers: Callable[[], float]) -> None:
        """Register the numbers of rooms and followers."""
        Gauge("stepgrad_rooms", "Open rooms.", registry=self._registry).set_function(rooms)
        followed = Gauge("stepgrad_room_followers", "Active streams and polls of rooms.", registry=self._registry)
        followed.set_function(followers)

    def watch_fleet(self, figures: Callable[[], FleetFigures]) -> None:
        """Register the metrics of a fleet."""
        self._registry.register(FleetCollector(figures))

    def watch_zygotes(self, zygotes: Callable[[], float]) -> None:
        """Register the number of zygotes that this machine has started."""
        self._registry.register(ZygotesCollector(zygotes))

    def watch_store(self, size: Callable[[], Awaitable[int]], most_bytes: int) -> None:
        """Register the size and the availability of the store. Both values are read at each scrape."""
        Gauge("stepgrad_store_limit_bytes", "Maximum size of the store in bytes.", registry=self._registry).set(most_bytes)
        used = Gauge("stepgrad_store_bytes", "Size of the store in bytes, as of its last response.", registry=self._registry)
        is_up = Gauge("stepgrad_store_up", "1 if the store responded to this scrape.", registry=self._registry)

        async def look() -> None:
            try:
                async with asyncio.timeout(STORE_SECONDS):
                    used.set(await size())
            except (StoreError, TimeoutError):
                is_up.set(0)
            else:
                is_up.set(1)

        self._look_at_store = look

    def _sealing(self, monitor: Sealing) -> None:
        age = Gauge("stepgrad_canary_age_seconds", "Seconds since the canary responded.", registry=self._registry)
        age.set_function(lambda: monitor.age_seconds)
        refusing = Gauge("stepgrad_refusing", "1 while no runs are accepted.", registry=self._registry)
        refusing.set_function(lambda: monitor.refusal is not None)
        tiers = Gauge("stepgrad_tier", "1 for the current tier of isolation of runs.", ["tier"], registry=self._registry)
        for tier in Tier:
            tiers.labels(tier).set_function(partial(_is_tier, monitor, tier))
        layers = Gauge(
            "stepgrad_layer", "1 for each layer of isolation that the canary has verified.", ["layer"], registry=self._registry
        )
        for layer in Layer:
            layers.labels(layer).set_function(partial(_has_layer, monitor, layer))

    @contextmanager
    def asked(self, queue: Queue, run: RequestedRun) -> Iterator[None]:
        """Count a queued or active run while the block lasts."""
        self._asked[queue].add(run)
        try:
            yield
        finally:
            self._asked[queue].remove(run)

    def _backlog_age(self, queue: Queue) -> float:
        return max((run.waited_seconds for run in self._asked[queue] if run.is_waiting), default=0.0)

    def ended(self, queue: Queue, kind: str, waited_seconds: float, ran_seconds: float) -> None:
        """Count a run that ended after it had a slot, and record its time in the queue and its duration."""
        self._ended.labels(queue, kind).inc()
        self._waited.labels(queue).observe(waited_seconds)
        self._seconds.labels(queue).observe(waited_seconds + ran_seconds)

    def answers(self, status: int) -> None:
        """Count one response."""
        self._answers.labels(str(status)).inc()

    def refused(self, reason: str) -> None:
        """Count one refused request for a run or a link."""
        self._refused.labels(reason).inc()

    def answered(self, answer: str) -> None:
        """Count one request for corrected gradients."""
        self._answered.labels(answer).inc()

    def tried(self, verdict: str, reason: str) -> None:
        """Count one verdict on a fix."""
        self._tried.labels(verdict, reason).inc()

    def drawn(self, kind: str, ended: str) -> None:
        """Count one requested picture."""
        self._drawn.labels(kind, ended).inc()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Measure the delay of the event loop while the block lasts."""

        async def watch() -> None:
            loop = asyncio.get_running_loop()
            while True:
                due = loop.time() + LOOK_SECONDS
                await asyncio.sleep(LOOK_SECONDS)
                self._late.observe(max(0.0, loop.time() - due))

        async with in_background(watch()):
            yield

    async def scrape(self) -> bytes:
        """All metrics in Prometheus' text format."""
        if self._look_at_store is not None:
            await self._look_at_store()
        return generate_latest(self._registry)


def _is_tier(monitor: Sealing, tier: Tier) -> float:
    return monitor.standing.tier == tier


def _has_layer(monitor: Sealing, layer: Layer) -> float:
    return layer in monitor.standing.layers
