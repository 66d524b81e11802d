"""What may stand on a line of a terminal: the one function for all that a command prints of a snippet, a file or a store."""

import unicodedata
from typing import Final

_OBEYED: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories: controls, formats (directions of text, zero-width letters), halves of pairs, ends of lines and paragraphs."""


def printable(text: str) -> str:
    """`text` on one line; a character that a terminal would obey, or that is invisible, stands as Python's escape. Tabs stay."""
    if text.isprintable():
        return text
    return "".join(ascii(letter)[1:-1] if _is_obeyed(letter) else letter for letter in text)


def _is_obeyed(letter: str) -> bool:
    return letter != "\t" and unicodedata.category(letter) in _OBEYED
