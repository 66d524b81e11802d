"""The services of the application, which the lifespan creates and each request can reach."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from fastapi import Request

from app.engine import Admission, Sealing
from app.engine.environment import Environment
from app.explainers import Explainers
from app.rooms.collecting import Collecting
from app.rooms.rooms import Rooms
from app.store.links import Links
from app.web.edge.clients import Clients
from app.web.edge.public_address import PublicAddress
from app.web.lectures.kept_lectures import KeptLectures
from app.web.links.cards import Cards
from app.web.links.pictures import Pictures
from app.web.links.texts import Texts
from app.web.operations.deep_check import DeepCheck, StoreCheck
from app.web.operations.metrics import Metrics
from app.web.rooms.room_access import RoomAccess
from app.web.rooms.room_recordings import RoomRecordings
from app.web.runs.corrections import Corrections
from app.web.runs.large import Turns
from app.web.runs.pending_runs import PendingRuns
from app.web.runs.recordings import Recordings
from app.web.runs.runs import Runs
from app.web.runs.trials import FixTrials


@dataclass(frozen=True, kw_only=True)
class Services:
    """The objects with the same lifetime as the application."""

    clients: Clients
    runs: Runs
    recordings: Recordings
    lectures: KeptLectures
    files_in_turn: Turns
    """Slots for responses that send large recordings from files."""
    large_in_turn: Turns
    """Slots for responses that send large documents from memory."""
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
    """The Admission of each queue: the CPU queue, and the GPU queue if there is one."""
    monitor: Sealing
    notice: Callable[[], str] = lambda: ""
    """Returns a notice for operators about a problem that does not stop runs; empty if there is none."""
    troubles: tuple[Callable[[], str | None], ...]
    """Functions that check whether runs are stuck: each returns one sentence with the reason, or None."""
    deep_check: DeepCheck
    store_check: StoreCheck
    metrics: Metrics
    environment: Callable[[], Environment]
    source_bytes: int
    contact: str
    """The URI for security reports; empty: no contact."""
    public_address: PublicAddress
    embed_ancestors: tuple[str, ...]
    """Origins that may embed recordings in a frame."""
    has_gpu: Callable[[], bool]
    """Whether snippets that use CUDA run on a GPU now."""

    async def leave(self) -> None:
        """Save the rooms and end their streams, because the server stops."""
        await self.rooms.hand_over()

    def end_all(self) -> None:
        """End the remaining runs."""
        self.pending_runs.end_all()


def services_of(request: Request) -> Services:
    """The services of the application that `request` reached."""
    return cast(Services, request.app.state.services)
