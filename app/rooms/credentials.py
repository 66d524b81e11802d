"""Credentials of teacher, projector and members.

The store has only hashes and keyed hashes of credentials. This module does not use itsdangerous, which signs readable data,
because these names must reveal nothing about the visitor.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Final

from app.networks import networks_of

SECRET_BYTES: Final = 18
LONGEST: Final = 100
"""Maximum characters of a secret or token."""
WIDER_LENGTH: Final = 19
"""Characters of the digest of a wider network, so that all three digests fit into the store's 64 characters."""


def new_secret() -> str:
    """A teacher's secret: 144 random bits."""
    return secrets.token_urlsafe(SECRET_BYTES)


def secret_hash(secret: str) -> str:
    """The hash of a secret, for the store. SHA-256 suffices, because secrets are random."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


class Credentials:
    """Issues and verifies credentials.

    Names of members are derived from `key`, so they never change. The first `valid` key signs; all `valid` keys verify.
    """

    def __init__(self, key: bytes, valid: Callable[[], tuple[bytes, ...]] | None = None) -> None:
        self._key = key
        self._valid = valid or (lambda: (key,))

    def projector(self, room_id: str, takeovers: int) -> str:
        """The projector's secret. A takeover of the room revokes this secret."""
        return _keyed(self._valid()[0], "projector", room_id, str(takeovers))

    def is_projector(self, secret: str, room_id: str, takeovers: int) -> bool:
        """Whether `secret` is the projector's secret."""
        given = secret_hash(secret)
        return any(given == secret_hash(_keyed(key, "projector", room_id, str(takeovers))) for key in self._valid())

    def opener(self, address: str) -> str:
        """Keyed digests of the networks of an address that opens a room, narrowest first, joined by dots."""
        first, *wider = (_keyed(self._key, "opener", name) for name, _ in networks_of(address))
        return ".".join((first, *(name[:WIDER_LENGTH] for name in wider)))

    def token(self, room_id: str, visitor: str) -> str:
        """The token of a visitor in a room: the name that the visitor always has in this room, and a signature."""
        name = _keyed(self._key, "member", room_id, visitor)
        return f"{name}.{_keyed(self._valid()[0], 'token', room_id, name)}"

    def member(self, room_id: str, token: str) -> str | None:
        """The member's name for a token; None if this server did not issue the token for this room."""
        if len(token) > LONGEST or not token.isascii():
            return None
        name, _, mac = token.partition(".")
        is_ours = any(hmac.compare_digest(mac, _keyed(key, "token", room_id, name)) for key in self._valid())
        return name if is_ours else None


def _keyed(key: bytes, *parts: str) -> str:
    digest = hmac.digest(key, "\0".join(("room", *parts)).encode(errors="replace"), hashlib.sha256)
    return urlsafe_b64encode(digest[:18]).decode()
