"""What `/metrics` tells: of workers so many at most, how old the backlog is, how full the store."""

import re

from app.sandbox.tiers import Standing, Tier
from app.store import StoreUnavailable
from app.web.metrics import Metrics
from app.web.worker_metrics import MOST_WORKERS, FleetFigures, WorkerFigures


class Well:
    """A sandbox of which nothing is known."""

    standing = Standing(tier=None, layers=frozenset(), reasons={})
    age_seconds = 0.0
    refusal = None


def worker(number: int) -> WorkerFigures:
    return WorkerFigures(
        id=f"worker-1.{number:03}",
        queue="cpu",
        places=4,
        busy=1,
        canary_age_seconds=2.5,
        zygotes=3,
        tier=Tier.A,
        ended={"finished": number},
    )


class Asked:
    """A run that was asked for so long ago."""

    def __init__(self, waited_seconds: float, is_waiting: bool) -> None:
        self.waited_seconds = waited_seconds
        self.is_waiting = is_waiting


async def told(metrics: Metrics) -> str:
    return (await metrics.scrape()).decode()


async def test_so_many_workers_are_told_of() -> None:
    there = [worker(number) for number in range(MOST_WORKERS + 10)]
    troubles = {"no_worker": False, "queue_full": True}
    metrics = Metrics((), Well())
    metrics.watch_fleet(lambda: FleetFigures(workers=there, unused={"tier": 2}, troubles=troubles))
    text = await told(metrics)
    places = re.findall(r'^stepgrad_worker_places\{worker="([^"]+)"\} 4.0$', text, flags=re.MULTILINE)
    assert places == [each.id for each in there[:MOST_WORKERS]]
    assert f'stepgrad_workers{{queue="cpu"}} {MOST_WORKERS + 10}.0' in text, "all are counted"
    del there[1:]
    assert sorted(line for line in (await told(metrics)).splitlines() if re.match("stepgrad_(worker|fleet)", line)) == [
        'stepgrad_fleet_trouble{kind="no_worker"} 0.0',
        'stepgrad_fleet_trouble{kind="queue_full"} 1.0',
        'stepgrad_worker_busy{worker="worker-1.000"} 1.0',
        'stepgrad_worker_canary_age_seconds{worker="worker-1.000"} 2.5',
        'stepgrad_worker_places{worker="worker-1.000"} 4.0',
        'stepgrad_worker_runs_total{ended="finished",worker="worker-1.000"} 0.0',
        'stepgrad_worker_tier{tier="A",worker="worker-1.000"} 1.0',
        'stepgrad_worker_zygotes_total{worker="worker-1.000"} 3.0',
        'stepgrad_workers_unused{reason="tier"} 2.0',
        'stepgrad_workers{queue="cpu"} 1.0',
        'stepgrad_workers{queue="gpu"} 0.0',
    ]


async def test_the_backlog_is_as_old_as_the_run_that_waits_longest() -> None:
    metrics = Metrics((), Well())
    with metrics.asked("cpu", Asked(7, True)), metrics.asked("cpu", Asked(3, True)), metrics.asked("cpu", Asked(90, False)):
        text = await told(metrics)
        assert 'stepgrad_backlog_age_seconds{queue="cpu"} 7.0' in text
        assert 'stepgrad_backlog_age_seconds{queue="gpu"} 0.0' in text
    assert 'stepgrad_backlog_age_seconds{queue="cpu"} 0.0' in await told(metrics)


async def test_a_store_that_does_not_answer_is_told() -> None:
    sizes: list[int | Exception] = [1000, StoreUnavailable("It is away.", "")]

    async def size() -> int:
        if isinstance(answer := sizes.pop(0), Exception):
            raise answer
        return answer

    metrics = Metrics((), Well())
    metrics.watch_store(size, 4000)
    text = await told(metrics)
    assert {"stepgrad_store_bytes 1000.0", "stepgrad_store_limit_bytes 4000.0", "stepgrad_store_up 1.0"} <= set(
        text.splitlines()
    )
    text = await told(metrics)
    assert {"stepgrad_store_bytes 1000.0", "stepgrad_store_up 0.0"} <= set(text.splitlines())
