"""Who a visitor is: a random name, signed by this server, in a cookie or, where there are none, in the page itself."""

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
"""Characters of a name with its signature; what is longer is none of ours."""


Keys = Callable[[], tuple[bytes, ...]]
"""The keys that are valid at this moment; the first one signs."""


class Visitors:
    """Gives out names and knows its own again. It keeps none of them."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._signers: dict[bytes, tuple[Signer, Signer]] = {}
        """Of cookies and of page tokens, by key."""

    def new(self) -> str:
        """A name that nobody has."""
        return secrets.token_urlsafe(16)

    def cookie(self, visitor: str) -> str:
        """What the cookie of `visitor` holds."""
        return self._valid()[0][0].sign(visitor).decode()

    def token(self, visitor: str) -> str:
        """The page token of `visitor`: always the same as long as one key signs, so that a page stays the same, too."""
        return self._valid()[0][1].sign(visitor).decode()

    def of_cookie(self, cookie: str) -> str | None:
        """Whose cookie this is; None for what this server never signed as one."""
        return _opened([cookies for cookies, _ in self._valid()], cookie)

    def of_token(self, token: str) -> str | None:
        """Whose page token this is; None for what this server never signed as one."""
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
        if signer.sign(visitor).decode() == signed:  # its base64 may be written in more than one way
            return visitor
    return None


def key_of_before(folder: Path) -> bytes | None:
    """The key that a server of before kept in its data directory, for the store to take over. Raises CommandError."""
    path = folder / "signing-key"
    try:
        key = path.read_bytes() if path.exists() else None
    except OSError as error:
        raise CommandError(f"The signing key {path} cannot be read: {error.strerror}.") from None
    if key is not None and len(key) != KEY_BYTES:
        raise CommandError(f"The signing key {path} is damaged: remove it, and a new one is made.")
    return key
