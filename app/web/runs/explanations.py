"""Explanations of recordings: cached in memory, stored with links, and requested from the explainers once."""

from collections import OrderedDict

import msgspec
import structlog

from app.engine import Refused
from app.explainers import Explainers, Explanation, NotExplained, Recorded, explainer
from app.sandbox import Run
from app.store import Recording, Store, StoreError


class Explanations:
    """The explanations of one server."""

    def __init__(self, explainers: Explainers, store: Store, max_bytes: int = 16 << 20) -> None:
        self._explainers = explainers
        self._store = store
        self._max_bytes = max_bytes
        self._bytes = 0
        self._recent: OrderedDict[str, bytes] = OrderedDict()
        """Complete explanations as JSON, by the hash of the recording."""

    async def record(self, run: Run, requester: str) -> Recorded:
        """The recording of a run and its explanation. Raises Refused if too many recordings wait to be read."""
        try:
            return await self._explainers.record(run, requester)
        except NotExplained:
            raise Refused("busy", "This server has as many recordings to read as it can keep.", 10) from None

    async def of(self, recording: Recording, requester: str) -> Explanation:
        """The explanation of a recording, from the cache or an explainer. Raises Unreadable."""
        known = self._recent.get(recording.hash)
        if known is not None:
            return _EXPLANATION.decode(known)
        made = await self._explainers.explain(recording.hash, recording.trace, requester)
        self.remember(recording.hash, made)
        return made

    async def kept(self, recording_hash: str) -> Explanation | None:
        """A cached explanation, or one stored with the recording by the same version of the explainer."""
        known = self._recent.get(recording_hash)
        try:
            known = known or await self._store.explanation(recording_hash, explainer())
            return None if known is None else _EXPLANATION.decode(known)
        except (StoreError, msgspec.DecodeError) as error:  # it can be recomputed
            structlog.get_logger().warning("explanation not found", recording=recording_hash, error=str(error))
            return None

    async def keep(self, recording_hash: str) -> None:
        """Store the cached explanation with its recording; without it, or without room, it is recomputed later."""
        known = self._recent.get(recording_hash)
        if known is None:
            return
        try:
            await self._store.keep_explanation(recording_hash, explainer(), known)
        except StoreError as error:
            structlog.get_logger().warning("explanation not kept", recording=recording_hash, error=str(error))

    def remember(self, recording_hash: str, explanation: Explanation) -> None:
        """Cache an explanation, if it is complete."""
        if explanation.was_cut or recording_hash in self._recent:
            return
        self._recent[recording_hash] = encoded = msgspec.json.encode(explanation)
        self._bytes += len(encoded)
        while self._bytes > self._max_bytes:
            self._bytes -= len(self._recent.popitem(last=False)[1])


_EXPLANATION = msgspec.json.Decoder(Explanation)
