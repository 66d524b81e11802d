"""What `/metrics` tells of workers is bounded, however many there are."""

import re

from app.sandbox.tiers import Standing, Tier
from app.web.metrics import MOST_WORKERS, Metrics, WorkerFigures


class Well:
    """A sandbox of which nothing is known."""

    standing = Standing(tier=None, layers=frozenset(), reasons={})
    age_seconds = 0.0
    refusal = None


def worker(number: int) -> WorkerFigures:
    return WorkerFigures(
        id=f"worker-1.{number:03}",
        places=4,
        busy=1,
        canary_age_seconds=2.5,
        zygotes=3,
        tier=Tier.A,
        ended={"finished": number},
    )


def test_so_many_workers_are_told_of() -> None:
    there = [worker(number) for number in range(MOST_WORKERS + 10)]
    metrics = Metrics(lambda: 0, lambda: 0, Well())
    metrics.watch_workers(lambda: there)
    places = re.findall(r'^stepgrad_worker_places\{worker="([^"]+)"\} 4.0$', metrics.text().decode(), flags=re.MULTILINE)
    assert places == [each.id for each in there[:MOST_WORKERS]]
    del there[1:]
    told = [line for line in metrics.text().decode().splitlines() if line.startswith("stepgrad_worker_")]
    assert sorted(told) == [
        'stepgrad_worker_busy{worker="worker-1.000"} 1.0',
        'stepgrad_worker_canary_age_seconds{worker="worker-1.000"} 2.5',
        'stepgrad_worker_places{worker="worker-1.000"} 4.0',
        'stepgrad_worker_runs_total{ended="finished",worker="worker-1.000"} 0.0',
        'stepgrad_worker_tier{tier="A",worker="worker-1.000"} 1.0',
        'stepgrad_worker_zygotes{worker="worker-1.000"} 3.0',
    ]
