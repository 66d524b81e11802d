"""Codes that people type to join a room, or to add another device of a teacher."""

import secrets
from typing import Final

ALPHABET: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The alphabet omits I and O, which look like 1 and 0."""

LENGTH: Final = 6
ONE_TIME_LENGTH: Final = 8


def new_code(length: int = LENGTH) -> str:
    """A random code."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def normal(typed: str, length: int = LENGTH) -> str | None:
    """Return a typed code in upper case; None if it cannot be a code."""
    code = typed.upper() if typed.isascii() else ""
    return code if len(code) == length and all(letter in ALPHABET for letter in code) else None
