"""What `/metrics` tells of where runs happen: the workers of a fleet, those that get no runs and why, or one machine's zygotes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.engine import QUEUES, Queue
from app.sandbox.tiers import Tier

MOST_WORKERS: Final = 50
"""Of those that are there at the same time; of more, the first by their names are told one by one."""


@dataclass(frozen=True, kw_only=True)
class WorkerFigures:
    """What is told of one worker."""

    id: str
    queue: Queue
    """Whose runs it takes."""
    places: int
    busy: int
    canary_age_seconds: float
    zygotes: int
    tier: Tier | None
    ended: Mapping[str, int]
    """Runs of this web by how they ended there."""


@dataclass(frozen=True, kw_only=True)
class FleetFigures:
    """What is told of a fleet."""

    workers: Sequence[WorkerFigures]
    unused: Mapping[str, int]
    """How many workers live and get no runs, by every reason that there is."""
    troubles: Mapping[str, bool]
    """Whether it is so, for everything that keeps all runs from all workers."""


class FleetCollector(Collector):
    """Asks for the figures when it is asked, so no label outlives its worker."""

    def __init__(self, figures: Callable[[], FleetFigures]) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """Every family."""
        fleet = self._figures()
        usable = GaugeMetricFamily("stepgrad_workers", "Workers that may be given runs.", labels=["queue"])
        for queue in QUEUES:
            usable.add_metric([queue], sum(worker.queue == queue for worker in fleet.workers))
        yield usable
        unused = GaugeMetricFamily("stepgrad_workers_unused", "Workers that live and get no runs.", labels=["reason"])
        for reason, count in fleet.unused.items():
            unused.add_metric([reason], count)
        yield unused
        troubles = GaugeMetricFamily("stepgrad_fleet_trouble", "1 for what keeps all runs from all workers.", labels=["kind"])
        for kind, is_so in fleet.troubles.items():
            troubles.add_metric([kind], is_so)
        yield troubles
        yield from _each(sorted(fleet.workers, key=lambda worker: worker.id)[:MOST_WORKERS])


class ZygotesCollector(Collector):
    """The same for the one machine that runs what its visitors ask for."""

    def __init__(self, zygotes: Callable[[], float]) -> None:
        self._zygotes = zygotes

    def collect(self) -> Iterator[Metric]:
        """One counter."""
        yield CounterMetricFamily("stepgrad_zygotes", "Zygotes that this machine has started.", value=self._zygotes())


def _each(workers: Sequence[WorkerFigures]) -> Iterator[Metric]:
    figures: dict[tuple[str, str], Callable[[WorkerFigures], float]] = {
        ("places", "Runs that a worker takes at the same time."): lambda worker: worker.places,
        ("busy", "Runs that a worker has, of all webs."): lambda worker: worker.busy,
        ("canary_age_seconds", "How long ago a worker's canary answered."): lambda worker: worker.canary_age_seconds,
    }
    for (name, told), figure in figures.items():
        family = GaugeMetricFamily(f"stepgrad_worker_{name}", told, labels=["worker"])
        for worker in workers:
            family.add_metric([worker.id], figure(worker))
        yield family
    tiers = GaugeMetricFamily("stepgrad_worker_tier", "1 for the tier of a worker.", labels=["worker", "tier"])
    zygotes = CounterMetricFamily("stepgrad_worker_zygotes", "Zygotes that a worker has started.", labels=["worker"])
    ended = CounterMetricFamily("stepgrad_worker_runs", "Runs of this web by worker and end.", labels=["worker", "ended"])
    for worker in workers:
        tiers.add_metric([worker.id, str(worker.tier)], 1)
        zygotes.add_metric([worker.id], worker.zygotes)
        for kind, count in worker.ended.items():
            ended.add_metric([worker.id, kind], count)
    yield from (tiers, zygotes, ended)
