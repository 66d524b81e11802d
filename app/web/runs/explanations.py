"""Explanations of recordings.

Caches explanations in memory, stores them with links, and requests each from the explainers only once.
"""

from dataclasses import replace
from functools import partial
from typing import Final

import msgspec
import structlog
from cachetools import LRUCache

from app.engine import Refused
from app.explainers import Explainers, Explanation, NotExplained, Recorded, explainer
from app.sandbox import Run
from app.store import Recording, Store, StoreError
from app.web.runs.documents import LARGE_BYTES, run_in_thread

MOST_REQUESTS: Final = 4096
MOST_VARIANTS: Final = 16
"""Maximum number of cached recordings per request.

Recordings of one request differ in addresses: 150 runs of a lesson gave nine recordings.
"""


class Explanations:
    """The explanations of one server."""

    def __init__(self, explainers: Explainers, store: Store, max_bytes: int = 16 << 20) -> None:
        self._explainers = explainers
        self._store = store
        self._recent: LRUCache[str, bytes] = LRUCache(max_bytes, lambda encoded: min(len(encoded), max_bytes))
        """Complete explanations as JSON, by the hash of the recording."""
        self._variants: LRUCache[str, tuple[str, ...]] = LRUCache(MOST_REQUESTS)
        """The hashes of the recordings of a request, latest first."""

    async def record(self, run: Run, request: str, requester: str) -> tuple[Recording, Recorded]:
        """The recording of a run of the request with this key, and its explanation, which may be cached.

        Raises Refused if too many recordings wait to be read.
        """
        variants = self._variants.get(request) or ()
        cached = {each: self._recent[each] for each in variants if each in self._recent}
        try:
            recorded = await self._explainers.record(run, requester, explained=cached)
        except NotExplained:
            raise Refused("busy", "Too many recordings are waiting to be read on this server.", 10) from None
        is_long = len(recorded.trace) > LARGE_BYTES
        recording = await run_in_thread(is_long, partial(Recording.of, recorded.trace, request))
        if recording.hash in cached:
            return recording, replace(recorded, explanation=_EXPLANATION.decode(cached[recording.hash]))
        self._remember(recording, recorded.explanation)
        return recording, recorded

    async def of(self, recording: Recording, requester: str) -> Explanation:
        """The explanation of a recording, from the cache or an explainer. Raises Unreadable."""
        known = self._recent.get(recording.hash)
        if known is not None:
            return _EXPLANATION.decode(known)
        made = await self._explainers.explain(recording.hash, recording.trace, requester)
        self._remember(recording, made)
        return made

    async def kept(self, recording_hash: str) -> Explanation | None:
        """A cached explanation, or an explanation that the same version of the explainer stored with the recording; else None."""
        known = self._recent.get(recording_hash)
        try:
            known = known or await self._store.explanation(recording_hash, explainer())
            return None if known is None else _EXPLANATION.decode(known)
        except (StoreError, msgspec.DecodeError) as error:  # the explanation can be recomputed
            structlog.get_logger().warning("explanation not found", recording=recording_hash, error=str(error))
            return None

    async def keep(self, recording_hash: str) -> None:
        """Store the cached explanation with its recording.

        If the explanation is not cached or the store is full, it is recomputed later.
        """
        known = self._recent.get(recording_hash)
        if known is None:
            return
        try:
            await self._store.keep_explanation(recording_hash, explainer(), known)
        except StoreError as error:
            structlog.get_logger().warning("explanation not stored", recording=recording_hash, error=str(error))

    def _remember(self, recording: Recording, explanation: Explanation) -> None:
        """Cache an explanation, unless it is incomplete."""
        if explanation.was_cut or recording.hash in self._recent:
            return
        others = (each for each in self._variants.get(recording.request) or () if each != recording.hash)
        self._variants[recording.request] = (recording.hash, *others)[:MOST_VARIANTS]
        self._recent[recording.hash] = msgspec.json.encode(explanation)


_EXPLANATION = msgspec.json.Decoder(Explanation)
