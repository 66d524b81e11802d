"""Where runs happen, by the settings: on this machine, in a fleet, or here while the queue of a fleet is away."""

import platform
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from app import __version__
from app.engine import Admitting, Engine, Otherwise, Pools, SealedOtherwise, Sealing, Terms
from app.pool import capacity, pool
from app.sandbox import SandboxUnavailable
from app.sandbox.gpus import device_count, device_nodes
from app.sandbox.packages import packages_of
from app.settings import Settings
from app.web.metrics import Metrics
from app.web.services import Environment, Versions
from app.web.worker_metrics import FleetFigures, WorkerFigures

if TYPE_CHECKING:
    from app.fleet import ThisWeb


@dataclass(frozen=True, kw_only=True)
class Engines:
    """Where runs happen, and what is known of it."""

    engine: Engine
    admissions: tuple[Admitting, ...]
    """Of every queue."""
    sealing: Sealing
    environment: Callable[[], Environment]
    watch: Callable[[Metrics], None]
    """Lets what is told of where runs happen be told."""
    has_gpu: Callable[[], bool]
    """Whether snippets that speak of CUDA run on one at this moment."""
    notice: Callable[[], str] = lambda: ""
    """What an operator should know while runs are taken."""


@asynccontextmanager
async def this_machine(settings: Settings) -> AsyncIterator[Engines]:
    """The engine of one machine, with a pool for its GPUs where that is asked for. Raises SandboxError."""
    nodes = device_nodes() if settings.gpu_runs else ()
    if settings.gpu_runs and not nodes:
        raise SandboxUnavailable("STEPGRAD_GPU_RUNS asks for runs on a GPU, and this machine has no /dev/nvidia0.")
    terms = Terms(needed=settings.needed_tier, address=settings.served, limits=settings.limits.limits())
    async with AsyncExitStack() as parts:
        cpu, monitor = await parts.enter_async_context(pool(settings, (), settings.runs_in_flight, terms))
        engine: Engine = cpu
        admissions = [cpu.admission]
        if nodes:
            gpu, _ = await parts.enter_async_context(pool(settings, nodes, settings.gpu_runs * device_count(nodes), terms))
            engine = Pools(cpu, gpu)
            admissions.append(gpu.admission)
        # The distribution's metadata, because this process never imports torch.
        versions = Versions(stepgrad=__version__, python=platform.python_version(), torch=version("torch"))
        environment = Environment(versions=versions, imports=packages_of(settings.imports).versions)
        yield Engines(
            engine=engine,
            admissions=tuple(admissions),
            sealing=monitor,
            environment=lambda: environment,
            watch=lambda metrics: metrics.watch_zygotes(lambda: cpu.zygotes),
            has_gpu=lambda: bool(nodes),
        )


@asynccontextmanager
async def this_web(settings: Settings) -> AsyncIterator["ThisWeb"]:
    """This web among those that share one Redis, also while that is away. Raises SandboxUnavailable."""
    from app.fleet import ThisWeb, open_redis  # only now: one machine does without

    redis = open_redis(settings.redis_url)
    try:
        web = ThisWeb(redis)
        async with web.announced():
            yield web
    finally:
        await redis.aclose()


@asynccontextmanager
async def fleet(settings: Settings, web: "ThisWeb", secret: bytes) -> AsyncIterator[Engines]:
    """The engine whose runs go to workers, also while there is none. Nothing of torch or of a sandbox is needed here.

    `secret` is the same in each web.
    """
    from app.fleet import CPU, GPU, Line, versions_of

    bounds, tier = capacity(settings, places=0), settings.needed_tier
    cpu, gpu = lines = [Line(web, keys, bounds, tier, secret) for keys in (CPU, GPU)]

    def environment() -> Environment:
        python, torch, imports = versions_of(cpu.workers.latest or gpu.workers.latest)
        return Environment(versions=Versions(stepgrad=__version__, python=python, torch=torch), imports=imports)

    def figures() -> FleetFigures:
        figures = [
            WorkerFigures(
                id=worker.id,
                queue=line.keys.name,
                places=worker.places,
                busy=worker.busy,
                canary_age_seconds=worker.told.canary_age_seconds,
                zygotes=worker.told.zygotes,
                tier=worker.told.tier,
                ended=line.engine.ended(worker.id),
            )
            for line in lines
            for worker in line.workers.usable
        ]
        unused = {reason: count + gpu.workers.unused[reason] for reason, count in cpu.workers.unused.items()}
        return FleetFigures(workers=figures, unused=unused, troubles=cpu.workers.troubles)

    async with cpu.working(), gpu.working(), AsyncExitStack() as parts:
        engines = Engines(
            engine=Pools(cpu.engine, gpu.engine, lambda: gpu.has_workers),
            admissions=(cpu.admission, gpu.admission),
            sealing=cpu.workers,
            environment=environment,
            watch=lambda metrics: metrics.watch_fleet(figures),
            has_gpu=lambda: gpu.has_workers,
        )
        if settings.runs_without_redis:
            here = await parts.enter_async_context(this_machine(settings))
            engines = or_here(engines, here, lambda: cpu.workers.trouble == "queue_unavailable")
        yield engines


def or_here(usual: Engines, here: Engines, is_away: Callable[[], bool]) -> Engines:
    """Those of a fleet, and while its queue does not answer those of this machine."""

    def environment() -> Environment:
        return (here if is_away() else usual).environment()

    return Engines(
        engine=Otherwise(usual.engine, here.engine, is_away),
        admissions=usual.admissions + here.admissions,
        sealing=SealedOtherwise(usual.sealing, here.sealing, is_away),
        environment=environment,
        watch=usual.watch,
        has_gpu=usual.has_gpu,
        notice=lambda: "Redis does not answer, so runs happen on this machine." if is_away() else "",
    )
