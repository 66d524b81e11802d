"""What an operator can watch: runs by their end, what they took, how many go, wait and are refused, what the process uses."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Metrics:
    """The metrics of one application, in their own registry."""

    def __init__(self, running: Callable[[], float], waiting: Callable[[], float]) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._ended = Counter("stepgrad_runs", "Runs by how they ended.", ["ended"], registry=self._registry)
        self._refused = Counter(
            "stepgrad_refusals", "Requests for a run that were refused.", ["reason"], registry=self._registry
        )
        self._seconds = Histogram(
            "stepgrad_run_seconds", "Seconds from asking for a run to its trace.", buckets=SECONDS, registry=self._registry
        )
        self._waited = Histogram(
            "stepgrad_wait_seconds", "Seconds that a run waited for its place.", buckets=SECONDS, registry=self._registry
        )
        Gauge("stepgrad_running", "Runs at this moment.", registry=self._registry).set_function(running)
        Gauge("stepgrad_waiting", "Runs in the queue.", registry=self._registry).set_function(waiting)

    def ended(self, kind: str, waited_seconds: float, ran_seconds: float) -> None:
        """Count one run that had a place, and what it took."""
        self._ended.labels(kind).inc()
        self._waited.observe(waited_seconds)
        self._seconds.observe(waited_seconds + ran_seconds)

    def refused(self, reason: str) -> None:
        """Count one request for a run that was refused."""
        self._refused.labels(reason).inc()

    def text(self) -> bytes:
        """Everything, in Prometheus' text format."""
        return generate_latest(self._registry)
