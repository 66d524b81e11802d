"""A worker's process: its sandbox, its place in the fleet, the one line that says it is up, and the signals that stop it."""

import asyncio
import platform
import signal
from functools import partial
from importlib.metadata import version
from urllib.parse import urlsplit

from app import __version__
from app.engine import CanaryMonitor, LocalEngine, Queue, Terms
from app.errors import FAILED, FINISHED
from app.fleet import Announcement, Worker, open_redis
from app.fleet.messages import PLAIN, PROTOCOL
from app.fleet.names import Keys
from app.pool import pool
from app.sandbox import SandboxUnavailable
from app.sandbox.gpus import device_count, device_nodes
from app.sandbox.packages import packages_of
from app.sandbox.tiers import Tier
from app.serving import log_to_stderr, log_unknown_variables, print_line
from app.settings import Settings
from app.trace.records import FORMAT


def work(settings: Settings, queue: Queue) -> int:
    """Work until told to stop; return the exit code. Raises SandboxError where it cannot, or cannot seal runs well enough."""
    nodes = device_nodes() if queue == "gpu" else ()
    if queue == "gpu" and not nodes:
        raise SandboxUnavailable("--queue gpu takes runs on a GPU, and this machine has no /dev/nvidia0.")
    log_to_stderr()
    log_unknown_variables()
    return asyncio.run(_work(settings, Keys(queue), nodes))


async def _work(settings: Settings, keys: Keys, nodes: tuple[str, ...]) -> int:
    stopping = asyncio.Event()
    # Whoever sends snippets by way of Redis is anybody.
    terms = Terms(needed=settings.accept_tier or Tier.A, address="a fleet", limits=settings.limits.limits())
    redis = open_redis(settings.redis_url)
    try:
        places = max(1, settings.gpu_runs) * device_count(nodes) if nodes else settings.runs_in_flight
        async with pool(settings, nodes, places, terms) as (engine, monitor):
            packages = packages_of(settings.imports).versions
            told = partial(announcement, engine, monitor, version("torch"), packages)
            worker = Worker(redis, keys, engine, places, told, settings.drain_seconds)
            for number in (signal.SIGTERM, signal.SIGINT):  # only now: before, a signal ends the start at once
                asyncio.get_running_loop().add_signal_handler(number, stopping.set)
            await worker.announce()
            print_line(f"The worker {worker.id} takes runs from {shown(settings.redis_url)}")
            return FINISHED if await worker.work(stopping) else FAILED
    finally:
        await redis.aclose()


def announcement(engine: LocalEngine, monitor: CanaryMonitor, torch: str, packages: dict[str, str]) -> Announcement:
    """What this worker tells of itself now."""
    return Announcement(
        stepgrad=__version__,
        protocol=PROTOCOL,
        format=FORMAT,
        python=platform.python_version(),
        torch=torch,
        packages=packages,
        tier=monitor.standing.tier,
        layers=sorted(monitor.standing.layers),
        canary_age_seconds=monitor.age_seconds,
        zygotes=engine.zygotes,
        refusal=(monitor.refusal or "")[:PLAIN],
    )


def shown(url: str) -> str:
    """Where the URL leads, without user and password, which may stand among its options as well."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{(parts.netloc + parts.path).rpartition('@')[2]}"
