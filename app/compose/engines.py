"""Creates the engines that the settings describe: on this machine, or with workers."""

import platform
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from app import __version__
from app.compose.local_pool import capacity, pool
from app.compose.settings import Settings
from app.engine import Admission, Engine, Pools, Queue, Sealing, Terms
from app.engine.environment import Environment, Versions
from app.sandbox import SandboxUnavailable
from app.sandbox.gpus import device_count, device_nodes
from app.sandbox.packages import packages_of
from app.web.operations.execution_metrics import FleetFigures
from app.web.operations.metrics import Metrics

if TYPE_CHECKING:
    from app.fleet import FleetEngine, Workers


@dataclass(frozen=True, kw_only=True)
class Engines:
    """The engine of a server, and what the services need to know about it."""

    engine: Engine
    admissions: tuple[Admission, ...]
    """The Admission of each queue: the CPU queue, and the GPU queue if there is one."""
    sealing: Sealing
    environment: Callable[[], Environment]
    watch: Callable[[Metrics], None]
    """Registers the metrics of this engine."""
    has_gpu: Callable[[], bool]
    """Whether snippets that use CUDA run on a GPU now."""


@asynccontextmanager
async def this_machine(settings: Settings) -> AsyncIterator[Engines]:
    """The engine of one machine, with a pool for its GPUs if configured. Raises SandboxError."""
    nodes = device_nodes() if settings.gpu_runs else ()
    if settings.gpu_runs and not nodes:
        raise SandboxUnavailable("STEPGRAD_GPU_RUNS runs snippets on a GPU, but this machine has no /dev/nvidia0.")
    terms = Terms(needed=settings.needed_tier, address=settings.served, limits=settings.limits.limits())
    async with AsyncExitStack() as parts:
        cpu, monitor = await parts.enter_async_context(pool(settings, (), settings.runs_in_flight, terms))
        engine: Engine = cpu
        admissions = [cpu.admission]
        if nodes:
            gpu, _ = await parts.enter_async_context(pool(settings, nodes, settings.gpu_runs * device_count(nodes), terms))
            engine = Pools(cpu, gpu)
            admissions.append(gpu.admission)
        # The versions come from the metadata, because this process must not import torch.
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
async def fleet(settings: Settings) -> AsyncIterator[Engines]:
    """The engine that sends runs to workers.

    The engine starts even if no worker is available, and needs neither torch nor a sandbox.
    """
    from app.fleet import TROUBLES, versions_of  # imported here, because a single machine does not need httpx

    async with AsyncExitStack() as parts:
        cpu, of_cpu = await parts.enter_async_context(workers(settings, "cpu", settings.workers_url))
        engine: Engine = cpu
        by_queue: dict[Queue, Workers] = {"cpu": of_cpu}
        admissions = [cpu.admission]
        if settings.gpu_workers_url:
            gpu, of_gpu = await parts.enter_async_context(workers(settings, "gpu", settings.gpu_workers_url))
            engine = Pools(cpu, gpu, lambda: of_gpu.trouble is None)
            by_queue["gpu"] = of_gpu
            admissions.append(gpu.admission)

        def environment() -> Environment:
            python, torch, imports = versions_of(of_cpu.known)
            return Environment(versions=Versions(stepgrad=__version__, python=python, torch=torch), imports=imports)

        def figures() -> FleetFigures:
            counts = {queue: (each.count, each.slots) for queue, each in by_queue.items()}
            return FleetFigures(workers=counts, troubles={kind: kind == of_cpu.trouble for kind in TROUBLES})

        yield Engines(
            engine=engine,
            admissions=tuple(admissions),
            sealing=of_cpu,
            environment=environment,
            watch=lambda metrics: metrics.watch_fleet(figures),
            has_gpu=lambda: "gpu" in by_queue and by_queue["gpu"].trouble is None,
        )


@asynccontextmanager
async def workers(settings: Settings, queue: Queue, url: str) -> AsyncIterator[tuple["FleetEngine", "Workers"]]:
    """The engine that sends the runs of one queue to workers, and a view of these workers, whose health is polled while the
    block lasts."""
    from app.fleet import FleetEngine, Workers, client_of

    admission = Admission(capacity(settings, slots=0))
    slots = settings.runs_in_flight if "runs_in_flight" in settings.model_fields_set and queue == "cpu" else None
    async with client_of(url, tls_of(settings)) as client:
        known = Workers(client, settings.needed_tier, admission.resize, slots)
        async with known.watching():
            yield FleetEngine(client, queue, admission, known, settings.needed_tier), known


def tls_of(settings: Settings) -> ssl.SSLContext | bool:
    """The TLS configuration between a web and its workers. Raises SandboxUnavailable if a file cannot be read."""
    if not settings.tls_authority:
        return False
    try:
        context = ssl.create_default_context(cafile=settings.tls_authority)
        if settings.tls_certificate:
            context.load_cert_chain(settings.tls_certificate, settings.tls_key)
    except OSError as error:
        raise SandboxUnavailable(f"The certificates of STEPGRAD_TLS_* cannot be read: {error}.") from None
    return context
