"""Starts the local sandbox with its admission and canary monitor, for a web without workers and for a worker."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import structlog

from app.compose.settings import Settings
from app.engine import Admission, CanaryMonitor, Capacity, LocalEngine, Requester, Terms
from app.sandbox import SandboxSettings, SandboxUnavailable
from app.sandbox.tiers import check_imports, examine, start


def capacity(settings: Settings, slots: int) -> Capacity:
    """The capacity of an admission with this number of slots."""
    return Capacity(
        slots=slots,
        queue_length=settings.queue_length,
        queue_seconds=settings.queue_seconds,
        of_one_address=settings.runs_of_one_address,
    )


@asynccontextmanager
async def pool(
    settings: Settings, gpus: tuple[str, ...], slots: int, terms: Terms
) -> AsyncIterator[tuple[LocalEngine, CanaryMonitor]]:
    """Start a sandbox, and return its engine with this number of slots and its canary monitor. Raises SandboxError, also if the
    sandbox does not meet `terms`."""
    made_of = SandboxSettings(packages=settings.imports, unprivileged_uid=settings.unprivileged_uid, gpus=gpus)
    sandbox, reasons = await start(made_of)
    async with sandbox:
        standing = await examine(sandbox, reasons, terms.limits)
        if not standing.is_enough_for(terms.needed):
            raise SandboxUnavailable(standing.shortfall(terms.needed, terms.address))
        await check_imports(sandbox, terms.limits)
        admission = Admission(capacity(settings, slots))
        canary = Requester(visitor="canary", address="canary")
        monitor = CanaryMonitor(sandbox, standing, terms, partial(admission.slot, canary), lambda: admission.waiting, _log)
        _log(monitor)
        async with monitor.monitoring():
            yield LocalEngine(sandbox, admission), monitor


def _log(monitor: CanaryMonitor) -> None:
    """Log the state of the sandbox, as a warning if a layer is missing."""
    standing, terms = monitor.standing, monitor.terms
    log = structlog.get_logger()
    (log.warning if standing.missing or monitor.refusal else log.info)(
        "sandbox",
        tier=standing.tier,
        layers=sorted(standing.layers),
        missing={layer: standing.reasons.get(layer, "not proved") for layer in standing.missing},
        open=standing.open,
        address=terms.address,
        needed=terms.needed,
        refusal=monitor.refusal,
    )
