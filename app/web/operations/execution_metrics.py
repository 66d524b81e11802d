"""Metrics of the workers of a fleet, or of the zygotes of one machine."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.engine import Queue


@dataclass(frozen=True, kw_only=True)
class FleetFigures:
    """The state of a fleet."""

    workers: Mapping[Queue, tuple[int, int]]
    """Number of workers and of their slots, by queue."""
    troubles: Mapping[str, bool]
    """For each possible reason why no worker gets runs, whether the reason applies."""


class FleetCollector(Collector):
    """Exports the state of the workers, which it reads at each scrape. The workers and their proxy export separate metrics."""

    def __init__(self, figures: Callable[[], FleetFigures]) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of the fleet."""
        fleet = self._figures()
        workers = GaugeMetricFamily("stepgrad_workers", "Workers that accept runs.", labels=["queue"])
        places = GaugeMetricFamily(
            "stepgrad_workers_places", "Number of runs that the workers accept at the same time.", labels=["queue"]
        )
        for queue, (count, their_places) in fleet.workers.items():
            workers.add_metric([queue], count)
            places.add_metric([queue], their_places)
        troubles = GaugeMetricFamily("stepgrad_fleet_trouble", "1 for each reason why no worker gets runs.", labels=["kind"])
        for kind, is_so in fleet.troubles.items():
            troubles.add_metric([kind], is_so)
        yield from (workers, places, troubles)


class ZygotesCollector(Collector):
    """Exports the number of zygotes of a machine that runs snippets itself."""

    def __init__(self, zygotes: Callable[[], float]) -> None:
        self._zygotes = zygotes

    def collect(self) -> Iterator[Metric]:
        """Yield the number of started zygotes."""
        yield CounterMetricFamily("stepgrad_zygotes", "Zygotes that this machine has started.", value=self._zygotes())
