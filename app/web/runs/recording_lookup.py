"""Finds the recording for a request: the recording of a visitor's token, or the latest deterministic recording."""

import hashlib
from contextlib import suppress

import structlog
from itsdangerous import BadSignature, Signer

from app.store import LinkGone, Recording, Store, StoreDamaged
from app.trace.decoding import TraceDecodeError
from app.trace.ends import is_deterministic
from app.trace.records import FORMAT
from app.trace.stored import ended_of
from app.web.edge.errors import recording_gone
from app.web.edge.visitors import Keys
from app.web.runs.recent import Recent


class Answers:
    """Finds recordings in memory, in other webs, and in the store. Each method may raise StoreErrors."""

    def __init__(self, recent: Recent, store: Store, keys: Keys) -> None:
        self.recent = recent
        self._store = store
        self._keys = keys

    def token(self, recording: Recording, visitor: str) -> str:
        """A token for `recording`, valid only for `visitor` and the request of the recording, while the signing key is valid."""
        return self._signer(recording.request, visitor).sign(recording.hash).decode()

    async def named(self, token: str, request: str, visitor: str) -> Recording:
        """The recording that `token` names, regardless of its end. Raises Problem (404)."""
        try:
            recording_hash = self._signer(request, visitor).unsign(token).decode()
        except (BadSignature, UnicodeError):
            raise recording_gone() from None
        recent = await self.recent.get(recording_hash, request)
        if recent is not None:
            return recent
        with suppress(LinkGone, StoreDamaged):
            return await self._store.recording(recording_hash)
        raise recording_gone()

    async def latest(self, request: str) -> Recording | None:
        """The latest deterministic recording for a request, from the cache or the store."""
        recent = self.recent.latest(request)
        if recent is not None and may_stand(recent):
            return recent
        try:
            kept = await self._store.latest(request)
        except StoreDamaged as damage:
            structlog.get_logger().warning("recording is damaged", error=str(damage))
            return None
        return kept if kept is not None and kept.format == FORMAT and may_stand(kept) else None

    def _signer(self, request: str, visitor: str) -> Signer:
        keys = list(reversed(self._keys()))  # itsdangerous signs with the last key
        return Signer(keys, salt=f"recording {request} {visitor}", key_derivation="hmac", digest_method=hashlib.sha256)


def may_stand(recording: Recording) -> bool:
    """Whether this recording may answer another request for the same text."""
    try:
        return is_deterministic(ended_of(recording.trace))
    except TraceDecodeError:
        return False
