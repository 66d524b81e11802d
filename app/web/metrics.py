"""What an operator can watch: runs by their end, what they took, how many go, wait and are refused, what the process uses."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.engine import Sealing
from app.sandbox import Layer
from app.sandbox.tiers import Tier

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
LATE_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2)
LOOK_SECONDS = 0.02
"""How often the event loop is looked at: 0.2 % of a core."""

MOST_WORKERS = 50
"""Of those that are there at the same time; of more, the first by their names are told."""


@dataclass(frozen=True, kw_only=True)
class WorkerFigures:
    """What is told of one worker of a fleet."""

    id: str
    places: int
    busy: int
    canary_age_seconds: float
    zygotes: int
    tier: Tier | None
    ended: Mapping[str, int]
    """Runs of this web by how they ended there."""


class Metrics:
    """The metrics of one application, in their own registry."""

    def __init__(self, running: Callable[[], float], waiting: Callable[[], float], monitor: Sealing) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._ended = Counter("stepgrad_runs", "Runs by how they ended.", ["ended"], registry=self._registry)
        self._refused = Counter(
            "stepgrad_refusals", "Requests for a run or a link that were refused.", ["reason"], registry=self._registry
        )
        self._answered = Counter(
            "stepgrad_rights", "Answers about the right gradient, by what they say.", ["answer"], registry=self._registry
        )
        self._tried = Counter(
            "stepgrad_trials", "Fixes by what trying them showed.", ["verdict", "reason"], registry=self._registry
        )
        self._drawn = Counter(
            "stepgrad_pictures", "Pictures for papers by how that ended.", ["format", "ended"], registry=self._registry
        )
        self._seconds = Histogram(
            "stepgrad_run_seconds", "Seconds from asking for a run to its trace.", buckets=SECONDS, registry=self._registry
        )
        self._waited = Histogram(
            "stepgrad_wait_seconds", "Seconds that a run waited for its place.", buckets=SECONDS, registry=self._registry
        )
        self._late = Histogram(
            "stepgrad_event_loop_late_seconds",
            "Seconds by which the event loop, looked at 50 times a second, was late.",
            buckets=LATE_SECONDS,
            registry=self._registry,
        )
        Gauge("stepgrad_running", "Runs at this moment.", registry=self._registry).set_function(running)
        Gauge("stepgrad_waiting", "Runs in the queue.", registry=self._registry).set_function(waiting)
        self._sealing(monitor)

    def watch_rooms(self, rooms: Callable[[], float], followers: Callable[[], float]) -> None:
        """Tell how many rooms there are, and how many follow them."""
        Gauge("stepgrad_rooms", "Open rooms.", registry=self._registry).set_function(rooms)
        followed = Gauge("stepgrad_room_followers", "Streams and polls of rooms at this moment.", registry=self._registry)
        followed.set_function(followers)

    def watch_workers(self, workers: Callable[[], Sequence[WorkerFigures]]) -> None:
        """Tell of each worker that is there; one that is gone is told of no more."""
        self._registry.register(_WorkersCollector(workers))

    def _sealing(self, monitor: Sealing) -> None:
        age = Gauge("stepgrad_canary_age_seconds", "How long ago the canary answered.", registry=self._registry)
        age.set_function(lambda: monitor.age_seconds)
        refusing = Gauge("stepgrad_refusing", "1 while no runs are taken.", registry=self._registry)
        refusing.set_function(lambda: monitor.refusal is not None)
        tiers = Gauge("stepgrad_tier", "1 for the tier to which runs are sealed.", ["tier"], registry=self._registry)
        for tier in Tier:
            tiers.labels(tier).set_function(partial(_is_tier, monitor, tier))
        layers = Gauge("stepgrad_layer", "1 for each layer that the canary proved.", ["layer"], registry=self._registry)
        for layer in Layer:
            layers.labels(layer).set_function(partial(_has_layer, monitor, layer))

    def ended(self, kind: str, waited_seconds: float, ran_seconds: float) -> None:
        """Count one run that had a place, and what it took."""
        self._ended.labels(kind).inc()
        self._waited.observe(waited_seconds)
        self._seconds.observe(waited_seconds + ran_seconds)

    def refused(self, reason: str) -> None:
        """Count one request for a run or a link that was refused."""
        self._refused.labels(reason).inc()

    def answered(self, answer: str) -> None:
        """Count one answer about the right gradient."""
        self._answered.labels(answer).inc()

    def tried(self, verdict: str, reason: str) -> None:
        """Count one verdict on a fix."""
        self._tried.labels(verdict, reason).inc()

    def drawn(self, kind: str, ended: str) -> None:
        """Count one picture that was asked for."""
        self._drawn.labels(kind, ended).inc()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look at this event loop as long as the block lasts."""

        async def watch() -> None:
            loop = asyncio.get_running_loop()
            while True:
                due = loop.time() + LOOK_SECONDS
                await asyncio.sleep(LOOK_SECONDS)
                self._late.observe(max(0.0, loop.time() - due))

        task = asyncio.create_task(watch())
        try:
            yield
        finally:
            task.cancel()

    def text(self) -> bytes:
        """Everything, in Prometheus' text format."""
        return generate_latest(self._registry)


def _is_tier(monitor: Sealing, tier: Tier) -> float:
    return monitor.standing.tier == tier


def _has_layer(monitor: Sealing, layer: Layer) -> float:
    return layer in monitor.standing.layers


class _WorkersCollector(Collector):
    """Reads the workers when they are asked for, so no label outlives its worker."""

    def __init__(self, workers: Callable[[], Sequence[WorkerFigures]]) -> None:
        self._workers = workers

    def collect(self) -> Iterator[Metric]:
        """Every family, each with one sample per worker."""
        workers = sorted(self._workers(), key=lambda worker: worker.id)[:MOST_WORKERS]
        figures: dict[tuple[str, str], Callable[[WorkerFigures], float]] = {
            ("places", "Runs that a worker takes at the same time."): lambda worker: worker.places,
            ("busy", "Runs that a worker has, of all webs."): lambda worker: worker.busy,
            ("canary_age_seconds", "How long ago a worker's canary answered."): lambda worker: worker.canary_age_seconds,
            ("zygotes", "Zygotes that a worker has started."): lambda worker: worker.zygotes,
        }
        for (name, told), figure in figures.items():
            family = GaugeMetricFamily(f"stepgrad_worker_{name}", told, labels=["worker"])
            for worker in workers:
                family.add_metric([worker.id], figure(worker))
            yield family
        tiers = GaugeMetricFamily("stepgrad_worker_tier", "1 for the tier of a worker.", labels=["worker", "tier"])
        ended = CounterMetricFamily("stepgrad_worker_runs", "Runs of this web by worker and end.", labels=["worker", "ended"])
        for worker in workers:
            tiers.add_metric([worker.id, str(worker.tier)], 1)
            for kind, count in worker.ended.items():
                ended.add_metric([worker.id, kind], count)
        yield tiers
        yield ended
