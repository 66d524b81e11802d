"""Escapes text for a terminal. Commands use it for everything that they print from a snippet, a file or a store."""

import unicodedata
from typing import Final

_OBEYED: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories: control characters, format characters (text direction, zero width), surrogates, line and paragraph
separators."""


def printable(text: str) -> str:
    """Return `text` on one line. Control characters and invisible characters become Python escapes; tabs stay."""
    if text.isprintable():
        return text
    return "".join(ascii(letter)[1:-1] if _is_obeyed(letter) else letter for letter in text)


def _is_obeyed(letter: str) -> bool:
    return letter != "\t" and unicodedata.category(letter) in _OBEYED
