"""Composition: the application of one machine, from its settings."""

import platform
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version

from fastapi import FastAPI

from app import __version__
from app.engine import Admission, LocalEngine, Room
from app.sandbox import Sandbox, SandboxSettings
from app.settings import Settings
from app.store import Store
from app.web.application import create_app
from app.web.clients import Clients
from app.web.metrics import Metrics
from app.web.ongoing import OngoingRuns
from app.web.rates import Rates
from app.web.runs import Recent, Runs
from app.web.services import Services, Versions
from app.web.visitors import Visitors, signing_key


def application(settings: Settings) -> FastAPI:
    """The application that `settings` describe. Its lifespan starts the sandbox and the store."""
    return create_app(partial(services, settings), settings.body_bytes, frozenset(settings.hosts), settings.reload)


@asynccontextmanager
async def services(settings: Settings) -> AsyncIterator[Services]:
    """Start the store and the sandbox; stop them at the end. Raises StoreError and SandboxError."""
    store = await Store.open(settings.database_url, settings.store_bytes)
    try:
        packages = (*settings.imports, "msgspec")  # the tracer's own
        async with Sandbox(SandboxSettings(packages=packages, unprivileged_uid=settings.unprivileged_uid)) as sandbox:
            assembled = assemble(settings, store, sandbox)
            async with assembled.metrics.watching():
                yield assembled
    finally:
        await store.close()


def assemble(settings: Settings, store: Store, sandbox: Sandbox) -> Services:
    """What the routes work with."""
    room = Room(
        places=settings.runs_in_flight,
        queue_length=settings.queue_length,
        queue_seconds=settings.queue_seconds,
        of_one_address=settings.runs_of_one_address,
    )
    admission = Admission(room)
    metrics = Metrics(running=lambda: admission.running, waiting=lambda: admission.waiting)
    # The distribution's metadata, because this process never imports torch.
    versions = Versions(stepgrad=__version__, python=platform.python_version(), torch=version("torch"))
    limits = settings.limits.limits()
    made_by = f"{versions.stepgrad} {versions.python} {versions.torch}"
    runs = Runs(LocalEngine(sandbox, admission), store, Recent(settings.recent_bytes), limits, made_by, metrics)
    clients = Clients(
        Visitors(signing_key(settings.data)),
        settings.proxies,
        of_visitor=Rates(settings.visitor_per_second, settings.visitor_burst),
        of_address=Rates(settings.address_per_second, settings.address_burst),
    )
    return Services(
        clients=clients,
        runs=runs,
        ongoing=OngoingRuns(),
        admission=admission,
        metrics=metrics,
        versions=versions,
        source_bytes=limits.source_bytes,
        imports=settings.imports,
    )
