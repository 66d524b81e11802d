"""`/metrics` of a web process with remote workers: the number of workers, the age of the oldest waiting run, the store's size."""

import re

from app.sandbox.tiers import Standing
from app.store import StoreUnavailable
from app.web.operations.execution_metrics import FleetFigures
from app.web.operations.metrics import Metrics


class Well:
    """A sandbox in an unknown state."""

    standing = Standing(tier=None, layers=frozenset(), reasons={})
    age_seconds = 0.0
    refusal = None


class Requested:
    """A run that was requested `waited_seconds` ago."""

    def __init__(self, waited_seconds: float, is_waiting: bool) -> None:
        self.waited_seconds = waited_seconds
        self.is_waiting = is_waiting


async def told(metrics: Metrics) -> str:
    return (await metrics.scrape()).decode()


async def test_workers_are_counted_by_queue() -> None:
    metrics = Metrics((), Well())
    troubles = {"no_worker": False, "workers_unreachable": True}
    metrics.watch_fleet(lambda: FleetFigures(workers={"cpu": (2, 8), "gpu": (0, 0)}, troubles=troubles))
    assert sorted(line for line in (await told(metrics)).splitlines() if re.match("stepgrad_(worker|fleet)", line)) == [
        'stepgrad_fleet_trouble{kind="no_worker"} 0.0',
        'stepgrad_fleet_trouble{kind="workers_unreachable"} 1.0',
        'stepgrad_workers_places{queue="cpu"} 8.0',
        'stepgrad_workers_places{queue="gpu"} 0.0',
        'stepgrad_workers{queue="cpu"} 2.0',
        'stepgrad_workers{queue="gpu"} 0.0',
    ]


async def test_the_backlog_is_as_old_as_the_run_that_waits_longest() -> None:
    metrics = Metrics((), Well())
    with (
        metrics.asked("cpu", Requested(7, True)),
        metrics.asked("cpu", Requested(3, True)),
        metrics.asked("cpu", Requested(90, False)),
    ):
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
