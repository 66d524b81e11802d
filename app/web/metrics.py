"""What an operator can watch: runs by their end, how long they took, how many go and wait, what the process uses."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Metrics:
    """The metrics of one application, in their own registry."""

    def __init__(self, running: Callable[[], float], waiting: Callable[[], float]) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._ended = Counter("stepgrad_runs", "Runs by how they ended.", ["ended"], registry=self._registry)
        self._seconds = Histogram(
            "stepgrad_run_seconds", "Seconds from asking for a run to its trace.", buckets=SECONDS, registry=self._registry
        )
        Gauge("stepgrad_running", "Runs at this moment.", registry=self._registry).set_function(running)
        Gauge("stepgrad_waiting", "Runs in the queue.", registry=self._registry).set_function(waiting)

    def running(self) -> AbstractContextManager[None]:
        """Time one run, queue included."""
        return self._seconds.time()

    def ended(self, kind: str) -> None:
        """Count one run."""
        self._ended.labels(kind).inc()

    def text(self) -> bytes:
        """Everything, in Prometheus' text format."""
        return generate_latest(self._registry)
