"""The metrics of a worker, in the format of Prometheus."""

from collections.abc import Callable, Iterator, Mapping

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from app.engine import LocalEngine
from app.fleet.messages import Announcement
from app.sandbox import SandboxError
from app.sandbox.tiers import Tier


class WorkerCollector(Collector):
    """Exports the state of a worker, which it reads at each scrape."""

    def __init__(self, engine: LocalEngine, announcement: Callable[[], Announcement], ended: Mapping[str, int]) -> None:
        self._engine = engine
        self._announcement = announcement
        self._ended = ended

    def collect(self) -> Iterator[Metric]:
        """All metric families."""
        try:
            announcement = self._announcement()
        except SandboxError:
            announcement = None
        yield GaugeMetricFamily("stepgrad_refusing", "1 while no runs are accepted.", value=announcement is None)
        yield GaugeMetricFamily("stepgrad_places", "Number of slots.", value=self._engine.admission.capacity.slots)
        yield GaugeMetricFamily("stepgrad_running", "Active runs.", value=self._engine.admission.running)
        yield CounterMetricFamily("stepgrad_zygotes", "Zygotes that this machine has started.", value=self._engine.zygotes)
        if announcement is not None:
            age = announcement.canary_age_seconds
            yield GaugeMetricFamily("stepgrad_canary_age_seconds", "Seconds since the canary responded.", value=age)
        tiers = GaugeMetricFamily("stepgrad_tier", "1 for the current tier of isolation of runs.", labels=["tier"])
        for tier in Tier:
            tiers.add_metric([tier], announcement is not None and announcement.tier == tier)
        yield tiers
        runs = CounterMetricFamily("stepgrad_worker_runs", "Runs by end.", labels=["ended"])
        for kind, count in self._ended.items():
            runs.add_metric([kind], count)
        yield runs
