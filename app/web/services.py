"""The services of the application, passed from the lifespan to each request."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from fastapi import Request

from app.engine import Admission, Sealing
from app.explainers import Explainers
from app.rooms.collecting import Collecting
from app.rooms.rooms import Rooms
from app.store.links import Links
from app.web.cards import Cards
from app.web.clients import Clients
from app.web.corrections import Corrections
from app.web.deep_check import DeepCheck, StoreCheck
from app.web.kept_lectures import KeptLectures
from app.web.large import Turns
from app.web.metrics import Metrics
from app.web.pending_runs import PendingRuns
from app.web.pictures import Pictures
from app.web.public_address import PublicAddress
from app.web.recordings import Recordings
from app.web.room_access import RoomAccess
from app.web.room_recordings import RoomRecordings
from app.web.runs import Runs
from app.web.texts import Texts
from app.web.trials import FixTrials


@dataclass(frozen=True, kw_only=True)
class Versions:
    """The versions on the page and in the health report."""

    stepgrad: str
    python: str
    torch: str


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The environment of runs: of this machine, or of the workers that are up."""

    versions: Versions
    imports: dict[str, str]
    """The versions of importable packages outside the standard library, by import name."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """Everything that lives as long as the application."""

    clients: Clients
    runs: Runs
    recordings: Recordings
    lectures: KeptLectures
    files_in_turn: Turns
    """Slots for large recordings in files."""
    large_in_turn: Turns
    """Slots for large documents in memory."""
    cards: Cards
    texts: Texts
    corrections: Corrections
    fix_trials: FixTrials
    pictures: Pictures
    pending_runs: PendingRuns
    links: Links
    rooms: Rooms
    collecting: Collecting
    explainers: Explainers
    room_access: RoomAccess
    room_recordings: RoomRecordings
    admissions: tuple[Admission, ...]
    """Of all queues."""
    monitor: Sealing
    notice: Callable[[], str] = lambda: ""
    """A notice for operators while runs are accepted."""
    troubles: tuple[Callable[[], str | None], ...]
    """Checks that return a sentence if something is stuck, else None."""
    deep_check: DeepCheck
    store_check: StoreCheck
    metrics: Metrics
    environment: Callable[[], Environment]
    source_bytes: int
    contact: str
    """URI for security reports; empty for none."""
    public_address: PublicAddress
    embed_ancestors: tuple[str, ...]
    """Origins that may embed recordings in a frame."""
    has_gpu: Callable[[], bool]
    """Whether snippets that use CUDA run on a GPU now."""

    async def leave(self) -> None:
        """The server stops: rooms are saved, and their streams end."""
        await self.rooms.hand_over()

    def end_all(self) -> None:
        """End the remaining runs."""
        self.pending_runs.end_all()


def services_of(request: Request) -> Services:
    """The services of the application that `request` reached."""
    return cast(Services, request.app.state.services)
