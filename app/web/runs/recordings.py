"""Serves the undecoded traces of large recordings in pieces, at immutable URLs."""

from pathlib import Path
from typing import Final

import structlog
from cachetools import TTLCache

from app.explainers import Explainers, NotExplained, Unreadable
from app.store import Recording, Store
from app.web.edge.errors import Problem
from app.web.runs.packed import PackedFiles
from app.web.runs.recent import Recent
from app.web.runs.single_flight import SingleFlight

JUST_MADE_SECONDS: Final = 600.0
"""How long clients can fetch the recording of a run without a link."""

MOST_JUST_MADE: Final = 20_000
"""Maximum number of runs whose recordings clients can fetch without a link."""


class Recordings:
    """Checks access to recordings, and serves their pieces from a cache."""

    def __init__(self, explainers: Explainers, store: Store, files: PackedFiles, recent: Recent) -> None:
        self._recent = recent
        self._explainers = explainers
        self._store = store
        self._files = files
        self._packing: SingleFlight[Path] = SingleFlight()
        self._just_made: TTLCache[str, bool] = TTLCache(MOST_JUST_MADE, JUST_MADE_SECONDS)

    async def pack(self, recording: Recording, requester: str) -> bool:
        """Create the file of a run's recording, which clients can then fetch for a while; return whether the file exists."""
        try:
            await self._packing.result(recording.hash, lambda: self._pack(recording, requester))
        except (NotExplained, Unreadable, OSError) as error:
            structlog.get_logger().warning(
                "recording not compressed", recording=recording.hash, error=f"{type(error).__name__}: {error}"
            )
            return False
        self._just_made[recording.hash] = True
        return True

    async def file(self, recording_hash: str, requester: str) -> Path:
        """The pieces of a recording with a link, or of a recent run. Raises Problem (404, 503)."""
        allowed = await self._recent.may_be_fetched(recording_hash)
        is_made = bool(allowed) or (allowed is None and recording_hash in self._just_made)
        if not is_made and not await self._store.is_shown(recording_hash):
            raise unknown_recording()
        found = self._files.find(recording_hash)
        if found is not None:
            return found
        try:
            return await self._packing.result(recording_hash, lambda: self._pack_kept(recording_hash, requester))
        except NotExplained:
            message = "This recording could not be prepared, because this server is busy."
            raise Problem(503, "busy", message, "Try again in 5 seconds.", {"Retry-After": "5"}) from None
        except Unreadable:
            raise unknown_recording() from None

    async def forget_unshown(self, recording_hash: str) -> None:
        """Delete the file of a recording without a link."""
        if not await self._store.is_shown(recording_hash):
            self._just_made.pop(recording_hash, None)
            await self._recent.forget(recording_hash)
            self._files.remove(recording_hash)

    async def sweep(self) -> None:
        """Delete all files without a link, except files of recent runs. Links also expire, and operators delete or hold links."""
        for recording_hash in self._files.hashes():
            if recording_hash not in self._just_made and not await self._store.is_shown(recording_hash):
                self._files.remove(recording_hash)

    async def _pack_kept(self, recording_hash: str, requester: str) -> Path:
        recent = await self._recent.get(recording_hash, "")
        return await self._pack(recent or await self._store.recording(recording_hash), requester)

    async def _pack(self, recording: Recording, requester: str) -> Path:
        found = self._files.find(recording.hash)
        if found is not None:
            return found
        content = await self._explainers.pack(recording.hash, recording.trace, requester)
        return await self._files.add(recording.hash, content)


def unknown_recording() -> Problem:
    """There is no recording with this hash that a link shows or that a recent run made."""
    message = "This server has no recording with this hash; it may have been deleted."
    return Problem(404, "unknown_recording", message, "Open its link, or run its snippet again.")
