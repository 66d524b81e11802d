"""Composition: the application of one machine, from its settings."""

import platform
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version

import structlog
from fastapi import FastAPI

from app import __version__
from app.engine import Admission, Asker, LocalEngine, Patrol, Room, Terms
from app.sandbox import Sandbox, SandboxSettings, SandboxUnavailable
from app.sandbox.tiers import Standing, examine, start
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
    """Start the store and the sandbox; stop them at the end. Raises StoreError and SandboxError.

    Where runs are not sealed as well as the address needs, nothing is served.
    """
    store = await Store.open(settings.database_url, settings.store_bytes)
    try:
        packages = (*settings.imports, "msgspec")  # the tracer's own
        sandbox, reasons = await start(SandboxSettings(packages=packages, unprivileged_uid=settings.unprivileged_uid))
        async with sandbox:
            standing = await examine(sandbox, reasons, settings.limits.limits())
            if not standing.is_enough_for(settings.needed_tier):
                raise SandboxUnavailable(standing.shortfall(settings.needed_tier, settings.host))
            assembled = assemble(settings, store, sandbox, standing)
            _log(assembled.patrol)
            async with assembled.metrics.watching(), assembled.patrol.walking():
                yield assembled
    finally:
        await store.close()


def _log(patrol: Patrol) -> None:
    """One line of log on how runs are sealed: a warning where something is missing."""
    standing, terms = patrol.standing, patrol.terms
    log = structlog.get_logger()
    (log.warning if standing.missing or patrol.refusal else log.info)(
        "sandbox",
        tier=standing.tier,
        layers=sorted(standing.layers),
        missing={layer: standing.reasons.get(layer, "not proved") for layer in standing.missing},
        open=standing.open,
        address=terms.address,
        needed=terms.needed,
        refusal=patrol.refusal,
    )


def assemble(settings: Settings, store: Store, sandbox: Sandbox, standing: Standing) -> Services:
    """What the routes work with."""
    room = Room(
        places=settings.runs_in_flight,
        queue_length=settings.queue_length,
        queue_seconds=settings.queue_seconds,
        of_one_address=settings.runs_of_one_address,
    )
    admission = Admission(room)
    terms = Terms(needed=settings.needed_tier, address=settings.host, limits=settings.limits.limits())
    canary = Asker(visitor="canary", address="canary")
    patrol = Patrol(sandbox, standing, terms, partial(admission.place, canary), lambda: admission.waiting, _log)
    metrics = Metrics(lambda: admission.running, lambda: admission.waiting, patrol)
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
        patrol=patrol,
        metrics=metrics,
        versions=versions,
        source_bytes=limits.source_bytes,
        imports=settings.imports,
    )
