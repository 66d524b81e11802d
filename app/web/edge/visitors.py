"""Visitors: random names, signed by this server, in a cookie or, without cookies, in the page itself."""

import hashlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final

from itsdangerous import BadSignature, Signer

from app.errors import CommandError
from app.store.keys import KEY_BYTES

COOKIE: Final = "stepgrad_visitor"
LONGEST_SIGNED: Final = 200
"""Maximum characters of a name with its signature."""


Keys = Callable[[], tuple[bytes, ...]]
"""Returns the valid keys. The first key signs; all keys verify."""


class Visitors:
    """Issues and verifies the names of visitors. The server stores no names."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._signers: dict[bytes, tuple[Signer, Signer]] = {}
        """Serializers of cookies and page tokens, by key."""

    def new(self) -> str:
        """A new random name."""
        return secrets.token_urlsafe(16)

    def cookie(self, visitor: str) -> str:
        """The value of the visitor's cookie."""
        return self._valid()[0][0].sign(visitor).decode()

    def token(self, visitor: str) -> str:
        """The visitor's page token. The token is constant for a key, so that the bytes of a page do not change."""
        return self._valid()[0][1].sign(visitor).decode()

    def of_cookie(self, cookie: str) -> str | None:
        """The visitor of a cookie; None if this server did not sign the cookie."""
        return _opened([cookies for cookies, _ in self._valid()], cookie)

    def of_token(self, token: str) -> str | None:
        """The visitor of a page token; None if this server did not sign the token."""
        return _opened([tokens for _, tokens in self._valid()], token)

    def _valid(self) -> list[tuple[Signer, Signer]]:
        keys = self._keys()
        self._signers = {key: self._signers.get(key) or _signers(key) for key in keys}
        return [self._signers[key] for key in keys]


def _signers(key: bytes) -> tuple[Signer, Signer]:
    cookies = Signer(key, salt="visitor cookie", digest_method=hashlib.sha256)
    return cookies, Signer(key, salt="page token", digest_method=hashlib.sha256)


def _opened(signers: list[Signer], signed: str) -> str | None:
    if len(signed) > LONGEST_SIGNED:
        return None
    for signer in signers:
        try:
            visitor = signer.unsign(signed).decode("ascii")
        except (BadSignature, UnicodeError):
            continue
        if signer.sign(visitor).decode() == signed:  # because base64 can write one value in several ways
            return visitor
    return None


def key_of_before(folder: Path) -> bytes | None:
    """The key from an earlier release's file in `folder`, for import into the store; None without such a file.

    Raises CommandError.
    """
    path = folder / "signing-key"
    try:
        key = path.read_bytes() if path.exists() else None
    except OSError as error:
        raise CommandError(f"The signing key {path} cannot be read: {error.strerror}.") from None
    if key is not None and len(key) != KEY_BYTES:
        raise CommandError(f"The signing key {path} is damaged. Remove the file; Stepgrad then creates a new key.")
    return key
