"""Limits the length of text, and makes text encodable in UTF-8."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def clip(text: str, limit: int = 4096) -> str:
    """Return `text` with at most `limit` characters, encodable in UTF-8.

    If `text` was longer, the result ends with "…". Lone surrogates are replaced by their escapes.
    """
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if not text.isascii() and _SURROGATE.search(text):
        return clip(without_surrogates(text), limit)
    return text


def without_surrogates(text: str) -> str:
    """Return `text` with its lone surrogates replaced by their escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
