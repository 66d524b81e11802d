"""The latest recordings: in the memory of this web, and where there are several, in what they share."""

import asyncio
from collections import OrderedDict
from typing import Final

from app.store import Recording
from app.trace.pieces import PIECE_BYTES
from app.trace.records import FORMAT
from app.web.shared import SharedRecordings

MOST_TIMED: Final = 10_000
"""Recordings of which it is remembered how long their runs took."""

SETTLE_SECONDS: Final = 2.0
"""How long a run's answer waits for that at most."""


class Recent:
    """The latest recordings, up to a number of bytes: so that Share keeps the very run that was just seen."""

    def __init__(self, max_bytes: int, shared: SharedRecordings | None = None) -> None:
        self._max_bytes = max_bytes
        self._shared = shared
        self._bytes = 0
        self._recordings: OrderedDict[str, Recording] = OrderedDict()
        self._seconds: OrderedDict[str, float] = OrderedDict()
        """By the hash of the recording."""
        self._sharing: dict[str, asyncio.Task[None]] = {}
        """By the same, those that other webs cannot find yet."""

    def add(self, recording: Recording, seconds: float) -> None:
        """Remember `recording` in place of any earlier answer to the same request. `seconds` is how long its run took."""
        self._keep(recording, seconds)
        self._share(recording.request, recording, seconds)

    def add_cut(self, recording: Recording, seconds: float) -> None:
        """The same for one that may not stand for another run: it answers no request, but it is fetched by its hash."""
        self._time(recording.hash, seconds)
        if len(recording.trace) > PIECE_BYTES:
            self._share(f"cut:{recording.hash}", recording, seconds)

    async def settle(self, recording_hash: str) -> None:
        """Wait until other webs find it, too; not for long."""
        task = self._sharing.get(recording_hash)
        if task is not None:
            await asyncio.wait([task], timeout=SETTLE_SECONDS)

    def seconds_of(self, recording_hash: str) -> float | None:
        """How long the run took that this recording is of; None where that is not remembered."""
        return self._seconds.get(recording_hash)

    async def get(self, request: str) -> Recording | None:
        """The latest answer to the request with this key, if it is still remembered; another web may have a later one."""
        mine = self._recordings.get(request)
        if self._shared is None:
            return mine
        if mine is not None and await self._shared.hash_of(request) in (None, mine.hash):
            return mine
        return self._known(await self._shared.get(request), request) or mine

    async def get_recorded(self, recording_hash: str) -> Recording | None:
        """The recording with this hash that another web made in the last minutes."""
        found = None if self._shared is None else await self._shared.get_recorded(recording_hash)
        return None if found is None else Recording(hash=recording_hash, request="", format=FORMAT, trace=found[1])

    async def may_be_fetched(self, recording_hash: str) -> bool | None:
        """Whether one may be fetched by its hash, as far as the other webs know."""
        return None if self._shared is None else await self._shared.may_be_fetched(recording_hash)

    async def forget(self, recording_hash: str) -> None:
        """Let nobody fetch it by its hash: a link to it was deleted."""
        if self._shared is not None:
            await self._shared.forget(recording_hash)

    def _known(self, found: tuple[str, bytes, float] | None, request: str) -> Recording | None:
        if found is None:
            return None
        recording_hash, trace, seconds = found
        recording = Recording(hash=recording_hash, request=request, format=FORMAT, trace=trace)
        self._keep(recording, seconds)
        return recording

    def _keep(self, recording: Recording, seconds: float) -> None:
        self._time(recording.hash, seconds)
        earlier = self._recordings.pop(recording.request, None)
        self._bytes += len(recording.trace) - (len(earlier.trace) if earlier else 0)
        self._recordings[recording.request] = recording
        while self._bytes > self._max_bytes:
            _, oldest = self._recordings.popitem(last=False)
            self._bytes -= len(oldest.trace)

    def _time(self, recording_hash: str, seconds: float) -> None:
        self._seconds[recording_hash] = seconds
        if len(self._seconds) > MOST_TIMED:
            self._seconds.popitem(last=False)

    def _share(self, request: str, recording: Recording, seconds: float) -> None:
        if self._shared is not None:
            adding = self._shared.add(request, recording.hash, recording.trace, seconds)
            self._sharing[recording.hash] = task = asyncio.create_task(adding)
            task.add_done_callback(lambda done: self._is_shared(recording.hash, done))

    def _is_shared(self, recording_hash: str, done: asyncio.Task[None]) -> None:
        if self._sharing.get(recording_hash) is done:
            del self._sharing[recording_hash]
