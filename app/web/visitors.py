"""Who a visitor is: a random name, signed by this server, in a cookie or, where there are none, in the page itself."""

import fcntl
import hashlib
import os
import secrets
from pathlib import Path
from typing import Final

from itsdangerous import BadSignature, Signer

from app.errors import CommandError

COOKIE: Final = "stepgrad_visitor"
KEY_BYTES: Final = 32
LONGEST_SIGNED: Final = 200
"""Characters of a name with its signature; what is longer is none of ours."""


class Visitors:
    """Gives out names and knows its own again. It keeps none of them."""

    def __init__(self, key: bytes) -> None:
        self._cookies = Signer(key, salt="visitor cookie", digest_method=hashlib.sha256)
        self._tokens = Signer(key, salt="page token", digest_method=hashlib.sha256)

    def new(self) -> str:
        """A name that nobody has."""
        return secrets.token_urlsafe(16)

    def cookie(self, visitor: str) -> str:
        """What the cookie of `visitor` holds."""
        return self._cookies.sign(visitor).decode()

    def token(self, visitor: str) -> str:
        """The page token of `visitor`: always the same, so that a page stays the same, too."""
        return self._tokens.sign(visitor).decode()

    def of_cookie(self, cookie: str) -> str | None:
        """Whose cookie this is; None for what this server never signed as one."""
        return _opened(self._cookies, cookie)

    def of_token(self, token: str) -> str | None:
        """Whose page token this is; None for what this server never signed as one."""
        return _opened(self._tokens, token)


def _opened(signer: Signer, signed: str) -> str | None:
    if len(signed) > LONGEST_SIGNED:
        return None
    try:
        visitor = signer.unsign(signed).decode("ascii")
    except (BadSignature, UnicodeError):
        return None
    return visitor if signer.sign(visitor).decode() == signed else None  # its base64 may be written in more than one way


def signing_key(folder: Path) -> bytes:
    """The key that this server signs with, made at its first start. Raises CommandError when it can be neither read nor made."""
    path = folder / "signing-key"
    try:
        key = path.read_bytes() if path.exists() else _made(path)
    except OSError as error:
        raise CommandError(f"The signing key {path} can be neither read nor made: {error.strerror}.") from None
    if len(key) != KEY_BYTES:
        raise CommandError(f"The signing key {path} is damaged: remove it, and a new one is made.")
    return key


def _made(path: Path) -> bytes:
    """A new key in `path`, whole or not at all; of two that make one at once, both get the same."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not path.exists():
            beside = path.with_suffix(".new")
            beside.unlink(missing_ok=True)
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            beside.rename(path)
            os.fsync(folder)
        return path.read_bytes()
    finally:
        os.close(folder)
