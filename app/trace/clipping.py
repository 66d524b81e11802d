"""Text of any program, made to fit: into a number of characters, and into UTF-8."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def clip(text: str, limit: int = 4096) -> str:
    """`text` in at most `limit` characters that UTF-8 can carry: the end becomes "…", a lone surrogate its escape."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if not text.isascii() and _SURROGATE.search(text):
        return clip(without_surrogates(text), limit)
    return text


def without_surrogates(text: str) -> str:
    """`text` with the escapes of lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
