"""Assembles the application from its settings."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import structlog
from fastapi import FastAPI

from app.compose.engines import Engines, fleet, this_machine
from app.compose.settings import Settings
from app.explainers import Explainers, explainer, processes
from app.networks import is_loopback
from app.rooms.collecting import Collecting
from app.rooms.credentials import Credentials
from app.rooms.rooms import RoomLimits, Rooms
from app.store import Quota, Quotas, Store, StoreError
from app.store.database import file_of
from app.store.keys import KEY_BYTES
from app.store.spare import Spare
from app.store.sqlite_file import in_use, keep_private, make_shrinkable
from app.store.store import now
from app.store.upkeep import Round, keep_up, keeping_up
from app.web.application import Access, create_app
from app.web.edge.clients import Clients
from app.web.edge.public_address import PublicAddress
from app.web.edge.rates import NetworkRates, Rates
from app.web.edge.visitors import Keys, Visitors, key_of_before
from app.web.lectures.kept_lectures import KeptLectures
from app.web.links.cards import Cards
from app.web.links.pictures import Pictures
from app.web.links.texts import Texts
from app.web.operations.deep_check import DeepCheck, StoreCheck, standstill
from app.web.operations.metrics import Metrics
from app.web.rooms.room_access import RoomAccess
from app.web.rooms.room_recordings import RoomRecordings
from app.web.runs.corrections import Corrections
from app.web.runs.explanations import Explanations
from app.web.runs.large import Turns
from app.web.runs.malloc import give_back_what_is_freed
from app.web.runs.packed import PackedFiles
from app.web.runs.pending_runs import PendingRuns
from app.web.runs.recent import Recent
from app.web.runs.recording_lookup import Answers
from app.web.runs.recordings import Recordings
from app.web.runs.runs import Runs
from app.web.runs.trials import FixTrials
from app.web.services import Services


def application(settings: Settings) -> FastAPI:
    """The application that `settings` describe. The lifespan of the application starts the sandbox and the store."""
    access = Access(
        hosts=frozenset(settings.hosts), ancestors=settings.embed_ancestors, readers=frozenset(settings.cors_origins)
    )
    return create_app(partial(services, settings), settings.body_bytes, access, settings.reload)


@asynccontextmanager
async def services(settings: Settings) -> AsyncIterator[Services]:
    """Start the store, the sandbox and the explainers; stop all three at the end.

    Raises StoreError, SandboxError, ExplainerDied.
    """
    give_back_what_is_freed()
    async with AsyncExitStack() as parts:
        store = await parts.enter_async_context(kept(settings))
        engines = await parts.enter_async_context((fleet if settings.workers_url else this_machine)(settings))
        explainers = Explainers(processes())
        await parts.enter_async_context(explainers.working())
        assembled = assemble(settings, store, engines, explainers)
        await parts.enter_async_context(assembled.metrics.watching())
        await parts.enter_async_context(assembled.rooms.working())
        await parts.enter_async_context(keeping_up(partial(look_after, settings, store, assembled.recordings), _log_upkeep))
        if settings.missing_for_others:
            structlog.get_logger().warning("open to others", address=settings.host, missing=settings.missing_for_others)
        yield assembled


async def look_after(settings: Settings, store: Store, recordings: Recordings) -> Round:
    """Do one round of upkeep. Raises StoreError and sqlite3.Error."""
    done = await keep_up(store, file_of(settings.database_url), settings.expire_days)
    await recordings.sweep()
    return done


@asynccontextmanager
async def kept(settings: Settings) -> AsyncIterator[Store]:
    """Open the store, and lock the store file against replacement while the block runs. Raises StoreError."""
    file = file_of(settings.database_url)
    with in_use(file):
        first_key = await asyncio.to_thread(key_of_before, settings.data) or secrets.token_bytes(KEY_BYTES)
        store = await Store.open(settings.database_url, settings.store_bytes, quotas(settings), first_key=first_key)
        try:
            if file is not None:
                keep_private(file)
            if file is not None and not await asyncio.to_thread(make_shrinkable, file):
                structlog.get_logger().warning("the store cannot shrink", remedy="stepgrad backup, then stepgrad restore")
            if trouble := disk_trouble(settings):
                structlog.get_logger().warning("disk", told=trouble)
            async with store.keys.watching(_log_upkeep):
                yield store
        finally:
            await store.close()


def disk_trouble(settings: Settings) -> str:
    """A warning about a full or small disk of an SQLite store. Empty if the disk has enough space, and for PostgreSQL."""
    file = file_of(settings.database_url)
    if file is None:
        return ""
    spare = Spare(file)
    if spare.is_due:
        return "The disk of the store is nearly full: free space, or delete links."
    if (room := spare.room()) < settings.store_bytes:
        return (
            f"STEPGRAD_STORE_BYTES is {settings.store_bytes}, but the disk has space for a store of {room} bytes: "
            "lower the setting, or enlarge the disk."
        )
    return ""


def keys_of(settings: Settings, store: Store) -> Keys:
    """A function that returns the signing keys of the settings or, without such keys, the keys of the store."""
    given = settings.signing_keys
    return lambda: given or store.keys.valid


def _log_upkeep(done: Round | Exception) -> None:
    """Log a failure of upkeep, or the number of deleted links and bytes, if any."""
    if isinstance(done, Exception):
        reason = done.for_operators() if isinstance(done, StoreError) else str(done)
        structlog.get_logger().warning("upkeep", error=reason)
    elif done.expired or done.given_back:
        structlog.get_logger().info("upkeep", expired=done.expired, given_back_bytes=done.given_back)


def quotas(settings: Settings) -> Quotas:
    """The daily limits of one address and of one visitor."""
    of_address = Quota(links=settings.address_links_per_day, bytes=settings.address_bytes_per_day)
    of_visitor = Quota(links=settings.visitor_links_per_day, bytes=settings.address_bytes_per_day)
    return Quotas(of_address=of_address, of_visitor=of_visitor)


def room_limits(settings: Settings) -> RoomLimits:
    """The limits of rooms."""
    return RoomLimits(
        members=settings.room_members,
        of_address=settings.rooms_of_one_address,
        in_all=settings.rooms,
        hours=settings.room_hours,
    )


def assemble(settings: Settings, store: Store, engines: Engines, explainers: Explainers) -> Services:
    """The services for the routes."""
    engine, admissions, monitor = engines.engine, engines.admissions, engines.sealing
    keys = keys_of(settings, store)
    metrics = Metrics(admissions, monitor)
    metrics.watch_store(store.size, settings.store_bytes)
    engines.watch(metrics)
    limits = settings.limits.limits()

    def made_by() -> str:
        now = engines.environment()
        return f"{now.versions.stepgrad} {now.versions.python} {now.imports}"

    explanations = Explanations(explainers, store)
    files = PackedFiles(settings.data / "packed", explainer()[:16], settings.packed_bytes)
    recent = Recent(settings.recent_bytes, store.recent)
    recordings = Recordings(explainers, store, files, recent)
    runs = Runs(engine, store, explanations, recordings, Answers(recent, store, keys), limits, made_by, metrics)
    cards = Cards(runs, explanations, NetworkRates(0.2, 20))
    corrections = Corrections(engine, explainers, explanations, runs, metrics)
    clients = Clients(
        Visitors(keys),
        settings.proxies,
        settings.operators,
        of_visitor=Rates(settings.visitor_per_second, settings.visitor_burst),
        of_address=NetworkRates(settings.address_per_second, settings.address_burst),
    )
    rooms = Rooms(store.rooms, Credentials(store.keys.lasting, keys), room_limits(settings), now)
    metrics.watch_rooms(lambda: rooms.count, lambda: rooms.followers)
    return Services(
        clients=clients,
        links=store.links,
        rooms=rooms,
        collecting=Collecting(rooms),
        explainers=explainers,
        room_access=RoomAccess(rooms, metrics),
        room_recordings=RoomRecordings(runs, store, explainers),
        runs=runs,
        recordings=recordings,
        lectures=KeptLectures(store, runs, explainers, metrics),
        files_in_turn=Turns(most=200, of_address=100),
        large_in_turn=Turns(most=4, of_address=2),
        cards=cards,
        texts=Texts(runs, explanations, explainers, NetworkRates(1, 30)),
        corrections=corrections,
        fix_trials=FixTrials(engine, explainers, explanations, runs, corrections, metrics, settings.trial_seconds),
        pictures=Pictures(explanations, runs, corrections, metrics),
        pending_runs=PendingRuns(),
        admissions=admissions,
        monitor=monitor,
        notice=lambda: disk_trouble(settings),
        troubles=tuple(partial(standstill, each, limits) for each in admissions),
        deep_check=DeepCheck(runs),
        store_check=StoreCheck(store.size),
        metrics=metrics,
        environment=engines.environment,
        source_bytes=limits.source_bytes,
        contact=settings.contact,
        public_address=PublicAddress(
            setting=settings.public_address, proxies=settings.proxies, is_open=not is_loopback(settings.host)
        ),
        embed_ancestors=settings.embed_ancestors,
        has_gpu=engines.has_gpu,
    )
